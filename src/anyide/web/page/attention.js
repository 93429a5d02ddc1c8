/** How a new review makes itself known outside the page: the title, and a desktop notification. */

import { nameOf } from "./desk.js";

/** @param {import("./desk.js").Desk} desk */
export function drawAttention(desk) {
  desk.addEventListener("change", () => {
    document.title = titleOf(desk);
  });
  desk.addEventListener("review", (event) => {
    notify(desk, /** @type {CustomEvent} */ (event).detail);
  });
}

/** @param {import("./desk.js").Desk} desk */
function titleOf({ reviews, title, copy }) {
  const what = [copy && nameOf(copy.path), title].filter(Boolean).join(" · ");
  return reviews.length ? `(${reviews.length}) ${what}` : what;
}

/** @param {import("./desk.js").Desk} desk @param {import("./types.js").ReviewSummary} review */
function notify(desk, review) {
  if (!("Notification" in window) || Notification.permission !== "granted" || document.hasFocus()) return;
  // One tag for each review: two windows of the editor show it once.
  const note = new Notification("Claude proposes a change", {
    body: desk.short(review.newPath || review.path),
    tag: `anyide-${review.id}`,
  });
  note.addEventListener("click", () => {
    focus();
    desk.show({ kind: "review", id: review.id });
  });
}
