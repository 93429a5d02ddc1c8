/**
 * What was typed in the last moment before the page went, and had not reached the server.
 *
 * The browser keeps it until the document is shown again: then it is typed once more.
 */

import { ExactText } from "./text/exact.js";
import { changeBetween } from "./text/hunks.js";

/** @typedef {import("./copy.js").DocumentCopy} DocumentCopy */
/** @typedef {{known: string[], text: string}} Parting `known`: what the server has, with or without what was under way */

const STORED = "anyide-parting:";

/** @param {Iterable<DocumentCopy>} copies */
export function keepPartings(copies) {
  for (const copy of copies) {
    if (copy.isQuiet || !copy.view) continue;
    const known = [copy.sent ? copy.afterSent.toString() : copy.base.toString(), copy.base.toString()];
    try {
      localStorage.setItem(STORED + copy.path, JSON.stringify({ known, text: copy.exact.toString() }));
    } catch {
      // Too long for the browser's store: the question before the page goes has to do.
    }
  }
}

/** The page has come back as it was. @param {Iterable<DocumentCopy>} copies */
export function forgetPartings(copies) {
  for (const copy of copies) localStorage.removeItem(STORED + copy.path);
}

/** @param {DocumentCopy} copy one that is shown */
export function takeParting(copy) {
  const kept = localStorage.getItem(STORED + copy.path);
  if (!kept || !copy.view || copy.message.isReadOnly) return;
  localStorage.removeItem(STORED + copy.path);
  /** @type {Parting} */
  const { known, text } = JSON.parse(kept);
  // What others did meanwhile stays: the last edits are made in the text as it is now.
  const [start, others] = known
    .map((each) => ExactText.parse(each).doc)
    .map((doc) => /** @type {const} */ ([doc, changeBetween(doc, copy.exact.doc)]))
    .reduce((best, each) => (sizeOf(each[1]) < sizeOf(best[1]) ? each : best));
  const typed = changeBetween(start, ExactText.parse(text).doc);
  copy.view.dispatch({ changes: typed.map(others) });
}

/** @param {import("./vendor/bundle.js").ChangeSet} changes */
function sizeOf(changes) {
  let size = 0;
  changes.iterChanges((fromA, toA, fromB, toB) => (size += toA - fromA + toB - fromB));
  return size;
}
