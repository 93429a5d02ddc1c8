/** The questions that cannot wait: unsaved text, a file that changed below it, a name to save under. */

import { html, nothing } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import "./diff-view.js";

/** @typedef {{kind: "unsaved", path: string} | {kind: "conflict", path: string, diskText: string | null} | {kind: "name", path: string}} Question */

class ChoiceDialog extends DeskView {
  static properties = { ...DeskView.properties, question: { state: true } };

  constructor() {
    super();
    /** @type {Question | null} */
    this.question = null;
  }

  arrive() {
    this.on("unsaved", ({ path }) => (this.question = { kind: "unsaved", path }));
    this.on("conflict", ({ path, diskText }) => (this.question = { kind: "conflict", path, diskText }));
    this.on("name-wanted", ({ path }) => (this.question = { kind: "name", path }));
  }

  render() {
    const { question } = this;
    return html`<dialog class="choice ${question?.kind ?? ""}" aria-labelledby="choice-title" @close=${() => (this.question = null)}>
      ${question ? this.#content(question) : nothing}
    </dialog>`;
  }

  updated() {
    const dialog = /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
    if (this.question && !dialog.open) dialog.showModal();
    if (!this.question && dialog.open) dialog.close();
  }

  /** @param {Question} question */
  #content(question) {
    if (question.kind === "unsaved") return this.#unsaved(question.path);
    if (question.kind === "name") return this.#name(question.path);
    return this.#conflict(question.path, question.diskText);
  }

  /** @param {string} path */
  #unsaved(path) {
    const save = async () => {
      if (await this.desk.save(path)) await this.desk.close(path);
    };
    return html`<h1 id="choice-title">Save ${nameOf(path)}?</h1>
      <p>It has changes that are not saved.</p>
      <div class="choice-acts">
        <button class="quiet" @click=${() => this.#done()}>Cancel</button>
        <button class="danger" @click=${() => this.#done(() => this.desk.close(path, true))}>Discard</button>
        <button class="primary" autofocus @click=${() => this.#done(save)}>Save</button>
      </div>`;
  }

  /** @param {string} path @param {string | null} diskText */
  #conflict(path, diskText) {
    const mine = this.desk.copies.get(path)?.exact.toString() ?? "";
    return html`<h1 id="choice-title">${nameOf(path)} changed on the disk</h1>
      <p>${diskText === null ? "The file was deleted." : "Left is the file on the disk, right is your text."}</p>
      ${diskText === null ? nothing : html`<diff-view .oldText=${diskText} .newText=${mine}></diff-view>`}
      <div class="choice-acts">
        <button class="quiet" @click=${() => this.#done()}>Cancel</button>
        ${diskText === null ? nothing : html`<button @click=${() => this.#done(() => this.desk.ask("revert", { path }))}>Take the disk's</button>`}
        <button class="primary" autofocus @click=${() => this.#done(() => this.desk.save(path, true))}>Keep mine</button>
      </div>`;
  }

  /** @param {string} path */
  #name(path) {
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name") ?? "").trim();
      if (name) this.#done(() => this.desk.saveAs(path, this.#absolute(name)));
    };
    return html`<form @submit=${submit}>
      <h1 id="choice-title">Save as</h1>
      <label><span>Path, from ${nameOf(this.desk.folders[0] ?? "")}</span><input name="name" autofocus autocomplete="off" spellcheck="false" placeholder="src/new_file.py" /></label>
      <div class="choice-acts">
        <button type="button" class="quiet" @click=${() => this.#done()}>Cancel</button>
        <button class="primary">Save</button>
      </div>
    </form>`;
  }

  /** @param {string} name */
  #absolute(name) {
    if (/^([a-z]:)?[\\/]/i.test(name)) return name;
    const folder = this.desk.folders[0];
    return `${folder}${folder.includes("\\") ? "\\" : "/"}${name}`;
  }

  /** @param {() => unknown} [act] */
  #done(act) {
    this.question = null;
    void act?.();
  }
}

customElements.define("choice-dialog", ChoiceDialog);
