/** Unsaved text that an earlier run kept, offered back. */

import { html, nothing } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { agoOf } from "./time.js";

class DraftOffer extends DeskView {
  render() {
    const { drafts } = this.desk;
    if (!drafts.length) return nothing;
    return html`<section class="drafts" aria-label="Unsaved text">
      ${drafts.map(
        ({ path, savedAt }) => html`<div class="notice" role="note">
          <span>Unsaved text of <strong>${nameOf(path)}</strong> was kept (${agoOf(savedAt)}).</span>
          <span class="notice-acts">
            <button @click=${() => this.#take(path)}>Bring it back</button>
            <button class="quiet" @click=${() => this.#drop(path)}>Discard</button>
          </span>
        </div>`,
      )}
    </section>`;
  }

  /** @param {string} path */
  async #take(path) {
    const document = await this.desk.ask("takeDraft", { path });
    if (document === undefined) return;
    this.#forget(path);
    const held = this.desk.copies.get(path);
    if (held) await held.resync();
    await this.desk.open(document?.path ?? path);
  }

  /** @param {string} path */
  async #drop(path) {
    if ((await this.desk.ask("dropDraft", { path })) !== undefined) this.#forget(path);
  }

  /** @param {string} path */
  #forget(path) {
    this.desk.drafts = this.desk.drafts.filter((draft) => draft.path !== path);
    this.desk.changed();
  }
}

customElements.define("draft-offer", DraftOffer);
