/** Which highlighting a language gets; an unknown one gets none. */

import * as vendor from "../vendor/bundle.js";

// Beyond this many characters a text is shown plain: parsing it would cost more than it gives.
const HIGHLIGHT_LIMIT = 3_000_000;

/** @param {any} mode */
const stream = (mode) => () => vendor.StreamLanguage.define(mode);

/** @type {Record<string, () => import("../vendor/bundle.js").Extension>} */
const LANGUAGES = {
  c: vendor.cpp,
  clojure: stream(vendor.clojure),
  cmake: stream(vendor.cmake),
  cpp: vendor.cpp,
  csharp: stream(vendor.csharp),
  css: vendor.css,
  dart: stream(vendor.dart),
  diff: stream(vendor.diffMode),
  dockerfile: stream(vendor.dockerFile),
  elm: stream(vendor.elm),
  erlang: stream(vendor.erlang),
  go: vendor.go,
  haskell: stream(vendor.haskell),
  html: vendor.htmlLanguage,
  ini: stream(vendor.properties),
  java: vendor.java,
  javascript: vendor.javascript,
  javascriptreact: () => vendor.javascript({ jsx: true }),
  json: vendor.json,
  jsonc: vendor.json,
  julia: stream(vendor.julia),
  kotlin: stream(vendor.kotlin),
  less: vendor.css,
  lua: stream(vendor.lua),
  markdown: vendor.markdown,
  perl: stream(vendor.perl),
  php: vendor.php,
  powershell: stream(vendor.powerShell),
  properties: stream(vendor.properties),
  python: vendor.python,
  r: stream(vendor.r),
  ruby: stream(vendor.ruby),
  rust: vendor.rust,
  scala: stream(vendor.scala),
  scss: vendor.css,
  shellscript: stream(vendor.shell),
  sql: vendor.sql,
  svelte: vendor.htmlLanguage,
  swift: stream(vendor.swift),
  toml: stream(vendor.toml),
  typescript: () => vendor.javascript({ typescript: true }),
  typescriptreact: () => vendor.javascript({ jsx: true, typescript: true }),
  vue: vendor.htmlLanguage,
  xml: vendor.xml,
  yaml: vendor.yaml,
};

/** @param {string} languageId @param {number} length @returns {import("../vendor/bundle.js").Extension} */
export function highlightingOf(languageId, length) {
  if (length > HIGHLIGHT_LIMIT) return [];
  return LANGUAGES[languageId]?.() ?? [];
}
