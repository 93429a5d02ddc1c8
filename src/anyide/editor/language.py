"""Which language a file is in, by its name: the identifiers that VS Code and its extensions use."""

from __future__ import annotations

import re

PLAIN_TEXT = "plaintext"


def _by_name(table: str) -> dict[str, str]:
    rows = (line.split(": ") for line in table.strip().splitlines())
    return {name: language for language, names in rows for name in names.split()}


_FILE_NAMES = _by_name("""
dockerfile: dockerfile containerfile
makefile: makefile gnumakefile
cmake: cmakelists.txt
go.mod: go.mod
go.sum: go.sum
ignore: .gitignore .dockerignore .npmignore .anyideignore
properties: .gitconfig .editorconfig .gitattributes .npmrc
dotenv: .env
shellscript: .bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile .zshenv pkgbuild
ruby: gemfile rakefile vagrantfile podfile
groovy: jenkinsfile
python: sconstruct sconscript
jsonc: tsconfig.json jsconfig.json .eslintrc .babelrc
git-commit: commit_editmsg merge_msg
git-rebase: git-rebase-todo
toml: cargo.lock poetry.lock uv.lock pipfile
json: .prettierrc composer.lock
pip-requirements: requirements.txt
vim: .vimrc _vimrc
latex: latexmkrc
starlark: build.bazel workspace.bazel
""")

_EXTENSIONS = _by_name("""
abap: abap
bat: bat cmd
bibtex: bib
c: c
clojure: clj cljs cljc edn
coffeescript: coffee
cpp: cpp cc cxx c++ h hh hpp hxx h++ ipp inl
crystal: cr
csharp: cs csx
css: css
csv: csv
cuda-cpp: cu cuh
cmake: cmake
d: d
dart: dart
diff: diff patch rej
dockerfile: dockerfile
elixir: ex exs
elm: elm
erlang: erl hrl
fsharp: fs fsi fsx
fortran: f90 f95 f03 f
glsl: glsl vert frag
go: go
graphql: graphql gql
groovy: groovy gradle gvy
haml: haml
handlebars: hbs handlebars
haskell: hs
html: html htm xhtml shtml
ini: ini
jade: pug jade
java: java
javascript: js mjs cjs
javascriptreact: jsx
json: json webmanifest geojson map
jsonc: jsonc code-workspace
jsonl: jsonl ndjson
julia: jl
jupyter: ipynb
kotlin: kt kts
latex: tex ltx
less: less
lisp: lisp lsp cl el
log: log
lua: lua
makefile: mk mak
markdown: md markdown mdown mkd
mdx: mdx
nim: nim
nix: nix
objective-c: m
objective-cpp: mm
ocaml: ml mli
pascal: pas
perl: pl pm pod t
php: php phtml
powershell: ps1 psm1 psd1
prisma: prisma
prolog: pro
properties: properties cfg conf
proto3: proto
python: py pyi pyw
r: r rhistory rprofile
razor: cshtml razor
restructuredtext: rst
ruby: rb rake gemspec ru
rust: rs
sass: sass
scala: scala sbt sc
scheme: scm ss rkt
scss: scss
shaderlab: shader
fish: fish
shellscript: sh bash zsh ksh
solidity: sol
sql: sql
starlark: bzl star
svelte: svelte
swift: swift
systemverilog: sv svh
tcl: tcl
terraform: tf tfvars
toml: toml
typescript: ts mts cts
typescriptreact: tsx
vb: vb vbs
verilog: v vh
vhdl: vhd vhdl
vim: vim
vue: vue
xml: xml xsd svg plist csproj
xsl: xsl xslt
yaml: yaml yml
zig: zig
""")

_FAMILIES = (  # names that go on after a known beginning
    (re.compile(r"\.env\.[^/]+"), "dotenv"),
    (re.compile(r"(docker|container)file\.[^/]+"), "dockerfile"),
    (re.compile(r"requirements[-_.][^/]*\.txt"), "pip-requirements"),
)


def language_id(path: str) -> str:
    """Give the VS Code language identifier for a file name, `plaintext` where none is known."""
    name = re.split(r"[/\\]", path)[-1].lower()
    if name in _FILE_NAMES:
        return _FILE_NAMES[name]
    for pattern, language in _FAMILIES:
        if pattern.fullmatch(name):
            return language
    stem, dot, extension = name.rpartition(".")
    return _EXTENSIONS.get(extension, PLAIN_TEXT) if stem and dot else PLAIN_TEXT
