/**
 * Which lines of two texts differ: anchors on lines that occur once in both (patience), then the
 * shortest edit (Myers) between them. Pure; gives blocks of whole lines.
 */

/** @typedef {{fromA: number, toA: number, fromB: number, toB: number}} Block line indexes, ends exclusive */

// Between two anchors the shortest edit is searched only this far: beyond it, all is one block.
const MAX_EDITS = 600;

/** @param {readonly string[]} a @param {readonly string[]} b @returns {Block[]} */
export function diffLines(a, b) {
  const [keysA, keysB] = intern(a, b);
  /** @type {Block[]} */
  const blocks = [];
  compare(keysA, keysB, { fromA: 0, toA: a.length, fromB: 0, toB: b.length }, blocks);
  return joined(blocks);
}

/** @param {readonly string[]} a @param {readonly string[]} b */
function intern(a, b) {
  /** @type {Map<string, number>} */
  const ids = new Map();
  const keys = (/** @type {readonly string[]} */ lines) =>
    Int32Array.from(lines, (line) => {
      const known = ids.get(line);
      if (known !== undefined) return known;
      ids.set(line, ids.size);
      return ids.size - 1;
    });
  return [keys(a), keys(b)];
}

/** @param {Int32Array} a @param {Int32Array} b @param {Block} range @param {Block[]} out */
function compare(a, b, range, out) {
  let { fromA, toA, fromB, toB } = range;
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) fromA++, fromB++;
  while (fromA < toA && fromB < toB && a[toA - 1] === b[toB - 1]) toA--, toB--;
  if (fromA === toA && fromB === toB) return;
  const rest = { fromA, toA, fromB, toB };
  if (fromA === toA || fromB === toB) {
    out.push(rest);
    return;
  }
  const anchors = uniqueAnchors(a, b, rest);
  if (anchors.length) between(a, b, rest, anchors, out);
  else out.push(...(shortestEdit(a, b, rest) ?? [rest]));
}

/** @param {Int32Array} a @param {Int32Array} b @param {Block} range @param {[number, number][]} anchors @param {Block[]} out */
function between(a, b, range, anchors, out) {
  let { fromA, fromB } = range;
  for (const [atA, atB] of anchors) {
    compare(a, b, { fromA, toA: atA, fromB, toB: atB }, out);
    fromA = atA + 1;
    fromB = atB + 1;
  }
  compare(a, b, { fromA, toA: range.toA, fromB, toB: range.toB }, out);
}

/** @param {Int32Array} a @param {Int32Array} b @param {Block} range @returns {[number, number][]} */
function uniqueAnchors(a, b, { fromA, toA, fromB, toB }) {
  const inA = once(a, fromA, toA);
  const inB = once(b, fromB, toB);
  /** @type {[number, number][]} */
  const pairs = [];
  for (const [key, atA] of inA) {
    const atB = atA < 0 ? -1 : (inB.get(key) ?? -1);
    if (atB >= 0) pairs.push([atA, atB]);
  }
  return longestRising(pairs.sort((x, y) => x[0] - y[0]));
}

/** Where each key stands that occurs once, -1 for the others. @param {Int32Array} keys @param {number} from @param {number} to */
function once(keys, from, to) {
  /** @type {Map<number, number>} */
  const places = new Map();
  for (let i = from; i < to; i++) places.set(keys[i], places.has(keys[i]) ? -1 : i);
  return places;
}

/** @param {[number, number][]} pairs @returns {[number, number][]} */
function longestRising(pairs) {
  /** @type {number[]} */
  const tails = [];
  const before = new Int32Array(pairs.length);
  pairs.forEach(([, value], index) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]][1] < value) low = middle + 1;
      else high = middle;
    }
    before[index] = low ? tails[low - 1] : -1;
    tails[low] = index;
  });
  /** @type {[number, number][]} */
  const rising = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]) rising.push(pairs[at]);
  return rising.reverse();
}

/** Myers' greedy search; undefined when the texts are further apart than MAX_EDITS.
 * @param {Int32Array} a @param {Int32Array} b @param {Block} range @returns {Block[] | undefined} */
function shortestEdit(a, b, { fromA, toA, fromB, toB }) {
  const lengthA = toA - fromA;
  const lengthB = toB - fromB;
  const limit = Math.min(MAX_EDITS, lengthA + lengthB);
  const furthest = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  /** @type {Int32Array[]} */
  const trace = [];
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && furthest[middle + k - 1] < furthest[middle + k + 1]);
      let x = down ? furthest[middle + k + 1] : furthest[middle + k - 1] + 1;
      while (x < lengthA && x - k < lengthB && a[fromA + x] === b[fromB + x - k]) x++;
      furthest[middle + k] = x;
      if (x >= lengthA && x - k >= lengthB) {
        return walkBack(trace, lengthA, lengthB).map((block) => ({
          fromA: block.fromA + fromA,
          toA: block.toA + fromA,
          fromB: block.fromB + fromB,
          toB: block.toB + fromB,
        }));
      }
    }
  }
  return undefined;
}

/** @param {Int32Array[]} trace @param {number} x @param {number} y @returns {Block[]} */
function walkBack(trace, x, y) {
  /** @type {Block[]} */
  const steps = [];
  for (let edits = trace.length - 1; edits > 0; edits--) {
    // trace[edits] holds the diagonals -edits-1 .. edits+1 as they were before this round.
    const at = (/** @type {number} */ k) => trace[edits][k + edits + 1];
    const k = x - y;
    const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = at(fromK);
    const fromY = fromX - fromK;
    steps.push({ fromA: fromX, toA: down ? fromX : fromX + 1, fromB: fromY, toB: down ? fromY + 1 : fromY });
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

/** @param {Block[]} blocks */
function joined(blocks) {
  /** @type {Block[]} */
  const result = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last && last.toA === block.fromA && last.toB === block.fromB) {
      last.toA = block.toA;
      last.toB = block.toB;
    } else result.push({ ...block });
  }
  return result;
}
