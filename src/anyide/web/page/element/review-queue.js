/** The changes that wait for a decision, by session. */

import { html, nothing, repeat } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";
import { agoOf } from "./time.js";

/** @typedef {import("../types.js").ReviewSummary} ReviewSummary */

class ReviewQueue extends DeskView {
  render() {
    const { reviews } = this.desk;
    if (!reviews.length) {
      return html`<div class="empty">
        ${icon("review")}
        <p>Nothing waits for you.</p>
        <p class="quiet-text">When Claude proposes a change it appears here. It never takes your cursor.</p>
        ${this.#notifyOffer()}
      </div>`;
    }
    return html`${[...this.#groups()].map(([session, group]) => this.#group(session, group))} ${this.#notifyOffer()}`;
  }

  #groups() {
    /** @type {Map<string, ReviewSummary[]>} */
    const groups = new Map();
    for (const review of this.desk.reviews) {
      groups.set(review.session, [...(groups.get(review.session) ?? []), review]);
    }
    return groups;
  }

  /** @param {string} id @param {ReviewSummary[]} group */
  #group(id, group) {
    const session = this.desk.sessions.find((each) => each.id === id);
    const folder = session?.folder || group[0].folder;
    const title = folder ? nameOf(folder) : "Claude Code";
    return html`<section class="queue-group" aria-label="Changes of ${title}">
      <h2>${title}${session?.version ? html` <small>Claude Code ${session.version}</small>` : nothing}</h2>
      <ul>${repeat(group, (review) => review.id, (review) => this.#entry(review))}</ul>
    </section>`;
  }

  /** @param {ReviewSummary} review */
  #entry(review) {
    const { shown } = this.desk;
    const short = this.desk.short(review.newPath || review.path);
    const name = nameOf(short);
    const isShown = shown.kind === "review" && shown.id === review.id;
    return html`<li>
      <button class="queue-entry" data-review=${review.id} aria-current=${isShown ? "true" : nothing} @click=${() => this.#choose(review.id)}>
        <span class="entry-name">${name}</span>
        <span class="entry-size">
          ${review.isNewFile ? html`<span class="chip good">new</span>` : nothing}
          <span class="hunk-added">+${review.added}</span>
          ${review.removed ? html`<span class="hunk-removed">−${review.removed}</span>` : nothing}
        </span>
        <span class="entry-place">${short.slice(0, -name.length) || "./"}</span>
        <span class="entry-time">${agoOf(review.createdAt)}</span>
      </button>
    </li>`;
  }

  #notifyOffer() {
    if (!("Notification" in window) || Notification.permission !== "default") return nothing;
    const ask = () => Notification.requestPermission().then(() => this.requestUpdate());
    return html`<p class="queue-offer"><button class="quiet" @click=${ask}>Tell me on the desktop, too</button></p>`;
  }

  /** @param {string} id */
  #choose(id) {
    this.desk.show({ kind: "review", id });
    this.dispatchEvent(new CustomEvent("chosen", { bubbles: true, detail: "review" }));
  }
}

customElements.define("review-queue", ReviewQueue);
