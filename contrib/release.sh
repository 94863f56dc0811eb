#!/usr/bin/env bash
# Makes everything of a release, into dist/, and says what could not be made here:
#
#   contrib/release.sh [--key FILE] [ARCHITECTURE…]
#
# Without an ARCHITECTURE: x86_64, aarch64, armv7l (static programs for Linux, with their packages), windows, and a check that it compiles
# for macos. FILE is a secret key of minisign(1), which signs; docs/install.md says why minisign. Two builds of one commit give the same
# sums, in whatever folders. Each program is tried (contrib/try.sh) where this machine or an emulator runs it.
# It needs rustup, python3 with venv, and for each package what Debian calls dpkg, rpm, podman, mingw-w64 and wixl; for the trial curl,
# openssl, qemu-user-static and wine. It fails where it could not make or try all of it, and has the rest then. PROFILE names another of
# cargo's profiles than `dist`.
set -euo pipefail
cd "$(dirname "$0")/.."

key=
[ "${1:-}" != --key ] || { key=$(realpath "$2"); shift 2; }
wanted=("$@")
[ $# -gt 0 ] || wanted=(x86_64 aarch64 armv7l windows macos)
for machine in "${wanted[@]}"; do
  [[ " x86_64 aarch64 armv7l windows macos " = *" $machine "* ]] || { sed -n '2,12s/^# \?//p' "$0"; exit 64; }
done
profile=${PROFILE:-dist}

# Both are pinned: another compiler of C makes other bytes.
zig=(ziglang==0.17.1 cargo-zigbuild==0.24.1)

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
commit=$(git rev-parse --short=12 HEAD)
git diff --quiet HEAD || commit+="-changed"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
export SOURCE_DATE_EPOCH GLEANER_COMMIT="$commit of $day"
out=$PWD/dist target=${CARGO_TARGET_DIR:-$PWD/target} built=${profile/#dev/debug}
rm -rf "$out"
mkdir -p "$out"
missed=()
miss() { missed+=("$*"); printf '\nNOT MADE: %s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; "$@"; }

# Neither the folder of the source nor that of the crates is in what is built.
crates=${CARGO_HOME:-$HOME/.cargo}
library=$(rustc --print sysroot)/lib/rustlib/src/rust
remap="--remap-path-prefix=$PWD=/gleaner --remap-path-prefix=$crates=/crates --remap-path-prefix=$library=/rust"
c_flags="-ffile-prefix-map=$PWD=/gleaner -ffile-prefix-map=$crates=/crates"

if [ ! -x "$target/release-tools/bin/cargo-zigbuild" ]; then
  step python3 -m venv "$target/release-tools"
  step "$target/release-tools/bin/pip" install --quiet "${zig[@]}"
fi
PATH="$target/release-tools/bin:$PATH"

build() {
  local triple=$1 with=$2 flags=$remap options=()
  # What rustup has no standard library for is compiled with it, from the source that rustup has.
  if ! rustup target add "$triple" >"$target/rustup.log" 2>&1; then
    rustup component add rust-src >"$target/rustup.log" 2>&1 ||
      { miss "the program for $triple: rustup has no standard library for it, and not its source"; return 1; }
    options=(-Z "build-std=std,panic_unwind") flags+=" -C link-self-contained=no"
    local -x RUSTC_BOOTSTRAP=1
  fi
  # jemalloc must know the largest page of the kernels it meets: those of ARM have up to 64 KiB.
  local pages=12
  [ "${triple%%-*}" != aarch64 ] || pages=16
  JEMALLOC_SYS_WITH_LG_PAGE=$pages CFLAGS="$c_flags" RUSTFLAGS="$flags" \
    step cargo "$with" --profile "$profile" --locked --bin gleaner --target "$triple" "${options[@]}" ||
    { miss "the program for $triple: it could not be built"; return 1; }
}

# Tries a program, by the emulator after it where this machine is of another kind.
try() {
  local machine=$1 program=$2 emulator=$3
  if [ "$machine" = "$(uname -m)" ]; then
    step contrib/try.sh "$program"
  elif command -v "$emulator" >/dev/null; then
    step contrib/try.sh "$emulator" "$program"
  else
    miss "the trial of the program for $machine: it needs $emulator"
  fi
}

container() {
  local machine=$1 arch=$2 work image=gleaner-$version-container-$1.tar
  command -v podman >/dev/null || { miss "the image for $machine: it needs podman"; return 0; }
  work=$(mktemp -d)
  mkdir "$work/data"
  cp "$target/$3/$built/gleaner" contrib/container/Containerfile "$work"
  find "$work" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  # The format of Docker: that of OCI has no health check.
  { podman build --quiet --isolation chroot --format docker --platform "linux/$arch" --timestamp "$SOURCE_DATE_EPOCH" \
    --tag "localhost/gleaner:$version" --tag localhost/gleaner:latest "$work" &&
    podman save --quiet --format docker-archive --output "$out/$image" "localhost/gleaner:$version" "localhost/gleaner:latest"; } ||
    miss "the image for $machine: podman could not build it"
  rm -rf "$work"
}

linux() {
  local machine=$1 triple=$2 arch=$3
  build "$triple" zigbuild || return 0
  try "$machine" "$target/$triple/$built/gleaner" "$4"
  cp "$target/$triple/$built/gleaner" "$out/gleaner-$version-linux-$machine"
  step contrib/package.sh "$target/$triple/$built/gleaner" "$machine" "$out" | tee "$target/package.log"
  while read -r line; do missed+=("${line#NOT MADE: }"); done < <(grep '^NOT MADE' "$target/package.log")
  step container "$machine" "$arch" "$triple"
}

windows() {
  local triple=x86_64-pc-windows-gnu
  command -v x86_64-w64-mingw32-gcc >/dev/null || { miss "the program for Windows: it needs mingw-w64"; return 0; }
  build "$triple" build || return 0
  try windows "$target/$triple/$built/gleaner.exe" wine
  cp "$target/$triple/$built/gleaner.exe" "$out/gleaner-$version-windows-x86_64.exe"
  command -v wixl >/dev/null || { miss "the installer for Windows: it needs wixl"; return 0; }
  # One identity for each version, the same each time it is made.
  local product
  product=$(python3 -c 'import sys, uuid; print(uuid.uuid5(uuid.NAMESPACE_OID, sys.argv[1]))' "gleaner $version")
  # It takes files from its own folder only.
  local work
  work=$(mktemp -d)
  cp "$target/$triple/$built/gleaner.exe" config.example.yaml contrib/windows/gleaner.wxs "$work"
  find "$work" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  (cd "$work" && step wixl -a x64 -D "Version=$version" -D "Product=$product" \
    -o "$out/gleaner-$version-windows-x86_64.msi" gleaner.wxs) || miss "the installer for Windows: wixl could not make it"
  rm -rf "$work"
}

macos() {
  local triple=aarch64-apple-darwin
  if ! rustup target add $triple >"$target/rustup.log" 2>&1 || ! step cargo-zigbuild check --locked --bin gleaner --target $triple; then
    miss "the check that it compiles for macOS"
  fi
  echo "The program for macOS is built on a Mac (contrib/homebrew/gleaner.rb)."
}

for machine in "${wanted[@]}"; do
  case $machine in
    x86_64) linux x86_64 x86_64-unknown-linux-musl amd64 qemu-x86_64-static ;;
    aarch64) linux aarch64 aarch64-unknown-linux-musl arm64 qemu-aarch64-static ;;
    armv7l) linux armv7l armv7-unknown-linux-musleabihf arm/v7 qemu-arm-static ;;
    windows) windows ;;
    macos) macos ;;
  esac
done

git archive --format=tar.gz --prefix="gleaner-$version/" -o "$out/gleaner-$version.tar.gz" HEAD
(cd "$out" && sha256sum -- * >../SHA256SUMS.new && mv ../SHA256SUMS.new SHA256SUMS)
[ -n "${GLEANER_MAINTAINER:-}" ] || miss "whom to reach about the packages: name somebody in GLEANER_MAINTAINER"
if [ -z "$key" ]; then
  miss "the signature: name a secret key of minisign with --key"
elif command -v minisign >/dev/null; then
  # What `update.check` of the program reads. Its signature is the plain one (-l), which ring verifies.
  printf '{ "version": "%s", "date": "%s" }\n' "$version" "$day" >"$out/latest.json"
  for file in SHA256SUMS latest.json; do
    minisign -S -l -s "$key" -m "$out/$file" -t "gleaner $version $file"
  done
else
  miss "the signature: it needs minisign"
fi

printf '\n== made\n'
ls -l "$out"
[ ${#missed[@]} -eq 0 ] || { printf '\n== not made\n'; printf '%s\n' "${missed[@]}"; exit 1; }
