#!/bin/sh
# Makes .venv (or brings it up to date) with the named extra. `make` calls it; a person can, too.
#   tools/venv.sh EXTRA STAMP
set -eu
extra=$1
stamp=$2

say() { printf 'anyide: %s\n' "$*" >&2; }

find_python() {
    for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$name"
            return
        fi
    done
    say "needs Python 3.11 or newer and found none. Install one, or name it: make PYTHON=/path/to/python3 …"
    exit 1
}

# Debian ships Python without the part of it that makes virtual environments.
have_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
install_venv() {
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "installing Debian's python3-venv"
        apt-get update -q >/dev/null && apt-get install -qy python3-venv >/dev/null
    fi
    have_venv "$1" && return
    say "this Python cannot make virtual environments. On Debian and Ubuntu: sudo apt install python3-venv"
    exit 1
}

python=.venv/bin/python
[ -x .venv/Scripts/python.exe ] && python=.venv/Scripts/python.exe # Git Bash on Windows
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    base=$(find_python)
    have_venv "$base" || install_venv "$base"
    say "making .venv with $("$base" --version)"
    rm -rf .venv
    "$base" -m venv .venv
    [ -x .venv/Scripts/python.exe ] && python=.venv/Scripts/python.exe
fi

say "installing anyide[$extra] into .venv (the first time takes a few minutes)"
"$python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[$extra]" || {
    say "pip could not install it; its message is above. Is the network there?"
    exit 1
}
touch "$stamp"
