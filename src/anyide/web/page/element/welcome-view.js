/** What stands there when nothing is open: how to connect Claude, and what to press. */

import { html } from "../vendor/bundle.js";
import { CONTROL } from "../keys.js";
import { DeskView } from "./desk-view.js";

class WelcomeView extends DeskView {
  render() {
    const { claude, sessions, title, folders, version } = this.desk;
    return html`<div class="welcome">
      <h1>${title}</h1>
      <p class="quiet-text">${folders.join(" · ")}</p>
      ${sessions.length
        ? html`<p><span class="dot good"></span> Claude Code is connected. Changes that it proposes appear here.</p>`
        : html`<p>${claude.found ? "To connect Claude Code, run in a terminal:" : "Claude Code was not found. To see how it works:"}</p>
            <pre><code>${claude.line || "claude --ide"}</code></pre>`}
      <dl>
        <div><dt><kbd>${CONTROL} P</kbd></dt><dd>open a file</dd></div>
        <div><dt><kbd>Alt N</kbd></dt><dd>new file</dd></div>
        <div><dt><kbd>?</kbd></dt><dd>all keys</dd></div>
      </dl>
      <p class="quiet-text">anyide ${version}</p>
    </div>`;
  }
}

customElements.define("welcome-view", WelcomeView);
