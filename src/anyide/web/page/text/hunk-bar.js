/** The bar over each hunk of a review: which it is, what became of it, and its two buttons. */

import { Decoration, WidgetType } from "../vendor/bundle.js";

/** @typedef {{index: number, what: "accepted" | "rejected" | ""}} HunkAct */
/** @typedef {import("./review-state.js").Placed & {added: number, removed: number, isEdited: boolean, isCurrent: boolean, count: number}} BarContent */

/** @param {import("../vendor/bundle.js").Text} doc @param {{from: number, to: number, isTail: boolean}} hunk @param {WidgetType} widget */
export function barAt(doc, { from, to, isTail }, widget) {
  const line = doc.lineAt(from);
  // The last hunk may begin with the break before it: its bar stands behind that break.
  const place = isTail ? line.to + 1 : line.from;
  if (isTail && (from === to || place > doc.length)) {
    return Decoration.widget({ widget, block: true, side: 10 }).range(doc.length);
  }
  return Decoration.widget({ widget, block: true, side: -10 }).range(place);
}

export class HunkBar extends WidgetType {
  /** @param {BarContent} content @param {(act: HunkAct) => void} act */
  constructor(content, act) {
    super();
    this.content = content;
    this.act = act;
  }

  /** @param {HunkBar} other */
  eq(other) {
    const { from: _f, to: _t, ...mine } = this.content;
    const { from: _g, to: _u, ...theirs } = other.content;
    return JSON.stringify(mine) === JSON.stringify(theirs);
  }

  get estimatedHeight() {
    return 34;
  }

  toDOM() {
    const { index, state, isCurrent } = this.content;
    const bar = document.createElement("div");
    bar.className = "hunk-bar";
    bar.dataset.hunk = String(index);
    bar.dataset.state = state;
    bar.toggleAttribute("data-current", isCurrent);
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", this.#label());
    bar.append(...this.#content());
    return bar;
  }

  ignoreEvent() {
    return true;
  }

  #label() {
    const { index, count, state } = this.content;
    return `Change ${index + 1} of ${count}${state ? `, ${state}` : ""}`;
  }

  #content() {
    const { index, count, added, removed, state, isEdited } = this.content;
    const parts = [span("hunk-place", `Change ${index + 1} of ${count}`)];
    if (added) parts.push(span("hunk-added", `+${added}`));
    if (removed) parts.push(span("hunk-removed", `−${removed}`));
    if (isEdited) parts.push(span("hunk-edited", "edited"));
    parts.push(span("hunk-room", ""));
    parts.push(this.#button("accepted", state === "accepted" ? "✓ Accepted" : "Accept"));
    parts.push(this.#button("rejected", state === "rejected" ? "✕ Rejected" : "Reject"));
    return parts;
  }

  /** @param {"accepted" | "rejected"} what @param {string} label */
  #button(what, label) {
    const button = document.createElement("button");
    const isPressed = this.content.state === what;
    button.className = `hunk-${what}`;
    button.textContent = label;
    button.setAttribute("aria-pressed", String(isPressed));
    button.addEventListener("click", () => this.act({ index: this.content.index, what: isPressed ? "" : what }));
    return button;
  }
}

export class OldBar extends WidgetType {
  eq() {
    return true;
  }

  get estimatedHeight() {
    return 34;
  }

  toDOM() {
    const bar = document.createElement("div");
    bar.className = "hunk-bar hunk-bar-old";
    bar.append(span("hunk-place", "Before"));
    return bar;
  }
}

/** @param {string} name @param {string} text */
function span(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}
