#!/bin/bash
# tests/planted/faults.sh -- faults planted in the passes over scalar bodies, in the quickened tier, and in the native one are found by the
# agreement tests.
#
# The build compiles each file with a fault once more (WB_PLANTED in the sources; the list is in tests/CMakeLists.txt) and links it
# with the suite that is to fail, or to end on a check of the library's own.  The native module is linked once with all its faults, and
# WEIR_PLANT says which of them it has.  WEIR names the command; its folder is the build's.
build=$(dirname "${WEIR:?the command}")
folder=$build/tests/planted
module=$folder/weir_native_planted.so
passed=0 failed=0

# fails COMMAND...: a test of the suite does, or crashes.
fails() { timeout 250 "$@" 2>&1 </dev/null | sed 's/\x1b\[[0-9;]*m//g' | grep -q 'Failing: [1-9]\|Crashing: [1-9]'; }

# count STATUS WHAT
count() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    echo "$2"
    failed=$((failed + 1))
  fi
}

export WEIR_SHRINK_TRIES=0 # a case is not to be shown
for program in "$folder"/*_fault_*; do
  [ -x "$program" ] || continue
  fails "$program"
  count $? "not found: $(basename "$program")"
done

if [ -e "$module" ]; then
  export WEIR_NATIVE_MODULE=$module
  rows_fail() { fails "$build/tests/agree/agree_edges" || fails "$build/tests/agree/agree_native"; }
  tiles_fail() { fails "$build/tests/agree/agree_tile" --filter '*/programs_made*' || fails "$build/tests/agree/agree_tile" --filter '*/random*'; }
  # A monitor that checks itself finds the fault, and its answers are right all the same.
  check_tells() { timeout 250 "$build/tests/agree/agree_check" 2>&1 </dev/null | sed 's/\x1b\[[0-9;]*m//g' | grep -q 'Passing: 1 | Failing: 1 '; }
  # finds WHAT FILE...: what is to find each fault of these files of the module.
  finds() {
    local what=$1 n
    shift
    for n in $(grep -ohE 'WB_PLANTED\([0-9]+\)' "$@" | tr -dc '0-9\n' | sort -un); do
      WEIR_PLANT=$n "$what"
      count $? "not found: $n in the native module"
    done
  }
  jit=$(dirname "$0")/../../jit
  finds rows_fail "$jit"/emit*.c
  finds tiles_fail "$jit"/batch*.c
  finds check_tells "$jit"/batch*.c "$jit"/emit*.c
  ! { WEIR_MODEL_COUNT=20 rows_fail || WEIR_MODEL_COUNT=20 tiles_fail; }
  count $? 'the native module with no fault fails'
fi

[ $((passed + failed)) -gt 0 ] || { echo "no faults in $folder"; failed=1; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
