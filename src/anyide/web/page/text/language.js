/** Which highlighting a language gets; an unknown one gets none. */

import { Compartment, StreamLanguage, ViewPlugin, loadLanguages } from "../vendor/bundle.js";

/** @typedef {Awaited<ReturnType<typeof loadLanguages>>} Languages */
/** @typedef {import("../vendor/bundle.js").Extension} Extension */

// Beyond this many characters a text is shown plain: parsing it would cost more than it gives.
const HIGHLIGHT_LIMIT = 3_000_000;

/** @type {Languages | null} */
let loaded = null;

/** @param {(languages: Languages) => any} mode @returns {(languages: Languages) => Extension} */
const stream = (mode) => (languages) => StreamLanguage.define(mode(languages));

/** @type {Record<string, (languages: Languages) => Extension>} */
const LANGUAGES = {
  c: (from) => from.cpp(),
  clojure: stream((from) => from.clojure),
  cmake: stream((from) => from.cmake),
  cpp: (from) => from.cpp(),
  csharp: stream((from) => from.csharp),
  css: (from) => from.css(),
  dart: stream((from) => from.dart),
  diff: stream((from) => from.diffMode),
  dockerfile: stream((from) => from.dockerFile),
  elm: stream((from) => from.elm),
  erlang: stream((from) => from.erlang),
  go: (from) => from.go(),
  haskell: stream((from) => from.haskell),
  html: (from) => from.htmlLanguage(),
  ini: stream((from) => from.properties),
  java: (from) => from.java(),
  javascript: (from) => from.javascript(),
  javascriptreact: (from) => from.javascript({ jsx: true }),
  json: (from) => from.json(),
  jsonc: (from) => from.json(),
  julia: stream((from) => from.julia),
  kotlin: stream((from) => from.kotlin),
  less: (from) => from.css(),
  lua: stream((from) => from.lua),
  markdown: (from) => from.markdown(),
  perl: stream((from) => from.perl),
  php: (from) => from.php(),
  powershell: stream((from) => from.powerShell),
  properties: stream((from) => from.properties),
  python: (from) => from.python(),
  r: stream((from) => from.r),
  ruby: stream((from) => from.ruby),
  rust: (from) => from.rust(),
  scala: stream((from) => from.scala),
  scss: (from) => from.css(),
  shellscript: stream((from) => from.shell),
  sql: (from) => from.sql(),
  svelte: (from) => from.htmlLanguage(),
  swift: stream((from) => from.swift),
  toml: stream((from) => from.toml),
  typescript: (from) => from.javascript({ typescript: true }),
  typescriptreact: (from) => from.javascript({ jsx: true, typescript: true }),
  vue: (from) => from.htmlLanguage(),
  xml: (from) => from.xml(),
  yaml: (from) => from.yaml(),
};

/** What an editor needs to highlight a language; it comes a moment later when it is the first.
 * @param {string} languageId @param {number} length @returns {Extension} */
export function highlightingOf(languageId, length) {
  const language = LANGUAGES[languageId];
  if (!language || length > HIGHLIGHT_LIMIT) return [];
  return loaded ? language(loaded) : coming(language);
}

/** @param {(languages: Languages) => Extension} language @returns {Extension} */
function coming(language) {
  const place = new Compartment();
  const loader = ViewPlugin.define((view) => {
    let isThere = true;
    void loadLanguages().then((languages) => {
      loaded = languages;
      if (isThere) view.dispatch({ effects: place.reconfigure(language(languages)) });
    });
    return {
      destroy() {
        isThere = false;
      },
    };
  });
  return [place.of([]), loader];
}
