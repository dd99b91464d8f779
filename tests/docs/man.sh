#!/usr/bin/env bash
# tests/docs/man.sh -- the manual pages: well formed, and in agreement with what the command and the library have.
#
# WEIR is the command.  Prints `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
weir=$(realpath "${WEIR:-build/weir}") || exit 2
passed=0 failed=0

# claim TEXT: what is read from standard input is what speaks against it.
claim() {
  local found
  found=$(cat)
  if [ -z "$found" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n%s\n' "$1" "$found"
  fi
}
shopt -s lastpipe # `... | claim` counts in this shell

# What only depends on what else is installed is no fault of the page.
lint() { mandoc -Tlint "$1" 2>&1 | grep -vE 'referenced manual not found|outdated mandoc.db'; }
if command -v mandoc >/dev/null; then
  for page in docs/man/*.[13]; do lint "$page" | claim "$page is clean"; done
else
  echo 'mandoc is not installed: not linted'
fi

# "--ticks", "-o", one a line, of the lines that list options.
help_options() { "$weir" help "$1" | sed -nE 's/^ {2,6}(-.*)/\1/p' | sed -E 's/ {2,}.*//' | grep -oE -- '(^|[ ,])--?[a-z-]+' | tr -d ' ,' | sort; }
page_options() { grep -E '^\.It Fl ' "docs/man/weir-$1.1" | sed -E 's/^\.It //; s/ , /\n/g' | sed -nE 's/^Fl ([-a-z]+).*/-\1/p' | sort; }
# "--max-gap 1000000": an option and the value that it has when it is not given.
help_defaults() { "$weir" help "$1" | sed -nE 's/^ *(--max-[a-z-]+) .*\(([0-9A-Za-z]+)\)$/\1 \2/p' | sort; }
page_defaults() { awk '/^\.It Fl -max-/ {name = "-" $3} /^\.It Fl -[^m]/ {name = ""} /^\.Pq [0-9]/ && name != "" {print name, $2}' "docs/man/weir-$1.1" | sort; }

commands=$("$weir" help | sed -nE 's/^  weir ([a-z]+) \[OPTION\].*/\1/p')
for command in $commands; do
  diff <(help_options "$command") <(page_options "$command") | claim "weir-$command(1) has the options of weir help $command"
  diff <(help_defaults "$command") <(page_defaults "$command") | claim "weir-$command(1) has the defaults of weir help $command"
  { grep -q "^\.It Cm $command\$" docs/man/weir.1 || echo missing; } | claim "weir(1) names $command"
done
[ -n "$commands" ] || echo 'no commands' | claim 'weir help lists commands'

sed 's|/\*.*||' include/weir.h | grep -oE '\bweir_[a-z_0-9]+\(' | tr -d '(' | sort -u | while read -r name; do
  grep -qE "^\.Fn $name( |\$)|Fn $name( |\$)" docs/man/weir.3 || echo "$name"
done | claim 'weir(3) names every function of weir.h'
grep -oE 'Fn weir_[a-z_0-9]+' docs/man/weir.3 | sed 's/Fn //' | sort -u | while read -r name; do
  grep -qE "\b$name\(" include/weir.h || echo "$name"
done | claim 'weir(3) names no other function'

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
