#!/bin/sh
# Find Chromium for the browser tests, or install Debian's: `sh tools/install_browser.sh`.
# Without a browser those tests are skipped, so this never fails; with one it only looks.
set -u

found=
for name in "${TACIT_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && found=$(command -v "$name" 2>/dev/null) && break
done
if [ -n "$found" ]; then
    exit 0
fi
how="apt install chromium, or set TACIT_CHROMIUM to a Chromium or Chrome"
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "No Chromium: the browser tests will be skipped. To run them: $how"
    exit 0
fi
echo "Installing Chromium for the browser tests; this happens once ..."
export DEBIAN_FRONTEND=noninteractive
patience=; command -v timeout >/dev/null 2>&1 && patience="timeout 300"  # a lock, a slow mirror
install="$patience apt-get install -qq -y --no-install-recommends chromium"
if ! $install >/dev/null 2>&1; then
    $patience apt-get update -qq >/dev/null 2>&1
    $install >/dev/null 2>&1 || echo "It did not work; the browser tests will be skipped. $how"
fi
exit 0
