/** Open a file by a part of its name. */

import { html, nothing } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";

const LIMIT = 50;

class QuickOpen extends DeskView {
  static properties = { ...DeskView.properties, paths: { state: true }, at: { state: true } };

  constructor() {
    super();
    /** @type {string[]} */
    this.paths = [];
    this.at = 0;
    this.asked = 0;
  }

  get dialog() {
    return /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
  }

  async show() {
    await this.updateComplete;
    if (this.dialog.open) return;
    this.dialog.showModal();
    const input = /** @type {HTMLInputElement} */ (this.querySelector("input"));
    input.value = "";
    input.focus();
    await this.#find("");
  }

  render() {
    return html`<dialog class="quick" aria-label="Open a file" @click=${this.#outside}>
      <input
        type="text"
        role="combobox"
        aria-label="Name of the file"
        aria-expanded="true"
        aria-controls="quick-list"
        aria-activedescendant=${this.paths.length ? `quick-${this.at}` : nothing}
        autocomplete="off"
        spellcheck="false"
        placeholder="Name of a file"
        @input=${(/** @type {Event} */ event) => this.#find(/** @type {HTMLInputElement} */ (event.target).value)}
        @keydown=${this.#key}
      />
      <ul id="quick-list" role="listbox" aria-label="Files">
        ${this.paths.map((path, index) => this.#entry(path, index))}
      </ul>
      ${this.paths.length ? nothing : html`<p class="quiet-text" role="status">No file has a name like that.</p>`}
    </dialog>`;
  }

  updated() {
    this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} path @param {number} index */
  #entry(path, index) {
    const short = this.desk.short(path);
    const name = nameOf(short);
    return html`<li id="quick-${index}" role="option" aria-selected=${String(index === this.at)} @click=${() => this.#choose(path)}>
      <span class="entry-name">${name}</span><span class="entry-place">${short.slice(0, -name.length)}</span>
    </li>`;
  }

  /** @param {string} query */
  async #find(query) {
    const asked = ++this.asked;
    const answer = await this.desk.live.request("find", { query, limit: LIMIT }).catch(() => ({ paths: [] }));
    if (asked !== this.asked) return;
    this.paths = answer.paths;
    this.at = 0;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const last = this.paths.length - 1;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => (this.at = Math.min(this.at + 1, last)),
      ArrowUp: () => (this.at = Math.max(this.at - 1, 0)),
      Enter: () => this.paths[this.at] && this.#choose(this.paths[this.at]),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** @param {string} path */
  async #choose(path) {
    this.dialog.close();
    await this.desk.open(path);
  }

  /** @param {MouseEvent} event */
  #outside(event) {
    if (event.target === this.dialog) this.dialog.close();
  }
}

customElements.define("quick-open", QuickOpen);
