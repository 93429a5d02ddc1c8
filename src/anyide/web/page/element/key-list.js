/** The list of keys. */

import { LitElement, html } from "../vendor/bundle.js";
import { KEY_LIST } from "../keys.js";
import { icon } from "./icon.js";

class KeyList extends LitElement {
  createRenderRoot() {
    return this;
  }

  show() {
    const dialog = /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }

  render() {
    return html`<dialog class="keys" aria-labelledby="keys-title">
      <form method="dialog"><h1 id="keys-title">Keys</h1><button class="quiet" aria-label="Close">${icon("close")}</button></form>
      <div class="keys-groups">
        ${KEY_LIST.map(
          ([title, keys]) => html`<section>
            <h2>${title}</h2>
            <dl>${keys.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
          </section>`,
        )}
      </div>
    </dialog>`;
  }
}

customElements.define("key-list", KeyList);
