/** The keys of the page: what they are called, and whether a person is typing text. */

const isMac = navigator.platform.startsWith("Mac");
export const CONTROL = isMac ? "⌘" : "Ctrl";

/** @type {[string, [string, string][]][]} */
export const KEY_LIST = [
  [
    "Review",
    [
      ["J / K", "next, previous change"],
      ["A", "accept this change"],
      ["R", "reject this change"],
      ["U", "side by side or unified"],
      ["E", "edit the text of this change"],
      [`${CONTROL} Enter`, "accept and send"],
      [`${CONTROL} Shift Backspace`, "reject, with a reason"],
      ["Escape", "stop editing; then decide later"],
      ["Alt + letter", "the same while typing"],
      ["Alt Q", "next review in the queue"],
    ],
  ],
  [
    "Files",
    [
      [`${CONTROL} P`, "open a file by its name"],
      [`${CONTROL} S`, "save"],
      ["Alt N", "new file"],
      ["Alt W", "close the file"],
      ["Alt Shift T", "open the last closed file again"],
      [`${CONTROL} F`, "find and replace"],
      ["Alt PageUp / PageDown", "previous, next tab"],
    ],
  ],
  [
    "Claude",
    [
      ["Alt M", "mention the file or the selected lines"],
      ["Alt S", "pause or resume sharing"],
    ],
  ],
  [
    "Page",
    [
      ["Alt 1 … 4", "files, reviews, problems, history"],
      ["F6", "next part of the page"],
      ["? or F1", "this list"],
    ],
  ],
];

/** The key as it is printed, whatever Alt makes of it. @param {KeyboardEvent} event */
export function keyOf(event) {
  // On a Mac, Option turns letters into signs: there the place of the key has to do.
  if (/^[a-z]$/i.test(event.key)) return `Key${event.key.toUpperCase()}`;
  return event.altKey && /^(Key|Digit)/.test(event.code) ? event.code : event.key;
}

/** Whether a plain letter would be written somewhere. @param {KeyboardEvent} event */
export function isTyping(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLSelectElement || target.isContentEditable;
}
