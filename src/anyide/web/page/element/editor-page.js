/** The whole page: panel, tabs, what is shown, bar; and the keys that work everywhere. */

import { html, nothing } from "../vendor/bundle.js";
import { isTyping, keyOf } from "../keys.js";
import { DeskView } from "./desk-view.js";
import "./choice-dialog.js";
import "./decision-view.js";
import "./draft-offer.js";
import "./key-list.js";
import "./quick-open.js";
import "./review-view.js";
import "./session-bar.js";
import "./side-panel.js";
import "./tab-row.js";
import "./text-editor.js";
import "./toast-list.js";
import "./welcome-view.js";

const REGIONS = ["side-panel .part", "tab-row button", ".review-body, .cm-content", "session-bar summary"];

class EditorPage extends DeskView {
  static properties = { ...DeskView.properties, isPanelOpen: { state: true } };

  constructor() {
    super();
    this.isPanelOpen = false;
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
  }

  arrive() {
    addEventListener("keydown", this.onKey);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("keydown", this.onKey);
  }

  render() {
    const { desk } = this;
    const { kind } = desk.shown;
    return html`<div
      class="page ${this.isPanelOpen ? "panel-open" : ""}"
      @part=${this.#part}
      @chosen=${this.#chosen}
      @keys=${() => this.#keys()}
      @next-review=${() => this.#nextReview()}
      @cursor=${() => this.#element("session-bar").requestUpdate()}
    >
      <side-panel .desk=${desk}></side-panel>
      <main aria-busy=${String(!desk.hasBegun)}>
        <tab-row .desk=${desk}></tab-row>
        ${this.#absence()}
        <draft-offer .desk=${desk}></draft-offer>
        <text-editor .desk=${desk} ?hidden=${kind !== "document"}></text-editor>
        ${kind === "review" ? html`<review-view .desk=${desk}></review-view>` : nothing}
        ${kind === "decision" ? html`<decision-view .desk=${desk}></decision-view>` : nothing}
        ${kind === "nothing" && desk.hasBegun ? html`<welcome-view .desk=${desk}></welcome-view>` : nothing}
      </main>
      <session-bar .desk=${desk}></session-bar>
      <quick-open .desk=${desk}></quick-open>
      <key-list></key-list>
      <choice-dialog .desk=${desk}></choice-dialog>
      <toast-list .desk=${desk}></toast-list>
    </div>`;
  }

  #absence() {
    const { isConnected, isExpired, hasBegun } = this.desk;
    if (isConnected || !(hasBegun || isExpired)) return nothing;
    const said = isExpired
      ? "The server no longer knows this page. Run anyide in the folder again: it prints a new link."
      : "The server is away. What you type is kept here and sent when it is back.";
    return html`<p class="notice warn" role="alert"><span>${said}</span></p>`;
  }

  /** @param {string} name @returns {any} */
  #element(name) {
    return this.querySelector(name);
  }

  /** On a phone the panel covers the text: choosing a part opens it, choosing it again closes it. @param {CustomEvent} event */
  #part({ detail }) {
    this.isPanelOpen = !(this.isPanelOpen && detail.isSame);
  }

  /** @param {CustomEvent} event */
  async #chosen({ detail }) {
    this.isPanelOpen = false;
    if (detail !== "review") return;
    await this.updateComplete;
    const review = this.#element("review-view");
    await review?.updateComplete;
    setTimeout(() => review?.focusReview(), 100);
  }

  #keys() {
    this.#element("key-list").show();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const act = this.#actOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {KeyboardEvent} event @returns {(() => unknown) | undefined} */
  #actOf(event) {
    const pressed = keyOf(event);
    if (pressed === "F1" || (pressed === "?" && !isTyping(event))) return () => this.#keys();
    if (pressed === "F6") return () => this.#nextRegion(event.shiftKey ? -1 : 1);
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      if (pressed === "KeyP") return () => this.#element("quick-open").show();
      if (pressed === "KeyS") return () => this.#save();
    }
    return event.altKey && !event.ctrlKey && !event.metaKey ? this.#altKey(pressed, event.shiftKey) : undefined;
  }

  /** @param {string} pressed @param {boolean} withShift @returns {(() => unknown) | undefined} */
  #altKey(pressed, withShift) {
    const { desk } = this;
    if (withShift) return pressed === "KeyT" ? () => desk.reopen() : undefined;
    /** @type {Record<string, () => unknown>} */
    const keys = {
      KeyM: () => this.#element("session-bar").mention(),
      KeyN: () => desk.newDocument(),
      KeyQ: () => this.#nextReview(),
      KeyS: () => this.#element("session-bar").pause(),
      KeyW: () => desk.copy && desk.close(desk.copy.path),
      PageDown: () => this.#step(1),
      PageUp: () => this.#step(-1),
    };
    const digit = /^(?:Digit)?([1-4])$/.exec(pressed);
    return digit ? () => this.#element("side-panel").choose(Number(digit[1]) - 1) : keys[pressed];
  }

  #save() {
    const { copy } = this.desk;
    return copy && this.desk.save(copy.path);
  }

  #nextReview() {
    const { shown } = this.desk;
    this.desk.nextReview(shown.kind === "review" ? shown.id : undefined);
    void this.#chosen(new CustomEvent("chosen", { detail: "review" }));
  }

  /** @param {1 | -1} by */
  #step(by) {
    const { tabs, copy } = this.desk;
    const index = tabs.findIndex((tab) => tab.path === copy?.path);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    return next && this.desk.activate(next.path);
  }

  /** @param {1 | -1} by */
  #nextRegion(by) {
    const regions = REGIONS.map((each) =>
      [.../** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(each))].find((element) => element.checkVisibility()),
    );
    const at = regions.findIndex((_, index) => document.activeElement?.matches(REGIONS[index]));
    for (let step = 1; step <= regions.length; step++) {
      const region = regions[(at + by * step + 2 * regions.length) % regions.length];
      if (region) {
        region.focus();
        return;
      }
    }
  }
}

customElements.define("editor-page", EditorPage);
