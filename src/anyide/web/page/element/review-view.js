/** A proposed change to decide: hunk by hunk, edited, as a whole, or refused with a reason. */

import { html, nothing } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { ReviewState } from "../text/review-state.js";
import { ReviewPane } from "../text/review-pane.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";
import { isTyping, keyOf } from "../keys.js";

const STORED_LAYOUT = "anyide.review.layout";
// Side by side needs room for two columns of code.
const NARROW = matchMedia("(max-width: 760px)");
const KEEP_DRAFT_AFTER_MS = 250;

class ReviewView extends DeskView {
  static properties = {
    ...DeskView.properties,
    review: { state: true },
    isRefusing: { state: true },
    isSending: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../types.js").Review | null} */
    this.review = null;
    /** @type {ReviewState | null} */
    this.model = null;
    /** @type {ReviewPane | null} */
    this.pane = null;
    this.isRefusing = false;
    this.isSending = false;
    this.draftTimer = 0;
    /** @type {string | null} */
    this.asked = null;
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    this.onWidth = () => this.#layOut();
    this.onHide = () => this.#keepDraft();
  }

  arrive() {
    // Before the text under it: there, Control Enter would be a new line.
    addEventListener("keydown", this.onKey, true);
    addEventListener("pagehide", this.onHide);
    NARROW.addEventListener("change", this.onWidth);
    this.on("change", () => void this.#follow());
    void this.#follow();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("keydown", this.onKey, true);
    removeEventListener("pagehide", this.onHide);
    NARROW.removeEventListener("change", this.onWidth);
    this.#leave();
  }

  get layout() {
    if (NARROW.matches || !this.model || !this.review?.oldText) return "unified";
    return localStorage.getItem(STORED_LAYOUT) ?? "split";
  }

  render() {
    const { review } = this;
    if (!review) return html`<div class="review-wait" role="status">Reading the change…</div>`;
    return html`<section class="review-page" aria-label="Review of ${this.desk.short(review.newPath)}">
      ${this.#header(review)} ${this.isRefusing ? this.#refusal() : nothing} ${this.#notes(review)}
      <div class="review-body" tabindex="-1"></div>
      <p class="review-keys" aria-hidden="true">
        <kbd>J</kbd> <kbd>K</kbd> next, previous · <kbd>A</kbd> accept · <kbd>R</kbd> reject · <kbd>Ctrl Enter</kbd> send · while
        typing with <kbd>Alt</kbd> · <kbd>?</kbd> all keys
      </p>
    </section>`;
  }

  updated() {
    if (this.review && this.model && !this.pane) this.#build();
  }

  /** @param {import("../types.js").Review} review */
  #header(review) {
    const state = this.#state();
    const short = this.desk.short(review.newPath || review.path);
    const name = nameOf(short);
    const place = short.slice(0, short.length - name.length);
    const waiting = this.desk.reviews.length;
    return html`<header class="review-head">
      <h1 tabindex="-1"><span class="review-place">${place}</span>${name}</h1>
      ${review.oldText === null ? html`<span class="chip good">New file</span>` : nothing}
      ${review.oldText && !review.newText ? html`<span class="chip bad">Emptied</span>` : nothing}
      ${review.isUnsaved ? html`<span class="chip">against your unsaved text</span>` : nothing}
      <span class="room"></span>
      ${this.#stepper(state)} ${this.#layoutSwitch()}
      <div class="review-acts">
        ${waiting > 1 ? html`<button class="quiet" @click=${() => this.desk.nextReview(review.id)}>Next of ${waiting}</button>` : nothing}
        <button class="danger" ?disabled=${this.isSending} @click=${this.#refuse}>Reject…</button>
        <button class="primary" ?disabled=${this.isSending || this.pane?.isNothingLeft} @click=${this.#accept}>${this.#acceptLabel(state)}</button>
      </div>
    </header>`;
  }

  /** @param {{placed: any[], current: number}} state */
  #stepper({ placed, current }) {
    if (!placed.length) return nothing;
    return html`<div class="stepper" role="group" aria-label="Changes">
      <button class="quiet" aria-label="Previous change" title="Previous change (K)" @click=${() => this.pane?.step(-1)}>${icon("up")}</button>
      <span aria-live="polite">${current + 1} / ${placed.length}</span>
      <button class="quiet" aria-label="Next change" title="Next change (J)" @click=${() => this.pane?.step(1)}>${icon("down")}</button>
    </div>`;
  }

  #layoutSwitch() {
    if (NARROW.matches || !this.review?.oldText) return nothing;
    const option = (/** @type {string} */ layout, /** @type {"split" | "unified"} */ name, /** @type {string} */ label) =>
      html`<button aria-pressed=${String(this.layout === layout)} aria-label=${label} title="${label} (U)" @click=${() => this.#choose(layout)}>${icon(name)}</button>`;
    return html`<div class="segments" role="group" aria-label="Layout">
      ${option("split", "split", "Side by side")}${option("unified", "unified", "Unified")}
    </div>`;
  }

  /** @param {{placed: {state: string}[]}} state */
  #acceptLabel({ placed }) {
    if (this.pane?.isNothingLeft) return "Nothing left";
    const rejected = placed.filter((hunk) => hunk.state === "rejected").length;
    if (rejected && rejected < placed.length) return `Accept ${placed.length - rejected} of ${placed.length}`;
    return this.pane?.isEdited ? "Accept as edited" : "Accept all";
  }

  #refusal() {
    return html`<form class="refusal" @submit=${this.#sendRefusal}>
      <label>
        <span>Why? It is kept in the history, and copied: paste it into the terminal to tell Claude.</span>
        <input name="reason" type="text" autocomplete="off" placeholder="optional" @keydown=${this.#refusalKey} />
      </label>
      <button type="submit" class="danger">Reject the change</button>
      <button type="button" class="quiet" @click=${() => (this.isRefusing = false)}>Cancel</button>
    </form>`;
  }

  /** @param {import("../types.js").Review} review */
  #notes(review) {
    const model = /** @type {ReviewState} */ (this.model);
    const [before, after] = [model.old, this.pane?.exact ?? model.proposed];
    if (review.oldText && before.breakName !== after.breakName && before.doc.lines > 1 && after.doc.lines > 1) {
      const canKeep = !before.odd.size;
      return html`<p class="notice" role="note">
        <span>Line ends change: ${before.breakName} → ${after.breakName}.</span>
        ${canKeep ? html`<button @click=${() => this.pane?.useBreaks(before)}>Keep ${before.breakName}</button>` : nothing}
      </p>`;
    }
    if (!model.hunks.length) {
      const what = review.oldText === null ? "The new file is empty." : "The text stays the same.";
      return html`<p class="notice" role="note"><span>${what}</span></p>`;
    }
    return nothing;
  }

  #state() {
    return this.pane?.state ?? { placed: /** @type {any[]} */ ([]), current: 0 };
  }

  async #follow() {
    const { shown } = this.desk;
    const id = shown.kind === "review" ? shown.id : null;
    if (!id || !this.desk.isConnected || id === this.review?.id || id === this.asked) return;
    this.asked = id;
    this.#leave();
    const review = await this.desk.ask("review", { id });
    if (this.asked !== id) return;
    this.asked = null;
    if (!review) {
      this.desk.leaveReview(id);
      return;
    }
    this.model = new ReviewState(review);
    this.isRefusing = false;
    this.isSending = false;
    this.review = review;
  }

  #leave() {
    this.#keepDraft();
    this.pane?.destroy();
    this.pane = null;
    this.model = null;
    this.review = null;
  }

  #build() {
    const parent = /** @type {HTMLElement} */ (this.querySelector(".review-body"));
    const model = /** @type {ReviewState} */ (this.model);
    this.pane = new ReviewPane(model, parent, this.layout);
    this.pane.addEventListener("change", () => this.#changed());
    this.pane.addEventListener("moved", () => this.requestUpdate());
    this.requestUpdate();
  }

  #layOut() {
    this.pane?.layOut(this.layout);
    this.requestUpdate();
  }

  /** @param {string} layout */
  #choose(layout) {
    localStorage.setItem(STORED_LAYOUT, layout);
    this.#layOut();
  }

  #changed() {
    this.requestUpdate();
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.#keepDraft(), KEEP_DRAFT_AFTER_MS);
  }

  #keepDraft() {
    if (!this.draftTimer || !this.pane || !this.review) return;
    clearTimeout(this.draftTimer);
    this.draftTimer = 0;
    const params = { id: this.review.id, text: this.pane.result, hunks: this.pane.decisions };
    this.desk.live.request("reviewDraft", params).catch(() => {});
  }

  #accept() {
    const { review, pane } = this;
    if (!review || !pane || this.isSending) return;
    if (pane.isNothingLeft) {
      void this.#refuse();
      return;
    }
    void this.#send("accept", { id: review.id, text: pane.result }, `${nameOf(review.newPath)}: accepted.`);
  }

  /** @param {string} method @param {{id: string, text?: string, reason?: string}} params @param {string} said */
  async #send(method, params, said) {
    this.isSending = true;
    this.desk.deciding = params.id;
    clearTimeout(this.draftTimer);
    this.draftTimer = 0;
    try {
      await this.desk.live.request(method, params);
      this.desk.say(said);
    } catch (error) {
      this.desk.say(/** @type {Error} */ (error).message, "error");
      this.desk.deciding = "";
      this.isSending = false;
      return;
    }
    this.isSending = false;
    this.desk.reviews = this.desk.reviews.filter((each) => each.id !== params.id);
    if (!this.desk.reviews.length || !this.desk.nextReview()) this.desk.leaveReview(params.id);
  }

  async #refuse() {
    this.isRefusing = true;
    await this.updateComplete;
    this.querySelector("input")?.focus();
  }

  /** @param {KeyboardEvent} event */
  #refusalKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.isRefusing = false;
    this.focusReview();
  }

  /** @param {SubmitEvent} event */
  #sendRefusal(event) {
    event.preventDefault();
    if (!this.review) return;
    const reason = new FormData(/** @type {HTMLFormElement} */ (event.target)).get("reason");
    const params = { id: this.review.id, reason: String(reason ?? "").trim() };
    // The protocol has no word for a reason: the person carries it over.
    if (params.reason) navigator.clipboard?.writeText(params.reason).catch(() => {});
    const hint = params.reason ? " Your reason is on the clipboard." : "";
    void this.#send("reject", params, `${nameOf(this.review.newPath)}: rejected.${hint}`);
  }

  focusReview() {
    /** @type {HTMLElement | null} */ (this.querySelector(".review-body"))?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { pane } = this;
    if (!pane || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const current = pane.state.current;
    /** @type {Record<string, () => void>} */
    const keys = {
      KeyJ: () => pane.step(1),
      KeyK: () => pane.step(-1),
      KeyA: () => pane.decide(current, "accepted"),
      KeyR: () => pane.decide(current, "rejected"),
      KeyU: () => !NARROW.matches && this.#choose(this.layout === "split" ? "unified" : "split"),
      KeyE: () => pane.focusHunk(),
    };
    const withControl = event.ctrlKey || event.metaKey;
    const pressed = keyOf(event);
    const act =
      withControl && pressed === "Enter"
        ? () => this.#accept()
        : withControl && pressed === "Backspace" && event.shiftKey
          ? () => void this.#refuse()
          : pressed === "Escape" && !isTyping(event)
            ? () => this.review && this.desk.leaveReview(this.review.id)
            : pressed === "Escape" && pane.hasFocus
              ? () => this.focusReview()
              : !withControl && (event.altKey || !isTyping(event))
                ? keys[pressed]
                : undefined;
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}

customElements.define("review-view", ReviewView);
