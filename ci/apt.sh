#!/bin/sh
# Debian packages that the full tests need beside Python: the sandbox, a browser for formgrader, Korean glyphs for plots.
# Does nothing, and says nothing, where all of them are installed.
set -eu

packages="bubblewrap chromium chromium-driver fonts-nanum"

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
