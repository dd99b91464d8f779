#!/bin/bash
# tests/planted/self_check.sh -- what `weir run --check-tier` tells and writes when native code has a fault, and that what it has written tells it
# again.  The command finds the module with faults beside itself; WEIR_PLANT says which of them it has.  WEIR names the command; its folder is the
# build's.  Without that module nothing is tested.
module=$(dirname "${WEIR:?the command}")/tests/planted/weir_native_planted.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

# expect STATUS WHAT
expect() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    echo "not so: $2"
    failed=$((failed + 1))
  fi
}

# checked SPEC TRACE WAY OPTION...: TRACE through a pipe, where rows come one by one, if WAY is -; else as a file.
checked() {
  local spec=$1 trace=$2 from=$2
  [ "$3" = - ] && from=-
  shift 3
  cat "$trace" | "$folder/weir" run --no-cache --tier native --check-tier 1/1 "$@" "$spec" "$from"
}

# tries FAULT SPEC WAY: a fault in kernels of rows, of a trace that comes through a pipe; or of tiles, of a file.
tries() {
  local way=$3 written
  cd "$folder" || exit
  rm -rf found
  mkdir found
  printf '%s\n' "$2" >spec.dsrv
  ./weir run --tier canonical spec.dsrv trace >want 2>/dev/null
  WEIR_PLANT=0 checked spec.dsrv trace "$way" >got 2>told
  expect $? "without fault $1 it runs"
  ! grep -q differed told
  expect $? "without fault $1 nothing is told"
  WEIR_PLANT=$1 checked spec.dsrv trace "$way" --check-folder found --stats >got 2>told
  cmp -s want got
  expect $? "with fault $1 the output is canonical"
  grep -q '^warning: a faster tier differed from the canonical one' told
  expect $? "fault $1 is told: $(head -n 1 told)"
  grep -q 'that differed [1-9].* from tick [0-9]' told
  expect $? "fault $1 is counted"
  written=$(echo found/weir-difference-*.dsrv)
  cmp -s spec.dsrv "$written"
  expect $? "fault $1: the specification is written"
  local trace=${written%.dsrv}.input
  WEIR_PLANT=$1 checked "$written" "$trace" "$way" >again 2>told
  grep -q differed told
  expect $? "fault $1 is told again by what was written"
  WEIR_PLANT=0 checked "$written" "$trace" file >again 2>told
  expect $? "what was written for fault $1 runs"
  cmp -s again <(head -c "$(wc -c <again)" want)
  expect $? "and is the run up to there"
}

# kept FAULT OPTION...: the trace, with a cache.
kept() { cat trace | WEIR_PLANT=$1 ./weir run --tier native --cache kept --stats "${@:2}" spec.dsrv - >got 2>told; }

# discards FAULT: kernels with a fault do not stay in the cache: those that were just made, and those that an earlier process has left there.
discards() {
  cd "$folder" || exit
  rm -rf kept
  kept "$1" --check-tier 1/1
  grep -q 'native code .* removed from the cache' told
  expect $? "fault $1: a kernel that was made is removed: $(grep 'native code' told)"
  expect "$(find kept -type f | wc -l)" "fault $1: nothing is kept"
  kept "$1"
  grep -q 'native code .* kept in the cache' told
  expect $? "fault $1: without a check it is kept"
  kept 0 --check-tier 1/1
  grep -q 'native code .* removed from the cache' told
  expect $? "fault $1: a kernel that was found is removed: $(grep 'native code' told)"
  kept 0 --check-tier 1/1
  grep -q 'native code .* kept in the cache' told && ! grep -q differed told
  expect $? "fault $1: a good one takes its place: $(grep 'native code' told)"
}

if [ -e "$module" ]; then
  cp "$WEIR" "$folder/weir"
  cp "$module" "$folder/weir_native.so"
  for ((i = 0; i < 600; i++)); do
    printf '%d:\n  x = %d\n  y = %d\n' "$i" $((i * 37 % 101 - 50)) $((i % 13 - 6))
  done >"$folder/trace"
  tries 75 'in x: Int  in y: Int  out z: Int  z = x + default(y[3], 0) + default(y[6], 0)' -
  discards 75
  tries 102 'in x: Int  in y: Int  out z: Int  z = x / 7' file
  tries 97 'in x: Int  in y: Int  out z: Int  aux s: Int  s = x - 3  z = y - default(s[3], 0)' file
else
  expect 0 'there is no native module'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
