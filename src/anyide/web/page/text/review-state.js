/**
 * A proposed change while a person decides it: the result as an editor state, and where in it each
 * hunk stands. Rejecting a hunk puts the old lines in its place, accepting it the proposed ones.
 */

import {
  Decoration,
  EditorState,
  EditorView,
  StateEffect,
  StateField,
  Transaction,
  invertedEffects,
} from "../vendor/bundle.js";
import { ExactText, markBreak, resetBreaks } from "./exact.js";
import { HunkBar, OldBar, barAt } from "./hunk-bar.js";
import { changeBetween, hunksOf } from "./hunks.js";

/** @typedef {import("../types.js").HunkState | ""} Decided */
/** @typedef {{index: number, from: number, to: number, state: Decided}} Placed */
/** @typedef {{exact: ExactText, decisions: Record<string, import("../types.js").HunkState>, current: number}} Standing */

/** @type {import("../vendor/bundle.js").StateEffectType<Placed>} */
const placeHunk = StateEffect.define({
  map: (/** @type {Placed} */ placed, change) => ({
    ...placed,
    from: change.mapPos(placed.from, -1),
    to: change.mapPos(placed.to, 1),
  }),
});

/** @type {import("../vendor/bundle.js").StateEffectType<number>} */
export const pointAt = StateEffect.define();

/** @type {import("../vendor/bundle.js").StateEffectType<number[]>} */
export const levelBars = StateEffect.define();

export class ReviewState {
  /** @param {import("../types.js").Review} review */
  constructor(review) {
    this.review = review;
    this.old = ExactText.parse(review.oldText ?? "");
    this.proposed = ExactText.parse(review.newText);
    this.hunks = hunksOf(this.old.doc, this.proposed.doc);
    /** @type {Placed[]} */
    this.first = this.hunks.map(({ fromB, toB }, index) => ({ index, from: fromB, to: toB, state: "" }));
    /** @type {StateField<{placed: Placed[], current: number}>} */
    this.field = StateField.define({
      create: () => ({ placed: this.first, current: 0 }),
      update: (value, transaction) => {
        let { placed, current } = value;
        if (transaction.docChanged) placed = placed.map((hunk) => this.#moved(hunk, transaction.changes));
        for (const effect of transaction.effects) {
          if (effect.is(placeHunk)) placed = placed.with(effect.value.index, effect.value);
          if (effect.is(pointAt)) current = effect.value;
        }
        return placed === value.placed && current === value.current ? value : { placed, current };
      },
    });
  }

  /** What the editor of the result needs. @param {(act: import("./hunk-bar.js").HunkAct) => void} act */
  extension(act) {
    const undone = invertedEffects.of((transaction) =>
      transaction.effects
        .filter((effect) => effect.is(placeHunk))
        .map((effect) => placeHunk.of(transaction.startState.field(this.field).placed[effect.value.index])),
    );
    const bars = EditorView.decorations.compute([this.field, "doc"], (state) => this.#bars(state, act));
    return [this.proposed.extension, this.field, undone, bars];
  }

  /** Where the review stands, to go on from in another editor. @param {EditorState} [state] @returns {Standing | null} */
  standing(state) {
    if (state) {
      return { exact: ExactText.of(state), decisions: this.decisions(state), current: this.of(state).current };
    }
    const { draft } = this.review;
    if (!draft) return null;
    const undecided = this.hunks.findIndex((_, index) => !draft.hunks[index]);
    return { exact: ExactText.parse(draft.text), decisions: draft.hunks, current: Math.max(0, undecided) };
  }

  /** Bring a new editor of the proposal to where the review stood. @param {EditorView} view @param {Standing} standing */
  restore(view, { exact, decisions, current }) {
    const annotations = Transaction.addToHistory.of(false);
    for (const [index, decided] of Object.entries(decisions)) {
      if (this.hunks[Number(index)]) view.dispatch({ ...this.#decision(view.state, Number(index), decided), annotations });
    }
    view.dispatch({
      changes: changeBetween(view.state.doc, exact.doc),
      effects: [resetBreaks.of({ newline: exact.newline, odd: exact.odd }), pointAt.of(current)],
      annotations,
    });
  }

  /** What the old side needs: bars of the same height where the new side's would push lines down. */
  oldExtension() {
    const field = StateField.define({
      create: () => this.#oldBars(this.barsBeside(this.first, this.proposed)),
      update: (bars, transaction) => {
        for (const effect of transaction.effects) if (effect.is(levelBars)) return this.#oldBars(effect.value);
        return bars;
      },
      provide: (bars) => EditorView.decorations.from(bars),
    });
    return field;
  }

  /** The hunks whose bar needs one beside it: the merge view levels the others, with a side that is empty.
   * @param {Placed[]} placed @param {ExactText} exact @returns {number[]} */
  barsBeside(placed, exact) {
    return placed
      .filter(({ index, from, to }) => {
        const { fromA, toA } = this.hunks[index];
        const isSame = exact.doc.sliceString(from, to) === this.old.doc.sliceString(fromA, toA);
        return isSame || (from < to && fromA < toA);
      })
      .map(({ index }) => index);
  }

  /** @param {number[]} indexes */
  #oldBars(indexes) {
    const bars = indexes.map((index) => {
      const { fromA, toA, isTail } = this.hunks[index];
      return barAt(this.old.doc, { from: fromA, to: toA, isTail }, new OldBar());
    });
    return Decoration.set(bars, true);
  }

  /** @param {EditorState} state @returns {{placed: Placed[], current: number}} */
  of(state) {
    return state.field(this.field);
  }

  /** Decide one hunk. @param {EditorView} view @param {number} index @param {import("../types.js").HunkState} decided */
  decide(view, index, decided) {
    if (this.of(view.state).placed[index].state !== decided) view.dispatch(this.#decision(view.state, index, decided));
  }

  /** @param {EditorState} state @param {number} index @param {import("../types.js").HunkState} decided */
  #decision(state, index, decided) {
    const hunk = this.of(state).placed[index];
    if (decided === "accepted" && hunk.state !== "rejected") {
      return { effects: placeHunk.of({ ...hunk, state: decided }) };
    }
    const { from, to } = hunk;
    const [source, start, end] = this.#source(index, decided);
    const insert = source.doc.slice(start, end);
    const marks = source
      .breaksBetween(start, end)
      .map(({ pos, text }) => markBreak.of({ pos: pos - start + from, text }));
    return {
      changes: { from, to, insert },
      effects: [...marks, placeHunk.of({ index, from, to: from + insert.length, state: decided })],
      userEvent: "review",
    };
  }

  /** Take the decision about a hunk back. @param {EditorView} view @param {number} index */
  undecide(view, index) {
    if (this.of(view.state).placed[index].state === "rejected") this.decide(view, index, "accepted");
    view.dispatch({ effects: placeHunk.of({ ...this.of(view.state).placed[index], state: "" }) });
  }

  /** The text to answer with: the proposal itself, to the byte, when nothing was changed. @param {EditorState} state */
  result(state) {
    const text = ExactText.of(state).toString();
    return text === this.review.newText ? this.review.newText : text;
  }

  /** @param {EditorState} state @returns {Record<string, import("../types.js").HunkState>} */
  decisions(state) {
    /** @type {Record<string, import("../types.js").HunkState>} */
    const decisions = {};
    for (const { index, state: decided } of this.of(state).placed) if (decided) decisions[index] = decided;
    return decisions;
  }

  /** @param {number} index @param {Decided} decided @returns {[ExactText, number, number]} */
  #source(index, decided) {
    const { fromA, toA, fromB, toB } = this.hunks[index];
    return decided === "rejected" ? [this.old, fromA, toA] : [this.proposed, fromB, toB];
  }

  /** Where a hunk stands after an edit: what is typed before or behind it is not part of it.
   * @param {Placed} hunk @param {import("../vendor/bundle.js").ChangeDesc} changes @returns {Placed} */
  #moved(hunk, changes) {
    const isLast = hunk.index === this.hunks.length - 1;
    const isEnd = isLast && hunk.to === changes.length;
    // The last hunk may begin with the break before it: that is no place to type into it.
    const from = changes.mapPos(hunk.from, this.hunks[hunk.index].isTail ? 1 : -1);
    const to = changes.mapPos(hunk.to, isEnd ? 1 : -1);
    return { ...hunk, from, to: Math.max(from, to) };
  }

  /** @param {EditorState} state @param {(act: import("./hunk-bar.js").HunkAct) => void} act */
  #bars(state, act) {
    const { placed, current } = this.of(state);
    const exact = ExactText.of(state);
    const bars = placed.map((hunk) => {
      const [source, start, end] = this.#source(hunk.index, hunk.state);
      const isEdited = exact.slice(hunk.from, hunk.to) !== source.slice(start, end);
      const { fromA, toA, fromB, toB, isTail } = this.hunks[hunk.index];
      const size = { removed: this.#lines(this.old, fromA, toA), added: this.#lines(this.proposed, fromB, toB) };
      const bar = new HunkBar({ ...hunk, ...size, isEdited, isCurrent: hunk.index === current, count: placed.length }, act);
      return barAt(state.doc, { ...hunk, isTail }, bar);
    });
    return Decoration.set(bars, true);
  }

  /** @param {ExactText} text @param {number} from @param {number} to */
  #lines(text, from, to) {
    if (from === to) return 0;
    const slice = text.doc.sliceString(from, to);
    return slice.split("\n").length - (slice.endsWith("\n") || slice.startsWith("\n") ? 1 : 0);
  }
}
