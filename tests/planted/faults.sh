#!/bin/bash
# tests/planted/faults.sh -- faults planted in the passes over scalar bodies and in the quickened tier are found by the agreement tests.
#
# The build compiles each file with a fault once more (WB_PLANTED in the sources; the list is in tests/CMakeLists.txt) and links it
# with the suite that is to fail, or to end on a check of the library's own.  WEIR names the command; its folder is the build's.
folder=$(dirname "${WEIR:?the command}")/tests/planted
passed=0 failed=0
for program in "$folder"/*_fault_*; do
  [ -x "$program" ] || continue
  if timeout 250 "$program" 2>&1 </dev/null | sed 's/\x1b\[[0-9;]*m//g' | grep -q 'Failing: [1-9]\|Crashing: [1-9]'; then
    passed=$((passed + 1))
  else
    echo "not found: $(basename "$program")"
    failed=$((failed + 1))
  fi
done
[ $((passed + failed)) -gt 0 ] || { echo "no faults in $folder"; failed=1; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
