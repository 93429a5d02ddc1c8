/**
 * What the server and a page say to each other, as the page reads it (see `web/messages.py`).
 *
 * @typedef {"text" | "image" | "binary" | "tooBig"} Kind
 * @typedef {{path: string, label: string, languageId: string, isDirty: boolean, isPreview: boolean,
 *   isUntitled: boolean, isDenied: boolean, kind: Kind, version: number}} Tab
 * @typedef {{id: string, folder: string, version: string, pid: number | null, isSilent: boolean,
 *   pending: number, client: string}} Session
 * @typedef {{paused: boolean, path: string | null, lines: number, isDenied: boolean}} Sharing
 * @typedef {{id: string, session: string, path: string, newPath: string, tabName: string,
 *   isNewFile: boolean, isUnsaved: boolean, createdAt: number, added: number, removed: number,
 *   folder: string}} ReviewSummary
 * @typedef {"accepted" | "rejected"} HunkState
 * @typedef {{id: string, session: string, path: string, newPath: string, tabName: string,
 *   oldText: string | null, newText: string, isUnsaved: boolean, createdAt: number,
 *   languageId: string, draft: {text: string, hunks: Record<string, HunkState>} | null}} Review
 * @typedef {{id: string, path: string, session: string,
 *   verdict: "accepted" | "rejected" | "withdrawn", cause?: string, reason?: string, isCut?: boolean, at: number,
 *   oldText: string | null, proposedText: string, finalText: string | null}} Decision
 * @typedef {{line: number, character: number}} Position
 * @typedef {{message: string, severity: "error" | "warning" | "info" | "hint",
 *   range: {start: Position, end: Position}, source: string, code: string}} Diagnostic
 * @typedef {{path: string, diagnostics: Diagnostic[]}} FileProblems
 * @typedef {{path: string, savedAt: number, isUntitled: boolean}} Draft
 * @typedef {{name: string, path: string, kind: "file" | "folder" | "link", isIgnored: boolean,
 *   isDenied: boolean, size: number, isFolder: boolean}} Entry
 * @typedef {{path: string, version: number, text: string, languageId: string, isDirty: boolean,
 *   isUntitled: boolean, isDenied: boolean, isReadOnly: boolean, kind: Kind, size: number,
 *   newline: string, encoding: string, hasBom: boolean, diskChanged: boolean,
 *   selection: {from: number, to: number} | null}} DocumentMessage
 * @typedef {{version: string, folders: string[], name: string, platform: string,
 *   claude: {found: boolean, path?: string, line: string}, sharing: Sharing, sessions: Session[],
 *   tabs: Tab[], active: string | null, reviews: ReviewSummary[], problems: FileProblems[],
 *   drafts: Draft[]}} Welcome
 */

export {};
