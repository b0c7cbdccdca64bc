#!/bin/sh
# Debian packages that are needed beside Python: the sandbox, Korean glyphs for plots and, for the tests, a browser.
#     ci/apt.sh                      all of them
#     ci/apt.sh bubblewrap ...       those that are named
# Does nothing, and says nothing, where all of them are installed.
set -eu

packages="${*:-bubblewrap chromium chromium-driver fonts-nanum}"

if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian: get $packages with this system's own package manager." >&2
    echo "Without bubblewrap (macOS, Windows) submissions cannot be contained: make run SANDBOX=--no-sandbox" >&2
    exit 1
fi

missing=""
for package in $packages; do
    status=$(dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "Missing Debian packages:$missing. This user may not install them; ask an administrator to run:" >&2
    echo "    apt-get install$missing" >&2
    exit 1
fi

$as_root apt-get update -qq
# shellcheck disable=SC2086  # $as_root and $missing are lists of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $missing
