/** Who is connected, what is being shared right now, the switch that pauses it, and the mention. */

import { html, nothing } from "../vendor/bundle.js";
import { nameOf } from "../desk.js";
import { DeskView } from "./desk-view.js";
import { icon } from "./icon.js";

const STORED_SESSION = "anyide.mention.session";

class SessionBar extends DeskView {
  static properties = { ...DeskView.properties, chosen: { state: true } };

  constructor() {
    super();
    this.chosen = sessionStorage.getItem(STORED_SESSION) ?? "";
  }

  render() {
    const { sessions, isConnected } = this.desk;
    return html`<footer class="session-bar" aria-label="Claude">
      ${isConnected ? this.#sessions(sessions) : html`<span class="bar-item offline" role="status"><span class="dot bad"></span>Reconnecting…</span>`}
      ${this.#sharing()} ${this.#waiting()}
      <span class="room"></span>
      ${this.#place()} ${this.#mention()}
      <button class="quiet keys-button" aria-label="Keys" title="Keys (?)" @click=${() => this.dispatchEvent(new CustomEvent("keys", { bubbles: true }))}>${icon("keys")}</button>
    </footer>`;
  }

  /** @param {import("../types.js").Session[]} sessions */
  #sessions(sessions) {
    const said =
      sessions.length === 0 ? "No session" : sessions.length === 1 ? `Claude in ${nameOf(sessions[0].folder) || "?"}` : `${sessions.length} sessions`;
    return html`<details class="bar-item sessions" @focusout=${this.#shut}>
      <summary title="Connected sessions"><span class="dot ${sessions.length ? "good" : ""}"></span><span>${said}</span></summary>
      <div class="popover">
        ${sessions.length
          ? html`<ul>${sessions.map((session) => this.#session(session))}</ul>`
          : html`<p>No Claude Code is connected.</p><p>Run <code>${this.desk.claude.line}</code> in a terminal.</p>`}
      </div>
    </details>`;
  }

  /** @param {import("../types.js").Session} session */
  #session(session) {
    const waiting = this.desk.reviews.filter((review) => review.session === session.id).length;
    return html`<li>
      <strong>${nameOf(session.folder) || "unknown folder"}</strong>
      <span class="quiet-text">Claude Code ${session.version}${session.pid ? ` · pid ${session.pid}` : ""}</span>
      <span class="quiet-text">${session.folder}</span>
      ${session.isSilent ? html`<span class="chip bad">does not answer</span>` : nothing}
      ${waiting ? html`<span class="chip">${waiting} waiting</span>` : nothing}
    </li>`;
  }

  /** A change that waits is told as long as it does, without a move in the text. */
  #waiting() {
    const { reviews, shown } = this.desk;
    if (!reviews.length || shown.kind === "review") return nothing;
    const [first] = reviews;
    const what = reviews.length === 1 ? `Change of ${nameOf(first.newPath || first.path)} waits` : `${reviews.length} changes wait`;
    return html`<button class="waiting" title="Review (Alt Q)" @click=${() => this.dispatchEvent(new CustomEvent("next-review", { bubbles: true }))}>
      ${icon("review")}<span>${what}</span><kbd>Alt Q</kbd>
    </button>`;
  }

  #sharing() {
    const { sharing } = this.desk;
    const toggle = () => this.pause();
    return html`<span class="bar-item sharing">
      <button role="switch" class="switch" aria-checked=${String(!sharing.paused)} aria-label="Share with Claude" title="Pause or resume sharing (Alt S)" @click=${toggle}>
        <span></span>
      </button>
      <span class="sharing-text" role="status">${this.#shared()}</span>
    </span>`;
  }

  #shared() {
    const { sharing } = this.desk;
    if (sharing.paused) return "Sharing is paused";
    if (!sharing.path) return "Nothing is shared";
    const name = nameOf(sharing.path);
    if (sharing.isDenied) return html`${icon("lock")} ${name} is not shared`;
    if (!sharing.lines) return `Sharing: ${name}`;
    return `Sharing: ${sharing.lines} ${sharing.lines === 1 ? "line" : "lines"} of ${name}`;
  }

  async pause() {
    const sharing = await this.desk.ask("pause", { paused: !this.desk.sharing.paused });
    if (sharing) this.desk.sharing = sharing;
    this.desk.changed();
  }

  #place() {
    const copy = this.desk.copy;
    if (!copy?.view) return nothing;
    const { doc, selection } = copy.view.state;
    const { head, empty, from, to } = selection.main;
    const line = doc.lineAt(head);
    const selected = empty ? "" : ` (${to - from} selected)`;
    return html`<span class="bar-item place">
      <span>Line ${line.number}, ${head - line.from + 1}${selected}</span>
      <span>${copy.exact.breakName}</span>
      <span>${copy.message.encoding}</span>
      <span>${copy.message.languageId}</span>
    </span>`;
  }

  #mention() {
    const { copy, sessions } = this.desk;
    const target = sessions.some((session) => session.id === this.chosen) ? this.chosen : "";
    return html`<span class="bar-item mention">
      ${sessions.length > 1
        ? html`<select aria-label="Mention to" .value=${target} @change=${this.#choose}>
            <option value="">all sessions</option>
            ${sessions.map((session) => html`<option value=${session.id} ?selected=${session.id === target}>${nameOf(session.folder)}</option>`)}
          </select>`
        : nothing}
      <button class="quiet" ?disabled=${!copy || !sessions.length} title="Mention the file or the selected lines (Alt M)" @click=${() => this.mention()}>
        ${icon("mention")}<span>Mention</span>
      </button>
    </span>`;
  }

  mention() {
    void this.desk.mention(this.chosen && this.desk.sessions.some((each) => each.id === this.chosen) ? this.chosen : undefined);
  }

  /** @param {Event} event */
  #choose(event) {
    this.chosen = /** @type {HTMLSelectElement} */ (event.target).value;
    sessionStorage.setItem(STORED_SESSION, this.chosen);
  }

  /** @param {FocusEvent} event */
  #shut(event) {
    const details = /** @type {HTMLDetailsElement} */ (event.currentTarget);
    if (!details.contains(/** @type {Node | null} */ (event.relatedTarget))) details.open = false;
  }
}

customElements.define("session-bar", SessionBar);
