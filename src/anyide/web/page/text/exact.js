/**
 * A text whose line breaks are kept as they are, whatever CodeMirror makes of them.
 *
 * CodeMirror counts every break (`\n`, `\r\n`, `\r`) as one character. Here the usual break of a
 * document is kept beside it, and the few that differ are marks that move with the text. "Real"
 * offsets count the true UTF-16 units, as the server does.
 */

import {
  ChangeSet,
  EditorState,
  RangeSet,
  RangeValue,
  StateEffect,
  StateField,
  Text,
  invertedEffects,
} from "../vendor/bundle.js";

/** @typedef {{pos: number, text: string}} Break a break at an editor position */
/** @typedef {[number, number, string]} RealChange from, to, insert in real offsets */
/** @typedef {{newline: string, odd: RangeSet<OddBreak>}} Breaks */

const ANY_BREAK = /\r\n?|\n/g;

class OddBreak extends RangeValue {
  // A break that is deleted takes its mark with it; text beside it does not stretch the mark.
  startSide = 1;
  endSide = -1;

  /** @param {string} text */
  constructor(text) {
    super();
    this.text = text;
  }

  /** @param {RangeValue} other */
  eq(other) {
    return other instanceof OddBreak && other.text === this.text;
  }
}

/** @type {import("../vendor/bundle.js").StateEffectType<Break>} */
export const markBreak = StateEffect.define({
  map: (/** @type {Break} */ { pos, text }, change) => ({ pos: change.mapPos(pos, 1), text }),
});

/** @type {import("../vendor/bundle.js").StateEffectType<Breaks>} */
export const resetBreaks = StateEffect.define();

/** @type {StateField<Breaks>} */
const breaksField = StateField.define({
  create: () => ({ newline: "\n", odd: RangeSet.empty }),
  update(breaks, transaction) {
    let { newline, odd } = breaks;
    odd = mapped(odd, transaction.changes);
    /** @type {Break[]} */
    const marks = [];
    for (const effect of transaction.effects) {
      if (effect.is(resetBreaks)) ({ newline, odd } = effect.value);
      if (effect.is(markBreak)) marks.push(effect.value);
    }
    return { newline, odd: marked(odd, marks, newline) };
  },
});

// Undoing the deletion of an odd break brings it back as it was.
const undoneBreaks = invertedEffects.of((transaction) => {
  const { odd } = transaction.startState.field(breaksField);
  /** @type {StateEffect<any>[]} */
  const effects = [];
  if (odd.size && transaction.docChanged) {
    transaction.changes.iterChangedRanges((from, to) => {
      odd.between(from, to, (pos, _end, value) => {
        effects.push(markBreak.of({ pos, text: value.text }));
      });
    });
  }
  return effects;
});

/** @param {RangeSet<OddBreak>} odd @param {ChangeSet} changes @returns {RangeSet<OddBreak>} */
function mapped(odd, changes) {
  if (!odd.size || changes.empty) return odd;
  // A break that is replaced, even by one of the same length, is another break.
  /** @type {[number, number][]} */
  const replaced = [];
  changes.iterChangedRanges((from, to) => replaced.push([from, to]));
  const isKept = (/** @type {number} */ from, /** @type {number} */ to) =>
    !replaced.some(([start, end]) => start <= from && end >= to);
  return odd.update({ filter: isKept }).map(changes);
}

/** @param {RangeSet<OddBreak>} odd @param {Break[]} marks @param {string} newline */
function marked(odd, marks, newline) {
  if (!marks.length) return odd;
  const places = new Set(marks.map((mark) => mark.pos));
  const last = new Map(marks.map((mark) => [mark.pos, mark.text]));
  return odd.update({
    filter: (from) => !places.has(from),
    add: [...last]
      .filter(([, text]) => text !== newline)
      .map(([pos, text]) => new OddBreak(text).range(pos, pos + 1)),
    sort: true,
  });
}

/** @param {Map<string, number>} counts */
function mostFrequent(counts) {
  let best = "\n";
  for (const [text, count] of counts) if (count > (counts.get(best) ?? 0)) best = text;
  return best;
}

export class ExactText {
  /** @param {Text} doc @param {string} newline @param {RangeSet<OddBreak>} odd */
  constructor(doc, newline, odd) {
    this.doc = doc;
    this.newline = newline;
    this.odd = odd;
  }

  /** Read a text; without a newline given, the most frequent one becomes the usual.
   * @param {string} text @param {string} [newline] */
  static parse(text, newline) {
    if (!text.includes("\r") && (newline ?? "\n") === "\n") {
      return new ExactText(Text.of(text.split("\n")), "\n", RangeSet.empty);
    }
    const breaks = text.match(ANY_BREAK) ?? [];
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const each of breaks) counts.set(each, (counts.get(each) ?? 0) + 1);
    const usual = newline ?? mostFrequent(counts);
    const lines = text.split(/\r\n?|\n/);
    /** @type {any[]} */
    const odd = [];
    let pos = 0;
    breaks.forEach((each, index) => {
      pos += lines[index].length;
      if (each !== usual) odd.push(new OddBreak(each).range(pos, pos + 1));
      pos += 1;
    });
    return new ExactText(Text.of(lines), usual, RangeSet.of(odd));
  }

  /** @param {EditorState} state */
  static of(state) {
    const { newline, odd } = state.field(breaksField);
    return new ExactText(state.doc, newline, odd);
  }

  /** What an editor state needs to keep this text exact. */
  get extension() {
    const breaks = { newline: this.newline, odd: this.odd };
    return [breaksField.init(() => breaks), undoneBreaks];
  }

  /** How a person calls the line breaks. */
  get breakName() {
    if (this.odd.size) return "mixed line ends";
    return { "\n": "LF", "\r\n": "CRLF", "\r": "CR" }[this.newline] ?? "LF";
  }

  toString() {
    return this.slice(0, this.doc.length);
  }

  /** @param {number} from @param {number} to editor positions */
  slice(from, to) {
    if (!this.odd.size) return this.doc.sliceString(from, to, this.newline);
    const parts = [];
    let pos = from;
    for (const { pos: at, text } of this.oddBetween(from, to)) {
      parts.push(this.doc.sliceString(pos, at, this.newline), text);
      pos = at + 1;
    }
    parts.push(this.doc.sliceString(pos, to, this.newline));
    return parts.join("");
  }

  /** The unusual breaks that lie wholly in a range.
   * @param {number} from @param {number} to @returns {Break[]} */
  oddBetween(from, to) {
    /** @type {Break[]} */
    const found = [];
    this.odd.between(from, to, (pos, end, value) => {
      if (pos >= from && end <= to) found.push({ pos, text: value.text });
    });
    return found;
  }

  /** Every break of a range, as it is. @param {number} from @param {number} to */
  breaksBetween(from, to) {
    const odd = new Map(this.oddBetween(from, to).map(({ pos, text }) => [pos, text]));
    /** @type {Break[]} */
    const found = [];
    let line = this.doc.lineAt(from);
    while (line.to < to) {
      found.push({ pos: line.to, text: odd.get(line.to) ?? this.newline });
      line = this.doc.line(line.number + 1);
    }
    return found;
  }

  /** @param {number} pos an editor position */
  toReal(pos) {
    let real = pos;
    if (this.newline.length > 1) real += this.doc.lineAt(pos).number - 1;
    for (const { text } of this.odd.size ? this.oddBetween(0, pos) : []) {
      real += text.length - this.newline.length;
    }
    return real;
  }

  /** @param {number} real */
  fromReal(real) {
    if (this.newline.length === 1 && !this.odd.size) return Math.min(real, this.doc.length);
    let low = 0;
    let high = this.doc.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.toReal(middle) <= real) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** What a change of the editor is for the server.
   * @param {ChangeSet} changes @param {ExactText} after @returns {RealChange[]} */
  realChanges(changes, after) {
    /** @type {RealChange[]} */
    const real = [];
    changes.iterChanges((fromA, toA, fromB, toB) => {
      real.push([this.toReal(fromA), this.toReal(toA), after.slice(fromB, toB)]);
    });
    return real;
  }

  /** What a change told by the server is for the editor.
   * @param {RealChange[]} real @returns {{changes: ChangeSet, marks: Break[]}} */
  editorChanges(real) {
    /** @type {Break[]} */
    const marks = [];
    let shift = 0;
    const specs = real.map(([from, to, insert]) => {
      const text = ExactText.parse(insert, this.newline);
      const spec = { from: this.fromReal(from), to: this.fromReal(to), insert: text.doc };
      for (const mark of text.oddBetween(0, text.doc.length)) {
        marks.push({ pos: spec.from + shift + mark.pos, text: mark.text });
      }
      shift += text.doc.length - (spec.to - spec.from);
      return spec;
    });
    return { changes: ChangeSet.of(specs, this.doc.length), marks };
  }

  /** @param {ChangeSet} changes @param {Break[]} marks */
  apply(changes, marks) {
    const odd = marked(mapped(this.odd, changes), marks, this.newline);
    return new ExactText(changes.apply(this.doc), this.newline, odd);
  }
}
