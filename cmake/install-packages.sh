#!/usr/bin/env bash
# Installs what building and testing personad needs on Debian 12, as far as it is missing. Nothing missing: does nothing,
# and needs neither root nor the network.
set -euo pipefail

# What has to be there as a command, and the package that brings it.
tools=(
  c++:g++
  cmake:cmake
  ninja:ninja-build
  pkg-config:pkg-config
  python3:python3
)
# What has to be there as a package. Keep README.md in step.
packages=(
  libboost1.81-dev
  nlohmann-json3-dev
  libspdlog-dev
  doctest-dev
  libsqlite3-dev
  libssl-dev
  libicu-dev
  libstemmer-dev
  libsystemd-dev
  libcli11-dev
)

say() { printf '%s\n' "install-packages: $*" >&2; }

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | head -n 1) == installed ]]; }

missing=()
for tool in "${tools[@]}"; do
  command -v "${tool%%:*}" >/dev/null 2>&1 || missing+=("${tool##*:}")
done
# The tests run released peers in a virtual environment; Debian ships that part of Python by itself.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then missing+=(python3-venv); fi

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  say "no apt-get here; these have to be installed by other means: ${missing[*]-} ${packages[*]}"
  exit 0
fi
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then exit 0; fi

if [[ " ${missing[*]} " == *" libboost1.81-dev "* ]] && installed libboost1.74-dev; then
  say "libboost1.81-dev cannot be installed beside libboost1.74-dev, which is installed."
  say "Remove that one first (and what depends on it, such as libboost-dev):"
  say "  sudo apt-get remove libboost1.74-dev"
  exit 1
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null 2>&1; then
    say "missing: ${missing[*]}"
    say "There is no sudo; as root: apt-get install --no-install-recommends ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }
# --no-remove: an installation that would take something else away is an error, not a surprise.
install_missing() { apt install -y --no-remove --no-install-recommends "${missing[@]}"; }
known() { [[ -n $(apt-cache show --no-all-versions "$1" 2>/dev/null | head -n 1) ]]; }

say "installing ${missing[*]}"
for package in "${missing[@]}"; do
  if ! known "$package"; then
    apt update
    break
  fi
done
# Lists that are old name files that are gone.
install_missing || { apt update && install_missing; } || {
  say "apt-get could not install: ${missing[*]} (Debian 12 has all of them)"
  exit 1
}
