// All that the page takes from others; tools/vendor.py bundles it into page/vendor/bundle.js.

export { LitElement, html, nothing, render } from "lit";
export { classMap } from "lit/directives/class-map.js";
export { live } from "lit/directives/live.js";
export { repeat } from "lit/directives/repeat.js";

export {
  Annotation,
  ChangeSet,
  Compartment,
  EditorSelection,
  EditorState,
  Prec,
  RangeSet,
  RangeSetBuilder,
  RangeValue,
  StateEffect,
  StateField,
  Text,
  Transaction,
} from "@codemirror/state";
export {
  Decoration,
  EditorView,
  GutterMarker,
  ViewPlugin,
  WidgetType,
  crosshairCursor,
  drawSelection,
  dropCursor,
  gutter,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
export {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  invertedEffects,
} from "@codemirror/commands";
export {
  HighlightStyle,
  StreamLanguage,
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
export {
  closeBrackets,
  closeBracketsKeymap,
} from "@codemirror/autocomplete";
export {
  highlightSelectionMatches,
  openSearchPanel,
  search,
  searchKeymap,
} from "@codemirror/search";
export { lintGutter, setDiagnostics } from "@codemirror/lint";
export { Change, MergeView, diff, presentableDiff, unifiedMergeView } from "@codemirror/merge";
export { tags } from "@lezer/highlight";

// In the same file, but evaluated only when the first text with a language is shown.
export const loadLanguages = () => import("./languages.js");
