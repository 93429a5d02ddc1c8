/**
 * What is on this window's desk: what the server told, which documents are held open, what is shown.
 *
 * Elements read it and call it; it says "change" when something of it is another one now.
 */

import { DocumentCopy } from "./copy.js";
import { TOLD } from "./told.js";

/** @typedef {import("./types.js").Tab} Tab */
/** @typedef {import("./types.js").Welcome} Welcome */
/** @typedef {import("./types.js").Decision} Decision */
/** @typedef {import("./types.js").DocumentMessage} DocumentMessage */
/** @typedef {{kind: "nothing"} | {kind: "document", path: string} | {kind: "review", id: string}
 *   | {kind: "decision", decision: Decision}} Shown */

const STORED_VIEW = "anyide.shown";

export class Desk extends EventTarget {
  /** @param {import("./live.js").Live} live */
  constructor(live) {
    super();
    this.live = live;
    this.window = crypto.randomUUID();
    this.isConnected = false;
    this.isExpired = false;
    this.hasBegun = false;
    this.version = "";
    this.name = "";
    /** @type {string[]} */
    this.folders = [];
    this.claude = { found: false, line: "" };
    /** @type {import("./types.js").Sharing} */
    this.sharing = { paused: false, path: null, lines: 0, isDenied: false };
    /** @type {import("./types.js").Session[]} */
    this.sessions = [];
    /** @type {Tab[]} */
    this.tabs = [];
    /** @type {import("./types.js").ReviewSummary[]} */
    this.reviews = [];
    /** @type {Map<string, import("./types.js").Diagnostic[]>} */
    this.problems = new Map();
    /** @type {import("./types.js").Draft[]} */
    this.drafts = [];
    /** @type {Map<string, DocumentCopy>} */
    this.copies = new Map();
    /** @type {Shown} */
    this.shown = { kind: "nothing" };
    /** @type {Shown} */
    this.shownBefore = { kind: "nothing" };
    /** The review whose decision is on its way from this window. */
    this.deciding = "";
    /** The document to write in as soon as it is drawn. */
    this.toFocus = "";
    live.addEventListener("open", () => void this.#begin());
    live.addEventListener("closed", () => this.#disconnected());
    live.addEventListener("expired", () => this.set({ isExpired: true }));
    live.addEventListener("told", (event) => {
      const { method, params } = /** @type {CustomEvent} */ (event).detail;
      TOLD[method]?.(this, params);
    });
  }

  /** The document that is shown, if one is. */
  get copy() {
    return this.shown.kind === "document" ? this.copies.get(this.shown.path) : undefined;
  }

  /** What is being worked on: the folders, by their names. */
  get title() {
    return this.folders.map(nameOf).join(", ") || this.name || "anyide";
  }

  /** A path as a person wants to read it. @param {string} path */
  short(path) {
    for (const folder of this.folders) {
      if (path.startsWith(folder) && /[\\/]/.test(path[folder.length] ?? "")) {
        const inside = path.slice(folder.length + 1);
        return this.folders.length > 1 ? `${nameOf(folder)}/${inside}` : inside;
      }
    }
    return path;
  }

  /** Ask the server; what it refuses is shown. @param {string} method @param {object} [params] @returns {Promise<any>} */
  async ask(method, params = {}) {
    try {
      return await this.live.request(method, params);
    } catch (error) {
      this.say(/** @type {Error} */ (error).message, "error");
      return undefined;
    }
  }

  /** @param {string} text @param {"info" | "error" | "review"} [tone] @param {{label: string, act: () => void}} [action] */
  say(text, tone = "info", action) {
    this.dispatchEvent(new CustomEvent("toast", { detail: { text, tone, action } }));
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }

  /** @param {Shown} shown */
  show(shown) {
    if (shown.kind !== "review" || this.shown.kind !== "review") this.shownBefore = this.shown;
    this.shown = shown;
    const kept = shown.kind === "decision" ? { kind: "nothing" } : shown;
    sessionStorage.setItem(STORED_VIEW, JSON.stringify(kept));
    this.changed();
  }

  /** Open a file and show it. @param {string} path @param {{preview?: boolean}} [how] */
  async open(path, { preview = false } = {}) {
    this.toFocus = preview ? "" : path;
    const held = this.copies.get(path);
    if (held && this.tabs.some((tab) => tab.path === path)) {
      if (!preview) void this.live.request("pin", { path }).catch(() => {});
      this.#activate(path);
      return held;
    }
    const message = await this.ask("open", { path, preview });
    return message && this.#take(message);
  }

  async newDocument() {
    const message = await this.ask("newDocument");
    return message && this.#take(message);
  }

  async reopen() {
    const message = await this.ask("reopen");
    if (message?.path) this.#take(message);
  }

  /** @param {string} path */
  async activate(path) {
    if (this.copies.has(path)) this.#activate(path);
    else await this.open(path, { preview: this.tabs.find((tab) => tab.path === path)?.isPreview });
  }

  /** Close a document; a dirty one is asked about first. @param {string} path @param {boolean} [discard] */
  async close(path, discard = false) {
    await this.copies.get(path)?.settled();
    const answer = await this.ask("close", { path, discard });
    if (answer?.needsDecision) {
      this.dispatchEvent(new CustomEvent("unsaved", { detail: { path } }));
    }
  }

  /** Save a document; "conflict" is said when the file changed meanwhile. @param {string} path @param {boolean} [overwrite] */
  async save(path, overwrite = false) {
    const copy = this.copies.get(path);
    if (!copy) return false;
    if (copy.message.isUntitled) {
      this.dispatchEvent(new CustomEvent("name-wanted", { detail: { path } }));
      return false;
    }
    if (!this.isConnected) {
      this.say("Not saved yet: the server is away. Your text is kept here until it is back.", "error");
      return false;
    }
    await copy.settled();
    const answer = await this.ask("save", { path, overwrite });
    if (answer?.conflict) {
      this.dispatchEvent(new CustomEvent("conflict", { detail: { path, diskText: answer.conflict.diskText } }));
    }
    return Boolean(answer?.saved);
  }

  /** @param {string} path @param {string} target */
  async saveAs(path, target) {
    await this.copies.get(path)?.settled();
    const message = await this.ask("saveAs", { path, target });
    if (!message) return;
    this.copies.get(path)?.view?.destroy();
    this.copies.delete(path);
    this.#take(message);
  }

  /** Mention the shown document or its selected lines. @param {string} [session] */
  async mention(session) {
    const copy = this.copy;
    if (!copy) return;
    /** @type {{path: string, session?: string, lineStart?: number, lineEnd?: number}} */
    const params = { path: copy.path, session };
    const selection = copy.view?.state.selection.main;
    if (copy.view && selection && !selection.empty) {
      const doc = copy.view.state.doc;
      params.lineStart = doc.lineAt(selection.from).number - 1;
      params.lineEnd = doc.lineAt(selection.to).number - 1;
    }
    try {
      await this.live.request("mention", params);
    } catch (error) {
      this.say(/** @type {Error} */ (error).message, "error");
      return;
    }
    const lines = params.lineStart === undefined ? "" : `, lines ${params.lineStart + 1}–${(params.lineEnd ?? 0) + 1},`;
    this.say(`${this.short(copy.path)}${lines} mentioned to Claude.`);
  }

  /** Show the next review that waits, if any. @param {string} [after] the id of the present one */
  nextReview(after) {
    const index = this.reviews.findIndex((review) => review.id === after);
    const next = this.reviews[(index + 1) % this.reviews.length];
    if (next) this.show({ kind: "review", id: next.id });
    return Boolean(next);
  }

  /** Leave a review, decided or not. @param {string} id */
  leaveReview(id) {
    if (this.shown.kind !== "review" || this.shown.id !== id) return;
    const back = this.shownBefore;
    const isThere = back.kind === "document" && this.tabs.some((tab) => tab.path === back.path);
    if (isThere) this.show(back);
    else this.#showSomething();
  }

  /** @param {string} path */
  #activate(path) {
    this.show({ kind: "document", path });
    void this.live.request("activate", { path }).catch(() => {});
  }

  /** @param {DocumentMessage} message */
  #take(message) {
    const copy = this.#hold(message);
    this.show({ kind: "document", path: message.path });
    return copy;
  }

  /** @param {DocumentMessage} message */
  #hold(message) {
    const held = this.copies.get(message.path);
    if (held) return held;
    const copy = new DocumentCopy(this.live, this.window, message);
    for (const name of ["state", "refused"]) copy.addEventListener(name, () => this.changed());
    copy.addEventListener("refused", (event) => {
      this.say(/** @type {CustomEvent} */ (event).detail.message, "error");
    });
    copy.addEventListener("lost", () => void this.#rescue(copy));
    this.copies.set(message.path, copy);
    return copy;
  }

  async #begin() {
    /** @type {Welcome | null} */
    const welcome = await this.live.request("hello", { window: this.window }).catch(() => null);
    // The connection broke again: the next one begins anew.
    if (!welcome) return;
    const before = this.tabs;
    Object.assign(this, {
      isConnected: true,
      isExpired: false,
      version: welcome.version,
      name: welcome.name,
      folders: welcome.folders,
      claude: welcome.claude,
      sharing: welcome.sharing,
      sessions: welcome.sessions,
      tabs: welcome.tabs,
      reviews: welcome.reviews,
      drafts: welcome.drafts,
      problems: new Map(welcome.problems.map((each) => [each.path, each.diagnostics])),
    });
    await this.#resume(welcome, before);
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    if (isFirst) await this.#restore(welcome.active);
    else if (this.shown.kind === "review") this.#dropEnded();
    this.changed();
  }

  /** Bring what was open before the connection broke up to date. @param {Welcome} welcome @param {Tab[]} before */
  async #resume(welcome, before) {
    for (const { path, isPreview: preview } of before) {
      const copy = this.copies.get(path);
      if (copy) {
        await this.#takeDraft(copy);
        await copy.resync({ preview });
      } else if (!welcome.tabs.some((tab) => tab.path === path)) {
        await this.live.request("open", { path, preview, focus: false }).catch(() => {});
      }
    }
  }

  /** What the server kept of a text over its restart comes back by itself where the text is open. @param {DocumentCopy} copy */
  async #takeDraft(copy) {
    const { path } = copy;
    if (!this.drafts.some((draft) => draft.path === path)) return;
    const taken = await this.live.request("takeDraft", { path }).catch(() => undefined);
    this.drafts = this.drafts.filter((draft) => draft.path !== path);
    if (taken && taken.path !== path) this.#rename(copy, taken.path);
  }

  /** A document that cannot be opened again: its unsaved text goes on without a file. @param {DocumentCopy} copy */
  async #rescue(copy) {
    const { path } = copy;
    if (!copy.isDirty || !copy.view) {
      copy.view?.destroy();
      this.copies.delete(path);
      if (this.shown.kind === "document" && this.shown.path === path) this.#showSomething();
      return;
    }
    const message = await this.ask("newDocument");
    if (!message) return;
    this.#rename(copy, message.path);
    await copy.moveTo(message);
    this.say(`${this.short(path)} is gone; your text of it is kept without a name.`);
    this.changed();
  }

  /** An untitled text has another name after a restart. @param {DocumentCopy} copy @param {string} path */
  #rename(copy, path) {
    this.copies.delete(copy.path);
    if (this.shown.kind === "document" && this.shown.path === copy.path) this.shown = { kind: "document", path };
    copy.path = path;
    this.copies.set(path, copy);
  }

  #dropEnded() {
    const shown = this.shown;
    if (shown.kind !== "review" || this.reviews.some((review) => review.id === shown.id)) return;
    this.say("This change was decided elsewhere.");
    this.leaveReview(shown.id);
  }

  /** What was shown before a reload. @param {string | null} active */
  async #restore(active) {
    /** @type {Shown} */
    const kept = JSON.parse(sessionStorage.getItem(STORED_VIEW) ?? '{"kind": "nothing"}');
    if (kept.kind === "review" && this.reviews.some((review) => review.id === kept.id)) {
      this.show(kept);
    } else if (kept.kind === "document" && this.tabs.some((tab) => tab.path === kept.path)) {
      await this.activate(kept.path);
    } else if (active) await this.activate(active);
    else this.#showSomething();
  }

  /** What stands there when nothing was chosen: a document, else a review, else the welcome. */
  #showSomething() {
    const tab = this.tabs.at(-1);
    if (tab) void this.activate(tab.path);
    else if (this.reviews.length) this.nextReview();
    else this.show({ kind: "nothing" });
  }

  #disconnected() {
    this.isConnected = false;
    for (const copy of this.copies.values()) copy.disconnected();
    this.changed();
  }

  /** @param {Partial<Desk>} values */
  set(values) {
    Object.assign(this, values);
    this.changed();
  }

  /** @param {Tab[]} tabs @param {string | null} active */
  tabsAre(tabs, active) {
    this.tabs = tabs;
    const open = new Set(tabs.map((tab) => tab.path));
    for (const [path, copy] of this.copies) {
      // What the server does not have yet is not closed by it.
      if (open.has(path) || !copy.isSynced) continue;
      copy.view?.destroy();
      this.copies.delete(path);
    }
    if (this.shown.kind === "document" && !this.copies.has(this.shown.path) && !open.has(this.shown.path)) {
      if (active && open.has(active)) void this.activate(active);
      else this.#showSomething();
    }
    this.changed();
  }

  /** @param {{path: string, from: number, to: number, focus: boolean}} params */
  async reveal({ path, from, to, focus }) {
    const isShown = this.shown.kind === "document" && this.shown.path === path;
    if (!focus && !isShown) return;
    // A review that is being read stays where it is: the file waits in its tab.
    if (this.shown.kind === "review") return;
    const message = this.copies.get(path) ?? (await this.live.request("open", { path, preview: true, focus: false }).catch(() => undefined));
    if (!message) return;
    if (!(message instanceof DocumentCopy)) this.#hold(message);
    this.show({ kind: "document", path });
    this.dispatchEvent(new CustomEvent("reveal", { detail: { path, from, to } }));
  }
}

/** @param {string} path */
export function nameOf(path) {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
