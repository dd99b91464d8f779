#!/usr/bin/env bash
# An output never destroys what the run reads: a named trace, a trace on standard input, the specification; also through links.
set -uo pipefail
weir=$(realpath "${WEIR:-build/weir}") || exit 2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
passed=0 failed=0
expect() { if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL %s\n' "$1"; fi; }

printf 'in x\nout y\ny = x\n' >s.dsrv
printf '0: x = 1\n' >t.input
ln t.input hard.input
ln -s t.input soft.input
refuses() { # OUTPUT TRACE, or OUTPUT alone for standard input
  "$weir" run s.dsrv ${2:+"$2"} -o "$1" <t.input 2>err
  [ $? -eq 2 ] && grep -q 'would overwrite' err && grep -q 'x = 1' t.input && grep -q 'y = x' s.dsrv
}
expect 'a named trace' refuses t.input t.input
expect 'a hard link to it' refuses hard.input t.input
expect 'a soft link to it' refuses soft.input t.input
expect 'the trace on standard input' refuses t.input
expect 'a link to that' refuses hard.input
expect 'the specification' refuses s.dsrv t.input
writes() { "$weir" run s.dsrv -o out.input <t.input && grep -q 'y = 1' out.input; }
expect 'another file is written' writes
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
