/** The files of the workspace; a folder is read when it is opened, and stays open over reloads. */

import { html, nothing, repeat } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";

/** @typedef {import("../types.js").Entry} Entry */
/** @typedef {{entry: Entry, level: number}} Row */

const STORED_OPEN = "anyide.tree.open";

class FileTree extends DeskView {
  static properties = { ...DeskView.properties, entries: { state: true }, at: { state: true } };

  constructor() {
    super();
    /** @type {Map<string, Entry[]>} */
    this.entries = new Map();
    /** @type {Set<string>} */
    this.open = new Set(JSON.parse(localStorage.getItem(STORED_OPEN) ?? "[]"));
    /** @type {string} the path that the keyboard is at */
    this.at = "";
  }

  arrive() {
    this.on("tree", (/** @type {string[]} */ paths) => this.#reread(paths));
    this.on("change", () => this.#begin());
    this.#begin();
  }

  render() {
    const rows = this.#rows();
    const at = rows.some((row) => row.entry.path === this.at) ? this.at : rows[0]?.entry.path;
    return html`<ul role="tree" aria-label="Files" @keydown=${this.#key} @click=${this.#click} @dblclick=${this.#doubleClick}>
      ${repeat(rows, (row) => row.entry.path, (row) => this.#row(row, at))}
    </ul>`;
  }

  /** @param {Row} row @param {string | undefined} at */
  #row({ entry, level }, at) {
    const isOpen = this.open.has(entry.path);
    const isShown = this.desk.shown.kind === "document" && this.desk.shown.path === entry.path;
    return html`<li
      role="treeitem"
      class="tree-row ${entry.isIgnored ? "ignored" : ""}"
      style="--level: ${level}"
      data-path=${entry.path}
      tabindex=${entry.path === at ? 0 : -1}
      aria-level=${level + 1}
      aria-expanded=${entry.isFolder ? String(isOpen) : nothing}
      aria-selected=${String(isShown)}
      title=${entry.isIgnored ? `${entry.name} (ignored by git)` : entry.name}
    >
      <span class="tree-twist">${entry.isFolder ? icon("chevron") : nothing}</span>
      <span class="tree-icon">${icon(entry.isFolder ? "files" : "file")}</span>
      <span class="tree-name">${entry.name}</span>
      ${entry.isDenied ? html`<span class="tree-lock" role="img" aria-label="never shared" title="Never shared">${icon("lock")}</span>` : nothing}
    </li>`;
  }

  /** @returns {Row[]} */
  #rows() {
    const { folders } = this.desk;
    if (folders.length === 1) return this.#under(folders[0], 0);
    return folders.flatMap((path) => {
      const root = { name: nameOf(path), path, kind: /** @type {const} */ ("folder"), isIgnored: false, isDenied: false, size: 0, isFolder: true };
      return [{ entry: root, level: 0 }, ...(this.open.has(path) ? this.#under(path, 1) : [])];
    });
  }

  /** @param {string} folder @param {number} level @returns {Row[]} */
  #under(folder, level) {
    return (this.entries.get(folder) ?? []).flatMap((entry) => [
      { entry, level },
      ...(entry.isFolder && this.open.has(entry.path) ? this.#under(entry.path, level + 1) : []),
    ]);
  }

  #begin() {
    if (!this.desk.isConnected) return;
    for (const folder of [...this.desk.folders, ...this.open]) {
      if (!this.entries.has(folder)) void this.#read(folder);
    }
  }

  /** @param {string[]} paths */
  #reread(paths) {
    for (const path of paths) if (this.entries.has(path)) void this.#read(path);
  }

  /** @param {string} folder */
  async #read(folder) {
    if (!this.entries.has(folder)) this.entries.set(folder, []);
    try {
      const { entries } = await this.desk.live.request("tree", { path: folder });
      // What git keeps for itself is nobody's file.
      this.entries.set(folder, entries.filter((/** @type {Entry} */ entry) => entry.name !== ".git"));
    } catch {
      // A folder that is gone, or a server that is away: the next word about the tree reads again.
      this.entries.delete(folder);
      this.#remember(folder, false);
    }
    this.requestUpdate();
  }

  /** @param {string} path @param {boolean} isOpen */
  #remember(path, isOpen) {
    if (isOpen) this.open.add(path);
    else this.open.delete(path);
    localStorage.setItem(STORED_OPEN, JSON.stringify([...this.open]));
  }

  /** @param {string} path @param {boolean} isOpen */
  #fold(path, isOpen) {
    this.#remember(path, isOpen);
    if (isOpen) void this.#read(path);
    this.requestUpdate();
  }

  /** @param {Event} event */
  #rowOf(event) {
    const element = /** @type {Element} */ (event.target).closest("[data-path]");
    const path = element?.getAttribute("data-path");
    return this.#rows().find((row) => row.entry.path === path);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const row = this.#rowOf(event);
    if (!row) return;
    this.at = row.entry.path;
    this.#act(row.entry, true);
  }

  /** @param {MouseEvent} event */
  #doubleClick(event) {
    const row = this.#rowOf(event);
    if (row && !row.entry.isFolder) this.#act(row.entry, false);
  }

  /** @param {Entry} entry @param {boolean} preview */
  #act(entry, preview) {
    if (entry.isFolder) this.#fold(entry.path, !this.open.has(entry.path));
    else {
      void this.desk.open(entry.path, { preview });
      this.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const rows = this.#rows();
    const index = Math.max(0, rows.findIndex((row) => row.entry.path === this.at));
    const row = rows[index];
    if (!row) return;
    const { entry, level } = row;
    const isOpen = this.open.has(entry.path);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.#go(rows[index + 1]),
      ArrowUp: () => this.#go(rows[index - 1]),
      Home: () => this.#go(rows[0]),
      End: () => this.#go(rows.at(-1)),
      ArrowRight: () => (entry.isFolder && !isOpen ? this.#fold(entry.path, true) : this.#go(rows[index + 1])),
      ArrowLeft: () =>
        entry.isFolder && isOpen
          ? this.#fold(entry.path, false)
          : this.#go(rows.slice(0, index).findLast((each) => each.level < level)),
      Enter: () => this.#act(entry, false),
      " ": () => this.#act(entry, true),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** @param {Row | undefined} row */
  async #go(row) {
    if (!row) return;
    this.at = row.entry.path;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.querySelector('[tabindex="0"]'))?.focus();
  }
}

customElements.define("file-tree", FileTree);
