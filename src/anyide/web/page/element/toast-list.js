/** Short words at the edge of the page; they never take the focus and go by themselves. */

import { html, nothing, repeat } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";

const STAY_MS = 6000;
/** @type {Record<string, string>} */
const ENDS = {
  editor: "was decided in another window.",
  terminal: "was decided in the terminal.",
  replaced: "was replaced by a newer proposal.",
  gone: "ended: its session is gone.",
};

/** @typedef {{id: number, text: string, tone: string, action?: {label: string, act: () => void}}} Toast */

class ToastList extends DeskView {
  constructor() {
    super();
    /** @type {Toast[]} */
    this.toasts = [];
    this.lastId = 0;
  }

  arrive() {
    this.on("change", () => this.desk.shown.kind === "review" && this.#forget("review"));
    this.on("toast", (toast) => this.#add(toast));
    this.on("review", (/** @type {import("../types.js").ReviewSummary} */ review) => {
      // Who is reviewing sees the queue grow; no word is needed.
      if (this.desk.shown.kind === "review") return;
      this.#add({
        text: `Claude proposes a change of ${nameOf(review.newPath || review.path)}.`,
        tone: "review",
        action: { label: "Review", act: () => this.desk.show({ kind: "review", id: review.id }) },
      });
    });
    this.on("review-ended", ({ by, path, id }) => {
      if (ENDS[by] && this.desk.deciding !== id) this.#add({ text: `The change of ${nameOf(path ?? "a file")} ${ENDS[by]}`, tone: "info" });
    });
  }

  render() {
    return html`<div class="toasts" role="status" aria-live="polite">
      ${repeat(this.toasts, (toast) => toast.id, (toast) => this.#toast(toast))}
    </div>`;
  }

  /** @param {Toast} toast */
  #toast({ id, text, tone, action }) {
    const act = () => {
      action?.act();
      this.#remove(id);
    };
    return html`<div class="toast ${tone}">
      <span>${text}</span>
      ${action ? html`<button @click=${act}>${action.label}</button>` : nothing}
      <button class="quiet" aria-label="Dismiss" @click=${() => this.#remove(id)}>${icon("close")}</button>
    </div>`;
  }

  /** @param {Omit<Toast, "id">} toast */
  #add(toast) {
    const id = ++this.lastId;
    this.toasts = [...this.toasts.slice(-3), { ...toast, id }];
    setTimeout(() => this.#remove(id), STAY_MS);
    this.requestUpdate();
  }

  /** @param {string} tone */
  #forget(tone) {
    this.toasts = this.toasts.filter((toast) => toast.tone !== tone);
    this.requestUpdate();
  }

  /** @param {number} id */
  #remove(id) {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
    this.requestUpdate();
  }
}

customElements.define("toast-list", ToastList);
