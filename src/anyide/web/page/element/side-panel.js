/** The panel beside the text: files, reviews, problems, history. */

import { html, nothing } from "../vendor/bundle.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";
import "./decision-history.js";
import "./file-tree.js";
import "./problem-list.js";
import "./review-queue.js";

/** @typedef {"files" | "reviews" | "problems" | "history"} Part */
/** @type {[Part, string, any][]} */
const PARTS = [
  ["files", "Files", "files"],
  ["reviews", "Reviews", "review"],
  ["problems", "Problems", "problem"],
  ["history", "History", "clock"],
];

class SidePanel extends DeskView {
  static properties = { ...DeskView.properties, chosen: { state: true } };

  constructor() {
    super();
    /** @type {Part} */
    this.chosen = "files";
  }

  /** @param {number} index */
  choose(index) {
    this.#show(PARTS[index][0]);
    /** @type {HTMLElement | null} */ (this.querySelectorAll(".part")[index])?.focus();
  }

  render() {
    return html`<nav class="parts" aria-label="Parts">${PARTS.map((part, index) => this.#part(part, index))}</nav>
      <div class="panel-body">
        <h2 class="panel-title" title=${this.chosen === "files" ? this.desk.folders.join("\n") : nothing}>${this.chosen === "files" ? this.desk.title : PARTS.find(([part]) => part === this.chosen)?.[1]}</h2>
        <file-tree .desk=${this.desk} ?hidden=${this.chosen !== "files"}></file-tree>
        ${this.chosen === "reviews" ? html`<review-queue .desk=${this.desk}></review-queue>` : nothing}
        ${this.chosen === "problems" ? html`<problem-list .desk=${this.desk}></problem-list>` : nothing}
        ${this.chosen === "history" ? html`<decision-history .desk=${this.desk}></decision-history>` : nothing}
      </div>`;
  }

  /** @param {[Part, string, any]} part @param {number} index */
  #part([part, label, sign], index) {
    const count = this.#count(part);
    return html`<button
      class="part"
      aria-pressed=${String(part === this.chosen)}
      aria-label=${count ? `${label}, ${count}` : label}
      title="${label} (Alt ${index + 1})"
      @click=${() => this.#show(part)}
    >
      ${icon(sign)}<span class="part-label">${label}</span>
      ${count ? html`<span class="badge ${part}" data-count=${part}>${count}</span>` : nothing}
    </button>`;
  }

  /** @param {Part} part */
  #count(part) {
    if (part === "reviews") return this.desk.reviews.length;
    if (part !== "problems") return 0;
    return [...this.desk.problems.values()].flat().filter((each) => each.severity === "error" || each.severity === "warning").length;
  }

  /** @param {Part} part */
  #show(part) {
    const isSame = this.chosen === part;
    this.chosen = part;
    this.dispatchEvent(new CustomEvent("part", { bubbles: true, detail: { part, isSame } }));
  }
}

customElements.define("side-panel", SidePanel);
