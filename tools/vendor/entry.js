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

export { cpp } from "@codemirror/lang-cpp";
export { css } from "@codemirror/lang-css";
export { go } from "@codemirror/lang-go";
export { html as htmlLanguage } from "@codemirror/lang-html";
export { java } from "@codemirror/lang-java";
export { javascript } from "@codemirror/lang-javascript";
export { json } from "@codemirror/lang-json";
export { markdown } from "@codemirror/lang-markdown";
export { php } from "@codemirror/lang-php";
export { python } from "@codemirror/lang-python";
export { rust } from "@codemirror/lang-rust";
export { sql } from "@codemirror/lang-sql";
export { xml } from "@codemirror/lang-xml";
export { yaml } from "@codemirror/lang-yaml";
export { csharp, dart, kotlin, scala } from "@codemirror/legacy-modes/mode/clike";
export { clojure } from "@codemirror/legacy-modes/mode/clojure";
export { cmake } from "@codemirror/legacy-modes/mode/cmake";
export { diff as diffMode } from "@codemirror/legacy-modes/mode/diff";
export { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
export { elm } from "@codemirror/legacy-modes/mode/elm";
export { erlang } from "@codemirror/legacy-modes/mode/erlang";
export { haskell } from "@codemirror/legacy-modes/mode/haskell";
export { julia } from "@codemirror/legacy-modes/mode/julia";
export { lua } from "@codemirror/legacy-modes/mode/lua";
export { perl } from "@codemirror/legacy-modes/mode/perl";
export { powerShell } from "@codemirror/legacy-modes/mode/powershell";
export { properties } from "@codemirror/legacy-modes/mode/properties";
export { r } from "@codemirror/legacy-modes/mode/r";
export { ruby } from "@codemirror/legacy-modes/mode/ruby";
export { shell } from "@codemirror/legacy-modes/mode/shell";
export { swift } from "@codemirror/legacy-modes/mode/swift";
export { toml } from "@codemirror/legacy-modes/mode/toml";
