#!/bin/sh
# Install tacit with an extra into .venv: `sh tools/install.sh core|dev`.
# A half-finished installation is recognised by its marker and made anew.
set -eu

kind=$1
python=${PYTHON:-python3}
venv=.venv

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "tacit needs Python 3.11 or later; $python is $("$python" --version 2>&1)." >&2
    echo "Name another one: make PYTHON=python3.12 $kind" >&2
    exit 2
}
if [ -e "$venv/.installing" ] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$venv"
    mkdir -p "$venv"
    : > "$venv/.installing"
    "$python" -m venv "$venv" || {
        echo "$python cannot make virtual environments; on Debian: apt install python3-venv" >&2
        exit 2
    }
fi
: > "$venv/.installing"
case $kind in
    core) what=. ;;
    *) what=".[$kind]" ;;
esac
echo "Installing tacit ($kind) into $venv; this happens once ..."
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable "$what"
rm -f "$venv/.installing"
: > "$venv/.$kind-installed"
