#!/usr/bin/env bash
# test_avx512.sh BUILD [PROGRAM...]: runs test programs of a build on a processor with AVX-512 that bochs emulates, for
# machines that have none; on one that has it, ctest runs the same kernels. PROGRAM is a path in BUILD, its arguments in
# the same word. LATTICE_* and GTEST_* variables reach the programs. What the machine printed stays in BUILD/avx512/log.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: test_avx512.sh BUILD [PROGRAM...]}")
shift
programs=("$@")
[ ${#programs[@]} -gt 0 ] || programs=(
  kernels/cpu/matmul/cpu_matmul_test
  kernels/cpu/features/cpu_features_test
  tests/conformance_test
  tests/differential_test
  tests/reliability/determinism_test
)
lattice=tools/lattice/lattice
processor=corei7_skylake_x

packages=(g++ make xz-utils bochsbios vgabios busybox-static isolinux syslinux-common xorriso cpio binutils)
missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "run this as root, or install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

work=$build/avx512
rm -rf "$work/root" "$work/disc"
mkdir -p "$work/kernel" "$work/root"/{bin,dev,proc,sys,tmp} "$work/disc"

# bochs 3.0 of Debian 13, from source (two minutes): 2.7, which Debian 12 has, rounds ties to f16 away from zero.
bochs=$work/bochs/bochs
if [ ! -x "$bochs" ]; then
  mkdir -p "$work"/apt/{state/lists/partial,cache/archives/partial} "$work/bochs"
  echo 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main' \
    >"$work/apt/sources.list"
  options=(-q -o Dir::State="$work/apt/state" -o Dir::Cache="$work/apt/cache"
           -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null)
  echo "building bochs"
  (cd "$work/apt" &&
    apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only --tar-only bochs &&
    tar -xf bochs_*.orig.tar.xz -C "$work/bochs" --strip-components=1 &&
    cd "$work/bochs" &&
    ./configure --enable-x86-64 --enable-cpu-level=6 --enable-avx --enable-evex --enable-all-optimizations \
      --disable-plugins --disable-debugger --with-nogui CFLAGS=-O2 CXXFLAGS=-O2 &&
    make) >"$work/bochs.build" 2>&1 || { echo "bochs could not be built; see $work/bochs.build" >&2; exit 1; }
fi

# The kernel is unpacked, never installed.
if ! compgen -G "$work/kernel/boot/vmlinuz-*" >/dev/null; then
  package=$(apt-cache depends linux-image-cloud-amd64 | awk '$1 == "Depends:" { print $2; exit }')
  (cd "$work/kernel" && apt-get download -q "$package" && dpkg -x "$package"_*.deb . && rm -f ./*.deb)
fi
cp "$work"/kernel/boot/vmlinuz-* "$work/disc/vmlinuz"

# Programs, libraries and test data lie at the paths they have here.
root=$work/root
for program in "${programs[@]%% *}" "$lattice"; do
  mkdir -p "$root$(dirname "$build/$program")"
  strip -o "$root$build/$program" "$build/$program"
  ldd "$build/$program" | grep -o '/[^ ]*' | while read -r library; do
    [ -e "$root$library" ] || { mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"; }
  done
done
mkdir -p "$root$PWD/tests"
cp -r tests/data "$root$PWD/tests/data"
cp "$(command -v busybox)" "$root/bin/busybox"
{
  cat <<'INIT'
#!/bin/busybox sh
busybox() { /bin/busybox "$@"; }
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev
export HOME=/tmp TMPDIR=/tmp GTEST_COLOR=no
echo "processor: $(busybox grep -m1 '^model name' /proc/cpuinfo); \
$(busybox grep -m1 '^flags' /proc/cpuinfo | busybox grep -o 'avx512[a-z_0-9]*' | busybox tr '\n' ' ')"
run() {
  echo "== $*"
  "$@"
  echo "== exit status $? of $1"
}
INIT
  for name in $(compgen -e | grep -E '^(LATTICE|GTEST)_' || true); do printf 'export %s=%q\n' "$name" "${!name}"; done
  printf 'cd %q\n' "$PWD"
  printf 'run %q devices\n' "$build/$lattice"
  for program in "${programs[@]}"; do
    read -ra words <<<"$program"
    printf 'run'
    printf ' %q' "$build/${words[0]}" --gtest_brief=1 "${words[@]:1}"
    printf '\n'
  done
  # The serial line wants a moment to empty.
  echo 'echo "== end"; busybox sleep 2; busybox poweroff -f'
} >"$root/init"
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/disc/initrd"

cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/disc"
cat >"$work/disc/isolinux.cfg" <<'BOOT'
DEFAULT tests
LABEL tests
  KERNEL /vmlinuz
  INITRD /initrd
  APPEND console=ttyS0 quiet mitigations=off random.trust_cpu=on panic=-1
BOOT
xorriso -as mkisofs -quiet -o "$work/disc.iso" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 \
  -boot-info-table "$work/disc" 2>"$work/disc.log" || { cat "$work/disc.log" >&2; exit 1; }

cat >"$work/bochsrc" <<BOCHS
display_library: nogui
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=$processor, count=1, ips=100000000, reset_on_triple_fault=0
clock: sync=none
memory: guest=2048, host=2048
ata0-master: type=cdrom, path="$work/disc.iso", status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev="$work/log"
log: $work/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
BOCHS

rm -f "$work/log"
echo "running ${#programs[@]} programs on an emulated $processor"
# bochs leaves with a panic when the machine powers off.
"$bochs" -q -f "$work/bochsrc" </dev/null >"$work/screen" 2>&1 || true
[ -e "$work/log" ] || { echo "the machine did not start; see $work/screen" >&2; exit 1; }

tr -d '\r' <"$work/log" | grep -aE '^processor|^== |^cpu|^\[[= ]+[]A-Z]|Failure$' || true
text=$(tr -d '\r' <"$work/log")
fail() { echo "$1; see $work/log" >&2; exit 1; }
grep -q '^== end' <<<"$text" || fail "the machine did not come to its end"
grep -q 'avx512, ' <<<"$text" || fail "the runtime did not choose avx512"
passed=$(grep -c '^== exit status 0 of' <<<"$text" || true)
[ "$passed" -eq $((${#programs[@]} + 1)) ] || fail "not every program passed"
echo "all passed"
