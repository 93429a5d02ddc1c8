/**
 * The hunks of a proposed change: which stretch of the old text stands against which of the new.
 *
 * Putting every old stretch in place of its new one gives the old text again, to the last byte.
 */

import { Change, ChangeSet, Text, diff } from "../vendor/bundle.js";
import { diffLines } from "./line-diff.js";

/** @typedef {{fromA: number, toA: number, fromB: number, toB: number, isTail: boolean}} Stretch
 * editor positions; `isTail`: it begins with the break before its first line */

// Inside a block of changed lines, characters are compared as long as it is quick.
const CHARACTER_LIMIT = 20_000;
const QUICK = { scanLimit: 500, timeout: 50 };

/** @param {Text} a @param {Text} b @returns {Stretch[]} */
export function hunksOf(a, b) {
  if (a.eq(b)) return [];
  return diffLines(linesOf(a), linesOf(b)).map((block) => stretchOf(a, b, block));
}

/** The changes that make b of a. @param {Text} a @param {Text} b */
export function changeBetween(a, b) {
  const specs = hunksOf(a, b).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: b.slice(fromB, toB),
  }));
  return ChangeSet.of(specs, a.length);
}

/** The diff that the merge view is given: by lines first, inside them by characters.
 * @param {string} a @param {string} b */
export function showableDiff(a, b) {
  const docA = Text.of(a.split("\n"));
  const docB = Text.of(b.split("\n"));
  return hunksOf(docA, docB).flatMap((hunk) => charactersOf(hunk, a, b));
}

/** @param {Stretch} hunk @param {string} a @param {string} b */
function charactersOf({ fromA, toA, fromB, toB }, a, b) {
  const whole = new Change(fromA, toA, fromB, toB);
  const size = toA - fromA + toB - fromB;
  if (fromA === toA || fromB === toB || size > CHARACTER_LIMIT) return [whole];
  return diff(a.slice(fromA, toA), b.slice(fromB, toB), QUICK).map(
    (change) =>
      new Change(change.fromA + fromA, change.toA + fromA, change.fromB + fromB, change.toB + fromB),
  );
}

/** @param {Text} doc */
function linesOf(doc) {
  const lines = [];
  for (const line of doc.iterLines()) lines.push(line);
  return lines;
}

/** @param {Text} a @param {Text} b @param {import("./line-diff.js").Block} block */
function stretchOf(a, b, { fromA, toA, fromB, toB }) {
  const isLast = toA === a.lines && toB === b.lines;
  // At the end of a text the break that goes with an added or removed line stands before it.
  const before = isLast && fromA > 0 && (fromA === toA || fromB === toB) ? 1 : 0;
  return {
    fromA: startOf(a, fromA) - before,
    toA: isLast ? a.length : startOf(a, toA),
    fromB: startOf(b, fromB) - before,
    toB: isLast ? b.length : startOf(b, toB),
    isTail: before > 0,
  };
}

/** @param {Text} doc @param {number} index */
function startOf(doc, index) {
  return index >= doc.lines ? doc.length + 1 : doc.line(index + 1).from;
}
