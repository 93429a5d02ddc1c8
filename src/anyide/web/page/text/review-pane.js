/** The two ways to look at a review: side by side, or unified. The result is edited in both. */

import {
  EditorState,
  EditorView,
  MergeView,
  unifiedMergeView,
} from "../vendor/bundle.js";
import { ExactText, resetBreaks } from "./exact.js";
import { showableDiff } from "./hunks.js";
import { highlightingOf } from "./language.js";
import { levelBars, pointAt } from "./review-state.js";
import { editing, looks } from "./setup.js";

/** @typedef {import("./review-state.js").ReviewState} ReviewState */

const WRAPPED_LINES = 2000;
const MERGE = {
  gutter: true,
  highlightChanges: true,
  collapseUnchanged: { margin: 3, minSize: 6 },
  diffConfig: { override: showableDiff },
};

export class ReviewPane extends EventTarget {
  /** @param {ReviewState} model @param {HTMLElement} parent @param {string} layout */
  constructor(model, parent, layout) {
    super();
    this.model = model;
    this.parent = parent;
    this.layout = layout;
    /** @type {MergeView | null} */
    this.merge = null;
    this.view = this.#build();
    this.#restore(model.standing());
  }

  get state() {
    return this.model.of(this.view.state);
  }

  get exact() {
    return ExactText.of(this.view.state);
  }

  get result() {
    return this.model.result(this.view.state);
  }

  get decisions() {
    return this.model.decisions(this.view.state);
  }

  get hasFocus() {
    return this.view.hasFocus;
  }

  /** Whether every hunk was rejected, so that there is no change to accept any more. */
  get isNothingLeft() {
    const { placed } = this.state;
    return placed.length > 0 && placed.every((hunk) => hunk.state === "rejected") && this.view.state.doc.eq(this.model.old.doc);
  }

  /** Whether the result is another text than hunks alone would make. */
  get isEdited() {
    return !this.view.state.doc.eq(this.model.proposed.doc) && !Object.values(this.decisions).includes("rejected");
  }

  /** @param {number} index @param {"accepted" | "rejected" | ""} what */
  decide(index, what) {
    const hunk = this.state.placed[index];
    if (!hunk) return;
    // A bar is drawn anew with its decision: a button of it that had the focus is gone then.
    const wasInBar = document.activeElement?.closest(".hunk-bar");
    this.view.dispatch({ effects: pointAt.of(index) });
    if (!what || hunk.state === what) this.model.undecide(this.view, index);
    else {
      this.model.decide(this.view, index, what);
      this.#goOn(index);
    }
    if (wasInBar) this.parent.focus({ preventScroll: true });
    this.dispatchEvent(new Event("change"));
  }

  /** @param {1 | -1} by */
  step(by) {
    const { placed, current } = this.state;
    if (placed.length) this.#point((current + by + placed.length) % placed.length);
  }

  focusHunk() {
    const { placed, current } = this.state;
    const hunk = placed[current];
    if (hunk) this.view.dispatch({ selection: { anchor: hunk.from }, scrollIntoView: true });
    this.view.focus();
  }

  /** Take the line breaks of another text. @param {ExactText} text */
  useBreaks(text) {
    this.view.dispatch({ effects: resetBreaks.of({ newline: text.newline, odd: text.odd }) });
    this.dispatchEvent(new Event("change"));
  }

  /** @param {string} layout */
  layOut(layout) {
    if (layout === this.layout) return;
    this.layout = layout;
    const standing = this.model.standing(this.view.state);
    this.destroy();
    this.view = this.#build();
    this.#restore(standing);
  }

  destroy() {
    (this.merge ?? this.view).destroy();
    this.parent.replaceChildren();
  }

  #build() {
    const { model, parent } = this;
    this.merge = null;
    if (this.layout === "split") {
      this.merge = new MergeView({
        ...MERGE,
        a: { doc: model.old.doc, extensions: this.#oldExtensions() },
        b: { doc: model.proposed.doc, extensions: this.#extensions() },
        parent,
      });
      return this.merge.b;
    }
    const merge = unifiedMergeView({ ...MERGE, original: model.old.doc, mergeControls: false });
    return new EditorView({ doc: model.proposed.doc, extensions: [this.#extensions(), merge], parent });
  }

  #extensions() {
    const { model } = this;
    return [
      model.extension(({ index, what }) => this.decide(index, what)),
      editing,
      this.#wrapping(),
      highlightingOf(model.review.languageId, model.proposed.doc.length),
      EditorView.contentAttributes.of({ "aria-label": "The result, to edit", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        queueMicrotask(() => this.#level());
        this.dispatchEvent(new Event("change"));
      }),
    ];
  }

  /** Two long texts are kept level only where every line has the height that it seems to have. */
  #wrapping() {
    const lines = Math.max(this.model.old.doc.lines, this.model.proposed.doc.lines);
    return this.layout === "unified" || lines <= WRAPPED_LINES ? EditorView.lineWrapping : [];
  }

  /** @param {import("./review-state.js").Standing | null} standing */
  #restore(standing) {
    if (standing) this.model.restore(this.view, standing);
    this.#point(standing?.current ?? 0);
  }

  #level() {
    const indexes = this.model.barsBeside(this.state.placed, this.exact);
    this.merge?.a.dispatch({ effects: levelBars.of(indexes) });
  }

  #oldExtensions() {
    const { model } = this;
    return [
      looks,
      model.oldExtension(),
      this.#wrapping(),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      highlightingOf(model.review.languageId, model.old.doc.length),
      EditorView.contentAttributes.of({ "aria-label": "The text before", tabindex: "-1" }),
    ];
  }

  /** After a decision the next undecided hunk is the current one. @param {number} index */
  #goOn(index) {
    const { placed } = this.state;
    const next = placed.findIndex((hunk, at) => at > index && !hunk.state);
    const any = next >= 0 ? next : placed.findIndex((hunk) => !hunk.state);
    if (any >= 0) this.#point(any);
  }

  /** @param {number} index */
  #point(index) {
    const hunk = this.state.placed[index];
    if (!hunk) return;
    this.view.dispatch({
      effects: [pointAt.of(index), EditorView.scrollIntoView(hunk.from, { y: "start", yMargin: 80 })],
    });
    this.dispatchEvent(new Event("moved"));
  }
}
