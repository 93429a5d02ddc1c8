/** Where the page begins: the channel, the desk, the element that shows it. */

import { drawAttention } from "./attention.js";
import { Desk } from "./desk.js";
import { Live } from "./live.js";
import { forgetPartings, keepPartings } from "./parting.js";
import "./element/editor-page.js";

const address = new URL("/live", location.href);
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";

const live = new Live(address.href);
const desk = new Desk(live);
const page = /** @type {any} */ (document.createElement("editor-page"));
page.desk = desk;
document.body.replaceChildren(page);
drawAttention(desk);
live.start();

// Text that the server does not have yet is a reason to stay.
addEventListener("beforeunload", (event) => {
  if ([...desk.copies.values()].some((copy) => !copy.unsent.empty)) event.preventDefault();
});
addEventListener("pagehide", () => keepPartings(desk.copies.values()));
addEventListener("pageshow", (event) => {
  if (event.persisted) forgetPartings(desk.copies.values());
});
