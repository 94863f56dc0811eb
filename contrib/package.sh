#!/usr/bin/env bash
# Makes packages of a program that is built: a .deb, an .rpm and a .tar.gz, the same bytes from the same source each time.
#
#   contrib/package.sh PROGRAM ARCHITECTURE FOLDER
#
# ARCHITECTURE is that of `uname -m`: x86_64, aarch64, armv7l. What cannot be made here is said, and is no error. XTASK may name
# the tool of the workspace that makes completions and man pages, where it is built already.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,7s/^# \?//p' "$0"; exit 64; }
program=$(realpath "$1") machine=$2 out=$(realpath -m "$3")
cd "$(dirname "$0")/.."

case $machine in
  x86_64) deb_arch=amd64 ;;
  aarch64) deb_arch=arm64 ;;
  armv7l) deb_arch=armhf ;;
  *) echo "package.sh: no package is known for $machine" >&2; exit 64 ;;
esac
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
summary="filtering HTTP proxy that takes the clutter out of web pages"
# Who publishes it; a package for others must name somebody who can be reached.
maintainer=${GLEANER_MAINTAINER:-"The Gleaner authors <gleaner@gleaner.internal>"}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What stands beside the program, from its own command line.
if [ -z "${XTASK:-}" ]; then
  env -u GLEANER_COMMIT cargo build --quiet --locked -p xtask
  XTASK=${CARGO_TARGET_DIR:-target}/debug/xtask
fi
"$XTASK" completions "$work/completions"
"$XTASK" man --date "$day" "$work/man"

# The files of both packages, where each system has them.
root=$work/root
put() { install -D -m "$1" "$2" "$root/$3"; }
put 755 "$program" usr/bin/gleaner
for unit in service socket; do
  sed 's#/usr/local/bin/#/usr/bin/#; 1,/^\[Unit\]/{/^#/d}' "contrib/gleaner.$unit" >"$work/unit"
  put 644 "$work/unit" "usr/lib/systemd/system/gleaner.$unit"
done
put 644 "$work/completions/gleaner.bash" usr/share/bash-completion/completions/gleaner
for page in "$work"/man/*.1; do
  gzip -9n "$page"
  put 644 "$page.gz" "usr/share/man/man1/$(basename "$page").gz"
done
for file in README.md SECURITY.md; do put 644 "$file" "usr/share/doc/gleaner/$file"; done
put 644 config.example.yaml usr/share/doc/gleaner/examples/config.example.yaml
put 644 contrib/grafana.json usr/share/doc/gleaner/examples/grafana.json
find "$root" -type d -exec chmod 755 {} +

clamp() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

make_tar() {
  local name=gleaner-$version-linux-$machine top
  top=$work/tar/$name
  mkdir -p "$top/completions" "$top/man"
  cp "$program" config.example.yaml README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT contrib/gleaner.service contrib/gleaner.socket "$top"
  cp "$work"/completions/* "$top/completions"
  cp "$root"/usr/share/man/man1/* "$top/man"
  mv "$top/$(basename "$program")" "$top/gleaner" 2>/dev/null || true
  clamp "$top"
  tar -C "$work/tar" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
}

make_deb() {
  local deb=$work/deb
  cp -a "$root" "$deb"
  install -D -m 644 "$work/completions/_gleaner" "$deb/usr/share/zsh/vendor-completions/_gleaner"
  install -D -m 644 "$work/completions/gleaner.fish" "$deb/usr/share/fish/vendor_completions.d/gleaner.fish"
  install -D -m 644 contrib/debian/lintian-overrides "$deb/usr/share/lintian/overrides/gleaner"
  install -m 644 contrib/debian/README.Debian "$deb/usr/share/doc/gleaner/README.Debian"
  install -m 644 contrib/debian/copyright "$deb/usr/share/doc/gleaner/copyright"
  printf 'gleaner (%s) stable; urgency=medium\n\n  * See /usr/share/doc/gleaner/NEWS.gz.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$deb/usr/share/doc/gleaner/changelog.gz"
  gzip -9n <CHANGELOG.md >"$deb/usr/share/doc/gleaner/NEWS.gz"
  chmod 644 "$deb"/usr/share/doc/gleaner/*.gz
  mkdir "$deb/DEBIAN"
  install -m 755 contrib/debian/postinst contrib/debian/prerm contrib/debian/postrm "$deb/DEBIAN"
  cat >"$deb/DEBIAN/control" <<EOF
Package: gleaner
Version: $version
Architecture: $deb_arch
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$deb/usr" | cut -f1)
Recommends: ca-certificates, systemd
Section: web
Priority: optional
Description: $summary
 Gleaner is a forward HTTP proxy for a household: advertisements, menus, dialogs
 and scripts go, the text and its pictures stay. One machine at home runs it,
 and phones, tablets, e-readers and browsers use it.
EOF
  (cd "$deb" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$deb" -type d -exec chmod 755 {} +
  clamp "$deb"
  dpkg-deb --root-owner-group -Zxz -b "$deb" "$out/gleaner_${version}_$deb_arch.deb" >/dev/null
}

make_rpm() {
  local rpm=$work/rpm spec=$work/gleaner.spec
  cp -a "$root" "$rpm"
  install -D -m 644 "$work/completions/_gleaner" "$rpm/usr/share/zsh/site-functions/_gleaner"
  install -D -m 644 "$work/completions/gleaner.fish" "$rpm/usr/share/fish/vendor_completions.d/gleaner.fish"
  install -m 644 CHANGELOG.md "$rpm/usr/share/doc/gleaner/CHANGELOG.md"
  install -D -m 644 LICENSE-MIT "$rpm/usr/share/licenses/gleaner/LICENSE-MIT"
  install -m 644 LICENSE-APACHE "$rpm/usr/share/licenses/gleaner/LICENSE-APACHE"
  find "$rpm" -type d -exec chmod 755 {} +
  clamp "$rpm"
  {
    cat <<EOF
Name: gleaner
Version: $version
Release: 1
Summary: $summary
License: MIT OR Apache-2.0
AutoReqProv: no
Recommends: ca-certificates

%description
Gleaner is a forward HTTP proxy for a household: advertisements, menus, dialogs
and scripts go, the text and its pictures stay. One machine at home runs it,
and phones, tablets, e-readers and browsers use it.

EOF
    printf '%%install\nmkdir -p %%{buildroot}\ncp -a %s/. %%{buildroot}/\n\n' "$rpm"
    cat contrib/rpm.scripts
    printf '\n%%files\n%%dir /usr/share/doc/gleaner\n%%dir /usr/share/doc/gleaner/examples\n%%dir /usr/share/licenses/gleaner\n'
    (cd "$rpm" && find . -type f | sort | sed 's#^\.#%attr(-,root,root) #; s#^.*/usr/share/doc/#%doc /usr/share/doc/#; s#^.*/usr/share/licenses/#%license /usr/share/licenses/#')
  } >"$spec"
  rpmbuild -bb --quiet --target "$machine-linux" --buildroot "$work/buildroot" \
    --define "_topdir $work/rpmbuild" --define "_rpmdir $out" --define "_build_id_links none" --define "__os_install_post %{nil}" \
    --define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" --define "_buildhost reproducible" \
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" --define "_binary_payload w19.zstdio" "$spec" >"$work/rpmbuild.log" 2>&1 ||
    { cat "$work/rpmbuild.log" >&2; return 1; }
}

make_tar
if command -v dpkg-deb >/dev/null; then make_deb; else echo "NOT MADE: the .deb for $machine; it needs dpkg-deb"; fi
if command -v rpmbuild >/dev/null; then make_rpm; else echo "NOT MADE: the .rpm for $machine; it needs rpmbuild"; fi
