/** The page's icons: strokes on a grid of 16, in the colour of the text around them. */

import { html } from "../vendor/bundle.js";

const STROKES = {
  branch: "M5 3v10M5 3a1.5 1.5 0 1 0 0 .01M11 6a1.5 1.5 0 1 0 0 .01M11 7.5c0 3-6 1.5-6 4",
  check: "M3 8.5l3.2 3.2L13 5",
  chevron: "M6 4l4 4-4 4",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2.2 1.3",
  close: "M4 4l8 8M12 4l-8 8",
  cross: "M4 4l8 8M12 4l-8 8",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  files: "M2.5 4.5V12a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V6a1 1 0 0 0-1-1H8L6.5 3.5h-3a1 1 0 0 0-1 1z",
  keys: "M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h-.01M5 9.5h6",
  lock: "M4.5 7h7v6h-7zM6 7V5a2 2 0 0 1 4 0v2",
  mention: "M10.5 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zm0 0v1a1.7 1.7 0 0 0 3.2.6A6 6 0 1 0 11 13",
  plus: "M8 3.5v9M3.5 8h9",
  problem: "M8 2.5l6 10.5H2zM8 6.5v3M8 11.3v.01",
  review: "M3 3.5h10v7H8.5L6 13v-2.5H3zM5.5 7h5M8 4.8v4.4",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3L14 14",
  split: "M2.5 3.5h11v9h-11zM8 3.5v9",
  unified: "M2.5 3.5h11v9h-11zM5 6.5h6M5 9.5h6",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
};

/** @param {keyof typeof STROKES} name */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d=${STROKES[name]} />
  </svg>`;
}
