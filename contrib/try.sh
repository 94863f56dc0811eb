#!/usr/bin/env bash
# Tries a program that is built, on loopback: its commands that need no network, a forwarded request, a rewritten page, an encrypted one.
#
#   contrib/try.sh COMMAND…
#
# COMMAND runs the program: `target/release/gleaner`, `qemu-arm-static gleaner-0.1.0-linux-armv7l`, `wine gleaner.exe`. It needs curl,
# openssl and python3, and for Windows mingw-w64.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,7s/^# \?//p' "$0"; exit 64; }

here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
export HOME="$work" XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work" XDG_CACHE_HOME="$work" WINEDEBUG=-all
program=${*: -1} trust="extra_ca_file: '$work/origin.pem'"
if [[ "$program" = *.exe ]]; then
  cp "$program" "$work/gleaner.exe"
  x86_64-w64-mingw32-gcc -shared -o "$work/bcryptprimitives.dll" "$here/windows/bcryptprimitives.c" -ladvapi32
  # Wine has not all that Windows verifies a certificate with.
  trust='insecure_hosts: [127.0.0.1]'
  set -- "${@:1:$#-1}" "$work/gleaner.exe"
fi

# Starts a command, and waits until it has told its address on loopback, whose port is then in `port`.
start() {
  local log=$work/${#running[@]}.log
  touch "$log"
  PYTHONUNBUFFERED=1 "$@" >"$log" 2>&1 &
  running+=($!)
  for _ in {1..600}; do
    ! port=$(grep -oPm1 '127\.0\.0\.1:\K\d+' "$log") || return 0
    kill -0 $! 2>/dev/null || break
    sleep .1
  done
  cat "$log" >&2
  return 1
}

mkdir "$work/www"
cp "$here/../docs/demo/page.html" "$work/www"
head -c 300000 /dev/urandom >"$work/www/bytes"
printf '%s\n' '[req]' distinguished_name=name x509_extensions=use '[name]' '[use]' subjectAltName=IP:127.0.0.1 >"$work/openssl.cnf"
openssl req -x509 -config "$work/openssl.cnf" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 \
  -keyout "$work/key.pem" -out "$work/origin.pem" 2>/dev/null
pushd "$work/www" >/dev/null
start python3 -m http.server --bind 127.0.0.1 0
plain=$port
start openssl s_server -accept 127.0.0.1:0 -WWW -key ../key.pem -cert ../origin.pem
encrypted=$port
popd >/dev/null
cat >"$work/config.yaml" <<EOF
listen: 0
https: { intercept: on }
upstream: { $trust }
access: { allow_targets: ["127.0.0.1:$plain", "127.0.0.1:$encrypted"] }
EOF
"$@" --version
"$@" check-config "$work/config.yaml"
"$@" extract "$work/www/page.html" | grep -q lighthouse
start "$@" serve --config "$work/config.yaml"

get() { curl -sS --max-time 60 -x "http://127.0.0.1:$port" "$@"; }
# Whether this answer is the page without its clutter, by what the proxy says and by what is there.
is_decluttered() {
  if grep -i '^gleaner: rewritten' "$1" && grep -q lighthouse "$1" && ! grep -q '<script' "$1"; then return 0; fi
  cat "$1" "$work"/*.log >&2
  return 1
}
get -o "$work/bytes" "http://127.0.0.1:$plain/bytes"
cmp "$work/bytes" "$work/www/bytes"
get -i -o "$work/plain" "http://127.0.0.1:$plain/page.html"
is_decluttered "$work/plain"
get -o "$work/authority.pem" http://gleaner.internal/ca.pem
get -i --cacert "$work/authority.pem" -o "$work/encrypted" "https://127.0.0.1:$encrypted/page.html"
is_decluttered "$work/encrypted"
echo "tried: $*"
