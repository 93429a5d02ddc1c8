/** The document that is shown: its text to edit, or what it is when it is no text. */

import {
  EditorState,
  EditorView,
  Prec,
  html,
  indentWithTab,
  keymap,
  lintGutter,
  nothing,
  setDiagnostics,
} from "../vendor/bundle.js";
import { fromServer } from "../copy.js";
import { takeParting } from "../parting.js";
import { highlightingOf } from "../text/language.js";
import { editing, folding } from "../text/setup.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";

/** @typedef {import("../copy.js").DocumentCopy} DocumentCopy */

// The server is told of the selection at most this often.
const SELECT_EVERY_MS = 30;

class TextEditor extends DeskView {
  constructor() {
    super();
    /** @type {DocumentCopy | undefined} */
    this.mounted = undefined;
    /** @type {{path: string, from: number, to: number} | null} a place to show as soon as its document is there */
    this.wanted = null;
    this.selectTimer = 0;
  }

  arrive() {
    this.on("reveal", (place) => {
      this.wanted = place;
      this.requestUpdate();
    });
    this.on("problems", (path) => this.#mark(this.desk.copies.get(path)));
  }

  render() {
    const copy = this.desk.copy;
    return html`
      ${copy ? this.#notices(copy) : nothing}
      <div class="editor-views" ?hidden=${copy?.message.kind !== "text"}></div>
      ${copy && copy.message.kind !== "text" ? this.#thing(copy) : nothing}
    `;
  }

  updated() {
    const copy = this.desk.copy;
    const parent = /** @type {HTMLElement} */ (this.querySelector(".editor-views"));
    for (const dom of parent.children) {
      if (dom !== copy?.view?.dom) /** @type {HTMLElement} */ (dom).hidden = true;
    }
    if (copy?.message.kind === "text") this.#mount(copy, parent);
    this.mounted = copy;
    this.#reveal();
    if (copy && this.desk.toFocus === copy.path) {
      this.desk.toFocus = "";
      copy.view?.focus();
    }
  }

  /** @param {DocumentCopy} copy @param {HTMLElement} parent */
  #mount(copy, parent) {
    if (!copy.view) {
      copy.view = new EditorView({ state: this.#state(copy), parent });
      this.#mark(copy);
      takeParting(copy);
    }
    copy.view.dom.hidden = false;
    if (this.mounted === copy) return;
    copy.view.requestMeasure();
    // Choosing a file means writing in it, but a person who looks through the tree stays there.
    const focused = document.activeElement;
    if (!focused || focused === document.body || focused.closest("tab-row")) copy.view.focus();
    this.#tellSelection(copy);
  }

  /** @param {DocumentCopy} copy */
  #state(copy) {
    const { message, base } = copy;
    const selection = message.selection;
    return EditorState.create({
      doc: base.doc,
      selection: selection
        ? { anchor: base.fromReal(selection.from), head: base.fromReal(selection.to) }
        : undefined,
      extensions: [
        base.extension,
        editing,
        folding,
        lintGutter(),
        highlightingOf(message.languageId, base.doc.length),
        Prec.low(keymap.of([indentWithTab])),
        EditorState.readOnly.of(message.isReadOnly),
        EditorView.contentAttributes.of({ "aria-label": `Text of ${this.desk.short(copy.path)}`, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) copy.edited(update);
          const isOwn = !update.transactions.some((each) => each.annotation(fromServer));
          if ((update.selectionSet && isOwn) || update.docChanged) this.#tellSelection(copy);
          if (update.selectionSet || update.docChanged) this.dispatchEvent(new CustomEvent("cursor", { bubbles: true }));
        }),
      ],
    });
  }

  /** @param {DocumentCopy} copy */
  #tellSelection(copy) {
    if (this.selectTimer) return;
    this.selectTimer = setTimeout(async () => {
      this.selectTimer = 0;
      // Offsets mean something only in the text that the server has.
      await copy.settled();
      if (copy !== this.desk.copy || !copy.view) return;
      const { from, to } = copy.view.state.selection.main;
      const { exact } = copy;
      this.desk.live
        .request("select", { path: copy.path, from: exact.toReal(from), to: exact.toReal(to) })
        .catch(() => {});
    }, SELECT_EVERY_MS);
  }

  #reveal() {
    const copy = this.desk.copy;
    if (!this.wanted || copy?.path !== this.wanted.path || !copy.view) return;
    const { from, to } = this.wanted;
    this.wanted = null;
    const { exact } = copy;
    const anchor = exact.fromReal(from);
    const head = exact.fromReal(to);
    copy.view.dispatch({
      selection: { anchor, head },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
    });
  }

  /** @param {DocumentCopy | undefined} copy */
  #mark(copy) {
    if (!copy?.view) return;
    const { state } = copy.view;
    const problems = this.desk.problems.get(copy.path) ?? [];
    const marks = problems.map(({ message, severity, range, source }) => ({
      from: offsetOf(state, range.start),
      to: Math.max(offsetOf(state, range.start), offsetOf(state, range.end)),
      message,
      severity,
      source: source || undefined,
    }));
    copy.view.dispatch(setDiagnostics(state, marks));
  }

  /** @param {DocumentCopy} copy */
  #notices(copy) {
    const { message } = copy;
    const name = this.desk.short(copy.path);
    if (copy.diskChange) return this.#conflictNotice(copy, name);
    if (message.isDenied) {
      return html`<p class="notice" role="note">${icon("lock")}<span>This file is never shared with Claude: a rule of yours denies it.</span></p>`;
    }
    if (message.isReadOnly && message.kind === "text") {
      return html`<p class="notice" role="note">${icon("lock")}<span>This file can only be read.</span></p>`;
    }
    return nothing;
  }

  /** @param {DocumentCopy} copy @param {string} name */
  #conflictNotice(copy, name) {
    const { path } = copy;
    const isDeleted = copy.diskChange === "deleted";
    const what = isDeleted ? "was deleted on the disk" : "changed on the disk";
    return html`<div class="notice warn" role="alert">
      ${icon("problem")}
      <span><strong>${name}</strong> ${what} while you have unsaved changes.</span>
      <span class="notice-acts">
        ${isDeleted
          ? html`<button @click=${() => this.desk.save(path, true)}>Write it again</button>
              <button @click=${() => this.desk.close(path, true)}>Close it</button>`
          : html`<button @click=${() => this.desk.save(path)}>Compare</button>
              <button @click=${() => this.desk.save(path, true)}>Keep mine</button>
              <button @click=${() => this.desk.ask("revert", { path })}>Take the disk's</button>`}
      </span>
    </div>`;
  }

  /** @param {DocumentCopy} copy */
  #thing({ path, message }) {
    const name = this.desk.short(path);
    const source = `/raw?path=${encodeURIComponent(path)}`;
    if (message.kind === "image") {
      return html`<figure class="thing"><img src=${source} alt=${name} /><figcaption>${name} · ${sizeOf(message.size)}</figcaption></figure>`;
    }
    const why = message.kind === "tooBig" ? "is too big to be edited here" : "is not a text";
    return html`<div class="thing"><p><strong>${name}</strong> ${why}.</p><p>${sizeOf(message.size)}</p></div>`;
  }
}

/** @param {EditorState} state @param {import("../types.js").Position} position */
function offsetOf({ doc }, { line, character }) {
  if (line >= doc.lines) return doc.length;
  const { from, to } = doc.line(line + 1);
  return Math.min(from + character, to);
}

/** @param {number} bytes */
function sizeOf(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  let unit = 0;
  while (bytes >= 1000 && unit < 3) (bytes /= 1000), unit++;
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}

customElements.define("text-editor", TextEditor);
