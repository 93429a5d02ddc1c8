#!/bin/sh
# Makes sure that the browser tests have a Chromium: one that is there, Debian's, or Playwright's own.
#   tools/browser.sh STAMP
set -eu
stamp=$1

say() { printf 'anyide: %s\n' "$*" >&2; }
have_browser() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    [ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]
}

if ! have_browser && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing Debian's chromium for the browser tests"
    apt-get update -q >/dev/null && apt-get install -qy chromium fonts-dejavu-core >/dev/null || true
fi
if ! have_browser; then
    say "letting Playwright fetch a Chromium for the browser tests"
    .venv/bin/python -m playwright install chromium || {
        say "the browser tests need Chromium. On Debian and Ubuntu: sudo apt install chromium"
        exit 1
    }
fi
touch "$stamp"
