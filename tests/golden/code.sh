#!/usr/bin/env bash
# tests/golden/code.sh -- what `weir explain` shows of kernels: LLVM itself reads the one, an assembler the other, and both hold the same
# kernels.  What stands in them differs from processor to processor.  Without the module there is a reason instead.  And what `weir run` tells where
# it cannot keep them.
#
# WEIR is the command.  Prints `N passed, N failed`.
set -uo pipefail
weir=$(realpath "${WEIR:-build/weir}") || exit 2
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
spec=../../examples/pump.dsrv
printf 'in x: Int\nin y: Int\nout z: Int\nz = if x > y then x - y else x + y\n' >"$scratch/guarded.dsrv"
printf 'in s: Str\nout t: Str\nt = s ++ s\n' >"$scratch/texts.dsrv"

# expect WHAT COMMAND...: the command succeeds.
expect() {
  local what=$1 said
  shift
  if said=$("$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n%s\n' "$what" "$said"
  fi
}

# refused STAGE SPEC WORDS: status 2, nothing shown, and the words on standard error.
refused() {
  "$weir" explain --stage "$1" "$2" >"$scratch/out" 2>"$scratch/err"
  [ $? -eq 2 ] && [ ! -s "$scratch/out" ] && grep -q "error: .*$3" "$scratch/err" || { cat "$scratch/err"; return 1; }
}
shown() { "$weir" explain --stage "$1" $spec >"$scratch/$1" && [ -s "$scratch/$1" ]; }
# The regions that --stage regions shows have a kernel each, of the same name.
regions() {
  "$weir" explain --stage "$1" kinds.dsrv >"$scratch/of_regions" && "$weir" explain --stage regions kinds.dsrv | sed -nE 's/^region ([0-9]+),.*/region_\1/p' >"$scratch/regions" || return 1
  grep -oE '(^|@)region_[0-9]+[:(]' "$scratch/of_regions" | tr -d '@:(' | diff - "$scratch/regions" && [ -s "$scratch/regions" ]
}
# Ints that are spread over 64 bits fail the test of small inputs nearly always, though this body would allow 63.
tests_few_bits() { "$weir" explain --stage llvm "$scratch/guarded.dsrv" | sed -n '/@warm(/,/^}/p' | grep -E "icmp ult i64 .*, $((1 << 55))(,|\$)" >/dev/null; }
same_kernels() { diff "$scratch/llvm.names" "$scratch/asm.names" && [ -s "$scratch/llvm.names" ]; }

# not_kept: for a folder that the user names there is a warning; for the usual one only --stats tells, as text and as JSON.
not_kept() {
  local run=("$weir" run --tier native --stats="$1" ../../examples/pump.dsrv ../../examples/pump.input)
  local words='cannot make the folder /dev/null/"x: a part of the path is no folder' named usual
  named=$("${run[@]}" --cache '/dev/null/"x' 2>&1 >/dev/null) && usual=$(XDG_CACHE_HOME=/dev/null "${run[@]}" 2>&1 >/dev/null) || return 1
  printf '%s\n%s\n' "$named" "$usual"
  [[ $named == *"warning: native code is not kept for the next run: $words"* ]] && [[ $usual != *warning* ]] || return 1
  if [ "$1" = text ]; then [[ $named == *"writing to the cache failed: $words"* && $usual == *'failed: cannot make the folder /dev/null/weir: '* ]]
  else python3 -c 'import json, sys; assert json.loads(sys.argv[1].splitlines()[-1])["native_cache_why"] == sys.argv[2]' "$named" "$words"; fi
}

# too_large: a limit below the size of what is kept is told as one.
too_large() {
  "$weir" run --tier native --stats --cache "$scratch/small" --max-cache-bytes 1KiB ../../examples/pump.dsrv ../../examples/pump.input >/dev/null 2>"$scratch/err" || return 1
  local line words='its [0-9]+ bytes are more than the 1024 that all files may take'
  for line in "^warning: native code is not kept for the next run: $words\$" '^hint: --max-cache-bytes says how much all files may take$' "not kept: larger than the cache may be: $words\$"; do
    grep -qE "$line" "$scratch/err" || { cat "$scratch/err"; return 1; }
  done
}

if [ ! -e "$(dirname "$weir")/weir_native.so" ]; then
  for stage in llvm asm; do expect "$stage without the module" refused $stage $spec 'the module weir_native.so is not there'; done
else
  for stage in llvm asm; do
    expect "$stage is shown" shown $stage
    expect "$stage of regions is shown" regions $stage
    expect "$stage of nothing but texts" refused $stage "$scratch/texts.dsrv" 'no stream is scalar throughout'
  done
  expect 'LLVM reads what is shown' llvm-as-19 -o "$scratch/read.bc" "$scratch/llvm"
  expect 'and writes it again' llvm-dis-19 -o "$scratch/again" "$scratch/read.bc"
  expect 'an assembler reads what is shown' llvm-mc-19 -triple=x86_64-pc-linux-gnu -filetype=obj -o "$scratch/read.o" "$scratch/asm"
  sed -nE 's/^define .*@"?([^"(]+)"?\(.*/\1/p' "$scratch/again" | sort >"$scratch/llvm.names"
  nm --defined-only -g "$scratch/read.o" | awk '$2 == "T" {print $3}' | sort >"$scratch/asm.names"
  expect 'both have the same kernels' same_kernels
  expect 'inputs are tested for few bits' tests_few_bits
  # Rows that lack inputs are filled for the warm kernel here, and have none of their own.
  for kernel in general warm; do expect "there is one for $kernel rows" grep -qx $kernel "$scratch/asm.names"; done
  nm -u "$scratch/read.o" >"$scratch/undefined"
  expect 'they refer to nothing outside' test ! -s "$scratch/undefined"
  for form in text json; do expect "why kernels are not kept is told as $form" not_kept $form; done
  expect 'a limit that is too small for them is told as one' too_large
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
