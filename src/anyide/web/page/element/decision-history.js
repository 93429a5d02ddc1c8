/** The last hundred decisions, newest first; each leads to its diff. */

import { html, nothing } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";
import { agoOf } from "./time.js";

const LIMIT = 100;
const SIGNS = { accepted: "check", rejected: "cross", withdrawn: "clock" };

class DecisionHistory extends DeskView {
  static properties = { ...DeskView.properties, decisions: { state: true } };

  constructor() {
    super();
    /** @type {import("../types.js").Decision[] | null} */
    this.decisions = null;
  }

  arrive() {
    this.on("review-ended", () => void this.#read());
    void this.#read();
  }

  render() {
    if (!this.decisions) return nothing;
    if (!this.decisions.length) {
      return html`<div class="empty">${icon("clock")}<p>No decisions yet.</p></div>`;
    }
    return html`<ul class="decisions" aria-label="Decisions">${this.decisions.map((each) => this.#entry(each))}</ul>`;
  }

  /** @param {import("../types.js").Decision} decision */
  #entry(decision) {
    const { shown } = this.desk;
    const short = this.desk.short(decision.path);
    const isShown = shown.kind === "decision" && shown.decision.id === decision.id;
    return html`<li>
      <button class="queue-entry" aria-current=${isShown ? "true" : nothing} @click=${() => this.#choose(decision)}>
        <span class="entry-name">
          <span class="verdict ${decision.verdict}">${icon(/** @type {any} */ (SIGNS[decision.verdict]))}</span>${nameOf(short)}
        </span>
        <span class="entry-time">${agoOf(decision.at)}</span>
        <span class="entry-place">${saidOf(decision)}</span>
      </button>
    </li>`;
  }

  async #read() {
    if (!this.desk.isConnected) return;
    const answer = await this.desk.live.request("history", { limit: LIMIT }).catch(() => null);
    this.decisions = answer?.decisions ?? answer ?? this.decisions;
  }

  /** @param {import("../types.js").Decision} decision */
  #choose(decision) {
    this.desk.show({ kind: "decision", decision });
    this.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
  }
}

/** @param {import("../types.js").Decision} decision */
export function saidOf({ verdict, cause, reason, finalText, proposedText }) {
  if (verdict === "accepted") return finalText === proposedText ? "accepted" : "accepted with changes";
  if (verdict === "rejected") return reason ? `rejected: ${reason}` : "rejected";
  return cause === "closed-by-cli" ? "decided in the terminal" : "withdrawn";
}

customElements.define("decision-history", DecisionHistory);
