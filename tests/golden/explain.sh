#!/usr/bin/env bash
# tests/golden/explain.sh -- what `weir explain` shows of kinds.dsrv is what stands in kinds.STAGE; and its drawings can be drawn.
#
# WEIR is the command.  After a change that is wanted: UPDATE=1 WEIR=build/weir tests/golden/explain.sh, then read the difference.
# Prints `N passed, N failed`.
set -uo pipefail
weir=$(realpath "${WEIR:-build/weir}") || exit 2
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# expect WHAT COMMAND...: the command succeeds and says nothing.
expect() {
  local what=$1 said
  shift
  if said=$("$@" 2>&1) && [ -z "$said" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n%s\n' "$what" "$said"
  fi
}

# Every quote is closed, every brace, and every statement ends: enough where there is no Graphviz.
is_dot() {
  perl -0777 -ne 's/"(\\.|[^"\\])*"/Q/gs; exit 1 if /"/; exit 1 unless tr/{// == tr/}//;
    for (split /\n/) { exit 1 unless /^digraph \w+ \{$/ || /[;{}]$/ }' "$1" || echo 'no DOT'
}
draw() { if command -v dot >/dev/null; then dot -Tcanon -o "$scratch/drawn" "$1"; fi; }

for stage in ast graph schedule state ir regions; do
  if [ -n "${UPDATE:-}" ]; then "$weir" explain --stage $stage kinds.dsrv >kinds.$stage; fi
  "$weir" explain --stage $stage kinds.dsrv >"$scratch/kinds.$stage" 2>&1
  expect "kinds.$stage" diff -u kinds.$stage "$scratch/kinds.$stage"
  for spec in kinds.dsrv ../../examples/*.dsrv; do
    "$weir" explain --dot --stage $stage "$spec" >"$scratch/dot" 2>&1
    expect "$stage of $spec is DOT" is_dot "$scratch/dot"
    expect "$stage of $spec can be drawn" draw "$scratch/dot"
  done
done

# A schedule that is scalar throughout is two bodies; kinds.dsrv has a region.
if [ -n "${UPDATE:-}" ]; then "$weir" explain --stage ir ../../examples/pump.dsrv >pump.ir; fi
"$weir" explain --stage ir ../../examples/pump.dsrv >"$scratch/pump.ir" 2>&1
expect pump.ir diff -u pump.ir "$scratch/pump.ir"

# The tree comes with type errors, and only it.
printf 'in x: Int\nout y: Str\ny = x ++ 1' >"$scratch/wrong.dsrv"
shows_tree() { "$weir" explain --stage ast "$scratch/wrong.dsrv" >"$scratch/out" 2>/dev/null; grep -q '++' "$scratch/out"; }
expect 'a tree with type errors' shows_tree
fails() {
  "$weir" "$@" >"$scratch/out" 2>"$scratch/err"
  [ $? -eq 2 ] && [ ! -s "$scratch/out" ] && [ -s "$scratch/err" ]
}
expect 'no graph with type errors' fails explain "$scratch/wrong.dsrv"
printf 'in x: Int\nout y: Str\ny = (x' >"$scratch/wrong.dsrv"
expect 'no tree with syntax errors' fails explain --stage ast "$scratch/wrong.dsrv"
expect 'no such stage' fails explain --stage machine kinds.dsrv
expect 'no drawing of code' fails explain --dot --stage asm ../../examples/pump.dsrv

# 20,000 levels: no C stack is used for them, and lines do not grow with the depth.
{ echo 'out y: Int'; printf 'y = 1'; printf ' + 1%.0s' $(seq 20000); } >"$scratch/deep.dsrv"
is_deep() { "$weir" explain --stage ast "$scratch/deep.dsrv" | awk 'length > 100 {exit 1} END {exit NR < 40000}' || echo 'too wide, or not all of it'; }
expect 'a deep tree' is_deep

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
