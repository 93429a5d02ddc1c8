/** An element that shows something of the desk: drawn again when the desk says so. */

import { LitElement } from "../vendor/bundle.js";

export class DeskView extends LitElement {
  static properties = { desk: { attribute: false } };

  constructor() {
    super();
    /** @type {import("../desk.js").Desk} */
    this.desk = /** @type {any} */ (undefined);
    /** @type {[string, (event: Event) => void][]} */
    this.listening = [];
  }

  // The page's one style sheet and its ARIA references reach into every element.
  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.on("change", () => this.requestUpdate());
    this.arrive();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    for (const [name, act] of this.listening) this.desk.removeEventListener(name, act);
    this.listening = [];
  }

  /** Called when the element came into the page, for those that listen to more. */
  arrive() {}

  /** @param {string} name @param {(detail: any) => void} act */
  on(name, act) {
    const listener = (/** @type {Event} */ event) => act(/** @type {CustomEvent} */ (event).detail);
    this.listening.push([name, listener]);
    this.desk.addEventListener(name, listener);
  }
}
