/**
 * One document as this window holds it, kept the same as the server's.
 *
 * `base` is the text that the server is known to have. Edits made here go out one batch at a time;
 * edits of others are rebased under those that have not gone out. What could not be sent waits for
 * the connection: nothing that was typed is dropped.
 */

import { Annotation, ChangeSet, Transaction } from "./vendor/bundle.js";
import { ExactText, markBreak, resetBreaks } from "./text/exact.js";
import { changeBetween } from "./text/hunks.js";
import { Offline, Refused } from "./live.js";

/** @typedef {import("./types.js").DocumentMessage} DocumentMessage */
/** @typedef {{version: number, changes: import("./text/exact.js").RealChange[]}} Remote */

export const fromServer = Annotation.define();

const STALE_VERSION = 4090;

export class DocumentCopy extends EventTarget {
  /** @param {import("./live.js").Live} live @param {string} window @param {DocumentMessage} message */
  constructor(live, window, message) {
    super();
    this.live = live;
    this.window = window;
    this.path = message.path;
    this.message = message;
    this.version = message.version;
    this.isDirty = message.isDirty;
    this.diskChange = message.diskChanged ? "changed" : "";
    this.base = ExactText.parse(message.text);
    /** @type {import("./vendor/bundle.js").EditorView | null} */
    this.view = null;
    /** @type {ChangeSet | null} */
    this.sent = null;
    /** The text after `sent`: whether the server has it is not known until it answers. */
    this.afterSent = this.base;
    this.unsent = ChangeSet.empty(this.base.doc.length);
    /** @type {Remote[]} */
    this.early = [];
    this.isSynced = true;
    /** @type {(() => void)[]} */
    this.whenQuiet = [];
  }

  get isQuiet() {
    return !this.sent && this.unsent.empty && this.isSynced;
  }

  /** The text as it stands here. */
  get exact() {
    return this.view ? ExactText.of(this.view.state) : this.base;
  }

  /** Resolves when the server has all that was typed. @returns {Promise<void>} */
  settled() {
    if (this.isQuiet) return Promise.resolve();
    return new Promise((resolve) => this.whenQuiet.push(resolve));
  }

  /** @param {import("./vendor/bundle.js").ViewUpdate} update */
  edited(update) {
    for (const transaction of update.transactions) {
      if (!transaction.docChanged || transaction.annotation(fromServer)) continue;
      this.unsent = this.unsent.compose(transaction.changes);
      if (!this.isDirty) this.#say("state", () => (this.isDirty = true));
    }
    void this.flush();
  }

  async flush() {
    if (this.sent || this.unsent.empty || !this.isSynced || !this.view || !this.live.isOpen) return;
    const after = ExactText.of(this.view.state);
    this.sent = this.unsent;
    this.afterSent = after;
    this.unsent = ChangeSet.empty(after.doc.length);
    try {
      const { version } = await this.live.request("change", {
        path: this.path,
        version: this.version,
        changes: this.base.realChanges(this.sent, after),
        window: this.window,
      });
      // A text that came whole in between has taken the batch back: ask where things stand.
      if (!this.sent) return void this.resync();
      this.base = after;
      this.version = version;
      this.sent = null;
    } catch (error) {
      await this.#unsend(error);
    }
    this.#catchUp();
    void this.flush();
    this.#tellQuiet();
  }

  /** Someone else's edit. @param {Remote} remote */
  receive(remote) {
    if (remote.version <= this.version) return;
    this.early.push(remote);
    if (!this.sent) this.#catchUp();
    if (this.early.length && !this.sent) void this.resync();
  }

  /** The server has this text now, wherever it comes from. @param {string} text @param {number} version */
  replace(text, version) {
    if (version === this.version && this.isSynced) return;
    const theirs = ExactText.parse(text);
    this.#settleSent(theirs);
    const change = changeBetween(this.base.doc, theirs.doc);
    this.#rebase(change, [], theirs);
    this.version = version;
    this.early = this.early.filter((each) => each.version > version);
  }

  /** Ask for the server's text and go on from there. */
  async resync({ preview = true } = {}) {
    this.isSynced = false;
    try {
      this.#adopt(await this.live.request("open", { path: this.path, preview, focus: false }));
      this.isSynced = true;
    } catch (error) {
      if (!(error instanceof Offline)) this.#say("lost", () => {});
      return;
    }
    this.#catchUp();
    await this.flush();
    this.#tellQuiet();
  }

  /** Go on as another document, with the text that is here. @param {DocumentMessage} message */
  async moveTo(message) {
    const ours = this.exact;
    this.message = { ...message, text: "" };
    this.path = message.path;
    this.version = message.version;
    this.base = ExactText.parse(message.text);
    this.unsent = changeBetween(this.base.doc, ours.doc);
    this.sent = null;
    this.early = [];
    this.isSynced = true;
    await this.flush();
  }

  /** The connection is gone: what was under way has to be sent again. */
  disconnected() {
    this.isSynced = false;
  }

  /** @param {DocumentMessage} message */
  #adopt(message) {
    const wasDirty = this.isDirty;
    this.message = { ...message, text: "" };
    const theirs = ExactText.parse(message.text);
    if (wasDirty && !message.isDirty && !theirs.doc.eq(this.base.doc) && this.view) {
      // The server came back without text that it once had: ours stands, as an unsent edit.
      const ours = ExactText.of(this.view.state);
      this.unsent = changeBetween(theirs.doc, ours.doc);
      this.sent = null;
      this.base = theirs;
      this.version = message.version;
    } else {
      this.replace(message.text, message.version);
      this.isDirty = message.isDirty || !this.unsent.empty;
    }
    this.diskChange = message.diskChanged ? "changed" : "";
    this.dispatchEvent(new Event("state"));
  }

  /** The batch that was never answered is in the server's text, or has to go out again. @param {ExactText} theirs */
  #settleSent(theirs) {
    if (!this.sent) return;
    if (theirs.doc.eq(this.afterSent.doc)) this.base = this.afterSent;
    else this.unsent = this.sent.compose(this.unsent);
    this.sent = null;
  }

  /** @param {unknown} error */
  async #unsend(error) {
    if (error instanceof Offline) {
      this.isSynced = false;
      return;
    }
    if (this.sent) this.unsent = this.sent.compose(this.unsent);
    this.sent = null;
    if (error instanceof Refused && error.code === STALE_VERSION) {
      this.#catchUp();
      await this.resync();
      return;
    }
    this.isSynced = false;
    if (error instanceof Refused) this.dispatchEvent(new CustomEvent("refused", { detail: error }));
  }

  #catchUp() {
    for (;;) {
      const index = this.early.findIndex((each) => each.version === this.version + 1);
      if (index < 0 || this.sent) return;
      const [{ changes, version }] = this.early.splice(index, 1);
      const change = this.base.editorChanges(changes);
      this.#rebase(change.changes, change.marks, this.base.apply(change.changes, change.marks));
      this.version = version;
    }
  }

  /** @param {ChangeSet} change @param {import("./text/exact.js").Break[]} marks @param {ExactText} base */
  #rebase(change, marks, base) {
    const under = change.map(this.unsent);
    const isOther = base.newline !== this.base.newline || (!marks.length && base.odd.size > 0);
    this.unsent = this.unsent.map(change, true);
    this.base = base;
    if (!this.view || (under.empty && !isOther)) return;
    const effects = isOther
      ? [resetBreaks.of({ newline: base.newline, odd: base.odd.map(this.unsent) })]
      : marks.map(({ pos, text }) => markBreak.of({ pos: this.unsent.mapPos(pos, 1), text }));
    this.view.dispatch({
      changes: under,
      effects,
      annotations: [fromServer.of(true), Transaction.addToHistory.of(false)],
    });
  }

  /** @param {string} name @param {() => void} act */
  #say(name, act) {
    act();
    this.dispatchEvent(new Event(name));
  }

  #tellQuiet() {
    if (!this.isQuiet) return;
    for (const resolve of this.whenQuiet.splice(0)) resolve();
  }
}
