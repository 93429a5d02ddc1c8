/** The open documents, and the review that is being read. */

import { html, nothing, repeat } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";

/** @typedef {import("../types.js").Tab} Tab */

class TabRow extends DeskView {
  render() {
    const { tabs, shown } = this.desk;
    return html`<nav aria-label="Open files">
      <ul>
        ${repeat(tabs, (tab) => tab.path, (tab) => this.#tab(tab))}
        ${shown.kind === "review" ? this.#reviewTab(shown.id) : nothing}
        ${shown.kind === "decision" ? this.#decisionTab(shown.decision) : nothing}
      </ul>
      <button class="quiet" title="New file (Alt N)" aria-label="New file" @click=${() => this.desk.newDocument()}>${icon("plus")}</button>
    </nav>`;
  }

  updated() {
    this.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {Tab} tab */
  #tab(tab) {
    const { shown, copies } = this.desk;
    const isShown = shown.kind === "document" && shown.path === tab.path;
    const isDirty = copies.get(tab.path)?.isDirty ?? tab.isDirty;
    const close = () => this.desk.close(tab.path);
    return html`<li class="tab ${isShown ? "shown" : ""} ${tab.isPreview ? "preview" : ""} ${isDirty ? "dirty" : ""}" data-path=${tab.path}>
      <button
        class="tab-name"
        title=${tab.path}
        aria-current=${isShown ? "page" : nothing}
        @click=${() => this.#choose(tab.path)}
        @dblclick=${() => this.desk.live.request("pin", { path: tab.path })}
        @auxclick=${(/** @type {MouseEvent} */ event) => event.button === 1 && close()}
        @mousedown=${(/** @type {MouseEvent} */ event) => event.button === 1 && event.preventDefault()}
      >
        ${tab.isDenied ? html`<span role="img" aria-label="never shared">${icon("lock")}</span>` : nothing}
        <span>${this.#label(tab)}</span>
        ${isDirty ? html`<span class="tab-dirty" role="img" aria-label="unsaved"></span>` : nothing}
      </button>
      <button class="tab-close" aria-label="Close ${tab.label}" title="Close (Alt W)" @click=${close}>${icon("close")}</button>
    </li>`;
  }

  /** @param {string} path */
  #choose(path) {
    this.desk.toFocus = path;
    void this.desk.activate(path);
  }

  /** A name that two tabs share is told with its folder. @param {Tab} tab */
  #label(tab) {
    const isAlone = this.desk.tabs.filter((each) => each.label === tab.label).length === 1;
    if (isAlone) return tab.label;
    return html`${tab.label} <small>${nameOf(tab.path.slice(0, -nameOf(tab.path).length))}</small>`;
  }

  /** @param {string} id */
  #reviewTab(id) {
    const review = this.desk.reviews.find((each) => each.id === id);
    const label = review ? nameOf(review.newPath || review.path) : "Review";
    return html`<li class="tab shown review">
      <button class="tab-name" aria-current="page" title="Review of ${label}">${icon("review")}<span>${label}</span></button>
      <button class="tab-close" aria-label="Decide later" title="Decide later (Escape)" @click=${() => this.desk.leaveReview(id)}>${icon("close")}</button>
    </li>`;
  }

  /** @param {import("../types.js").Decision} decision */
  #decisionTab(decision) {
    return html`<li class="tab shown review">
      <button class="tab-name" aria-current="page">${icon("clock")}<span>${nameOf(decision.path)}</span></button>
      <button class="tab-close" aria-label="Close" @click=${() => this.desk.show(this.desk.shownBefore)}>${icon("close")}</button>
    </li>`;
  }
}

customElements.define("tab-row", TabRow);
