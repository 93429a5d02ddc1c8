/** Two texts beside each other, or unified where it is narrow; only to look at. */

import {
  EditorState,
  EditorView,
  LitElement,
  MergeView,
  html,
  unifiedMergeView,
} from "../vendor/bundle.js";
import { ExactText } from "../text/exact.js";
import { showableDiff } from "../text/hunks.js";
import { highlightingOf } from "../text/language.js";
import { looks } from "../text/setup.js";

const NARROW = matchMedia("(max-width: 760px)");
const MERGE = {
  collapseUnchanged: { margin: 3, minSize: 6 },
  diffConfig: { override: showableDiff },
};

class DiffView extends LitElement {
  static properties = { oldText: { attribute: false }, newText: { attribute: false }, languageId: { attribute: false } };

  constructor() {
    super();
    this.oldText = "";
    this.newText = "";
    this.languageId = "";
    /** @type {{destroy: () => void} | null} */
    this.shown = null;
  }

  createRenderRoot() {
    return this;
  }

  render() {
    return html`<div class="diff-body"></div>`;
  }

  updated() {
    this.shown?.destroy();
    const parent = /** @type {HTMLElement} */ (this.querySelector(".diff-body"));
    parent.replaceChildren();
    const [before, after] = [ExactText.parse(this.oldText).doc, ExactText.parse(this.newText).doc];
    if (NARROW.matches || !before.length) {
      const merge = unifiedMergeView({ ...MERGE, original: before, mergeControls: false });
      this.shown = new EditorView({ doc: after, extensions: [this.#extensions("Difference"), merge], parent });
    } else {
      this.shown = new MergeView({
        ...MERGE,
        a: { doc: before, extensions: this.#extensions("Before") },
        b: { doc: after, extensions: this.#extensions("After") },
        parent,
      });
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.shown?.destroy();
    this.shown = null;
  }

  /** @param {string} label */
  #extensions(label) {
    return [
      looks,
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      highlightingOf(this.languageId, this.newText.length),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", tabindex: "0" }),
    ];
  }
}

customElements.define("diff-view", DiffView);
