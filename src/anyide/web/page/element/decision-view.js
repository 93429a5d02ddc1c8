/** One decision of the past with its diff. */

import { html, nothing } from "../vendor/bundle.js";
import { DeskView } from "./desk-view.js";
import { saidOf } from "./decision-history.js";
import { agoOf } from "./time.js";
import "./diff-view.js";

class DecisionView extends DeskView {
  render() {
    const { shown } = this.desk;
    if (shown.kind !== "decision") return nothing;
    const { decision } = shown;
    if (decision.isCut) {
      return html`<div class="thing"><p><strong>${this.desk.short(decision.path)}</strong>: ${saidOf(decision)}.</p><p>Its texts were too long to be kept.</p></div>`;
    }
    const after = decision.finalText ?? decision.proposedText;
    return html`<section class="review-page" aria-label="Decision">
      <header class="review-head">
        <h1>${this.desk.short(decision.path)}</h1>
        <span class="chip ${decision.verdict === "accepted" ? "good" : "bad"}">${saidOf(decision)}</span>
        <span class="quiet-text">${agoOf(decision.at)}</span>
        <span class="room"></span>
        <button class="quiet" @click=${() => this.desk.open(decision.path)}>Open the file</button>
      </header>
      <diff-view class="review-body" .oldText=${decision.oldText ?? ""} .newText=${after}></diff-view>
    </section>`;
  }
}

customElements.define("decision-view", DecisionView);
