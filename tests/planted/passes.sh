#!/bin/bash
# tests/planted/passes.sh -- faults planted in the passes over scalar bodies are found by the agreement tests.
#
# The build compiles the agreement tests once more for each fault (WEIR_PLANT in ir/pass_*.c; the list is in tests/CMakeLists.txt).
# WEIR names the command; its folder is the build's.
folder=$(dirname "${WEIR:?the command}")/tests/planted
passed=0 failed=0
for program in "$folder"/quick_fault_* "$folder"/passes_fault_*; do
  [ -x "$program" ] || continue
  if timeout 250 "$program" 2>&1 </dev/null | sed 's/\x1b\[[0-9;]*m//g' | grep -q 'Tested: 1 | Passing: 0 | Failing: 1 '; then
    passed=$((passed + 1))
  else
    echo "not found: $(basename "$program")"
    failed=$((failed + 1))
  fi
done
[ $((passed + failed)) -gt 0 ] || { echo "no faults in $folder"; failed=1; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
