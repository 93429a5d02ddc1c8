/** What the language tools find wrong, by file; a click goes there. */

import { html, nothing, repeat } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";

/** @typedef {import("../types.js").Diagnostic} Diagnostic */

const ORDER = ["error", "warning", "info", "hint"];

class ProblemList extends DeskView {
  render() {
    const files = [...this.desk.problems].filter(([, problems]) => problems.length);
    if (!files.length) return html`<div class="empty">${icon("check")}<p>No problems.</p></div>`;
    return html`${repeat(files, ([path]) => path, ([path, problems]) => this.#file(path, problems))}`;
  }

  /** @param {string} path @param {Diagnostic[]} problems */
  #file(path, problems) {
    const sorted = problems.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
    return html`<section class="queue-group" aria-label="Problems of ${nameOf(path)}">
      <h2>${this.desk.short(path)}</h2>
      <ul>
        ${sorted.map((problem) => this.#problem(path, problem))}
      </ul>
    </section>`;
  }

  /** @param {string} path @param {Diagnostic} problem */
  #problem(path, { message, severity, range, source, code }) {
    return html`<li>
      <button class="problem" @click=${() => this.#go(path, range.start)}>
        <span class="severity ${severity}" role="img" aria-label=${severity}>${icon("problem")}</span>
        <span class="problem-text">${message}${source || code ? html` <small>${source} ${code}</small>` : nothing}</span>
        <span class="entry-time">${range.start.line + 1}:${range.start.character + 1}</span>
      </button>
    </li>`;
  }

  /** @param {string} path @param {import("../types.js").Position} position */
  async #go(path, { line, character }) {
    const copy = await this.desk.open(path);
    if (!copy) return;
    this.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
    const { doc } = copy.exact;
    const place = doc.line(Math.min(line + 1, doc.lines));
    const real = copy.exact.toReal(Math.min(place.from + character, place.to));
    this.desk.dispatchEvent(new CustomEvent("reveal", { detail: { path, from: real, to: real } }));
    copy.view?.focus();
  }
}

customElements.define("problem-list", ProblemList);
