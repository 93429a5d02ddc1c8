/** What the server tells on its own, and what becomes of the desk by it. */

/** @typedef {import("./desk.js").Desk} Desk */

/** @type {Record<string, (desk: Desk, params: any) => void>} */
export const TOLD = {
  changed: (desk, params) => desk.copies.get(params.path)?.receive(params),
  reloaded: (desk, { path, text, version }) => {
    const copy = desk.copies.get(path);
    copy?.replace(text, version);
    if (copy) copy.diskChange = "";
    desk.changed();
  },
  diskChanged: (desk, { path, deleted }) => {
    const copy = desk.copies.get(path);
    if (copy) copy.diskChange = deleted ? "deleted" : "changed";
    desk.changed();
  },
  documentState: (desk, { path, isDirty, diskChanged, isReadOnly }) => {
    const copy = desk.copies.get(path);
    if (!copy) return;
    copy.isDirty = isDirty || !copy.unsent.empty;
    if (!diskChanged) copy.diskChange = "";
    copy.message = { ...copy.message, isReadOnly };
    desk.changed();
  },
  tabs: (desk, { tabs, active }) => desk.tabsAre(tabs, active),
  reveal: (desk, params) => void desk.reveal(params),
  reviewOpened: (desk, { summary }) => {
    desk.reviews = [...desk.reviews.filter((each) => each.id !== summary.id), summary];
    if (desk.shown.kind === "nothing") desk.show({ kind: "review", id: summary.id });
    desk.dispatchEvent(new CustomEvent("review", { detail: summary }));
    desk.changed();
  },
  reviewEnded: (desk, ended) => {
    desk.reviews = desk.reviews.filter((each) => each.id !== ended.id);
    desk.dispatchEvent(new CustomEvent("review-ended", { detail: ended }));
    if (desk.deciding !== ended.id) desk.leaveReview(ended.id);
    desk.changed();
  },
  sessions: (desk, { sessions }) => desk.set({ sessions }),
  sharing: (desk, sharing) => desk.set({ sharing }),
  problems: (desk, { path, diagnostics }) => {
    if (diagnostics.length) desk.problems.set(path, diagnostics);
    else desk.problems.delete(path);
    desk.dispatchEvent(new CustomEvent("problems", { detail: path }));
    desk.changed();
  },
  treeChanged: (desk, { paths }) => desk.dispatchEvent(new CustomEvent("tree", { detail: paths })),
};
