#!/usr/bin/env bash
# tests/docs/completions.sh -- the completions: good scripts, and what they offer where.
#
# WEIR is the command.  Prints `N passed, N failed`.
set -uo pipefail
weir=$(realpath "${WEIR:-build/weir}") || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
mkdir -p bin place/folder
ln -s "$weir" bin/weir
export PATH=$scratch/bin:$PATH HOME=$scratch
touch place/{tank.dsrv,query.sql,tank.trace,tank.csv,tank.csv.gz,notes.txt,'two words.dsrv'}
passed=0 failed=0

# expect WHAT WANT GOT
expect() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n  want %s\n  got  %s\n' "$1" "$2" "$3"
  fi
}

for shell in bash zsh fish; do weir completions $shell >$shell.script || expect "weir completions $shell" 'status 0' "status $?"; done
expect 'no shell is an error' 2 "$(weir completions >/dev/null 2>&1; echo $?)"
expect 'another shell is an error' 2 "$(weir completions csh >/dev/null 2>&1; echo $?)"

for shell in bash zsh fish; do
  command -v $shell >/dev/null || { echo "$shell is not installed: its script is not looked at"; continue; }
  expect "$shell can read its script" '' "$($shell -n $shell.script 2>&1)"
done

# ---- bash, as readline would ask it: words are cut at `=` too ----

# in_bash WORD...: what is offered for the last word, sorted, in one line.
in_bash() (
  cd place || exit
  source ../bash.script 2>&1
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _weir 2>&1
  printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd, -
)

long_options() { weir help "$1" | grep -oE -- '^ {2,6}(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort | paste -sd, -; }
commands=$(weir help | sed -nE 's/^  weir ([a-z]+) \[OPTION\].*/\1/p')
expect 'a command' check,completions "$(in_bash weir c)"
expect 'all commands' "$(printf '%s\n' $commands help completions --help --version | sort | paste -sd, -)" "$(in_bash weir '')"
for command in $commands; do
  expect "all options of $command" "$(long_options "$command")" "$(in_bash weir "$command" -- | tr ',' '\n' | grep -e -- | paste -sd, -)"
done
expect 'an option' --tier,--time-column "$(in_bash weir run --ti | tr ',' '\n' | grep -v ticks | paste -sd, -)"
expect 'the words of an option' asm,ast,graph,ir,llvm,regions,schedule,state "$(in_bash weir explain --stage '')"
expect 'a word begun' schedule,state "$(in_bash weir explain --stage s)"
expect 'a word behind =' schedule,state "$(in_bash weir explain --stage = s)"
expect 'words right behind =' asm,ast,graph,ir,llvm,regions,schedule,state "$(in_bash weir explain --stage =)"
expect 'a word only behind =' folder,query.sql,tank.dsrv,'two words.dsrv' "$(in_bash weir run --stats '')"
expect 'formats' csv,input,ndjson,trace "$(in_bash weir run --output-format '')"
expect 'nothing for a number' '' "$(in_bash weir run --ticks '')"
expect 'any file to write to' folder,notes.txt "$(in_bash weir run -o '' | tr ',' '\n' | grep -e notes -e folder | paste -sd, -)"
expect 'a specification first' folder,query.sql,tank.dsrv,'two words.dsrv' "$(in_bash weir run '')"
expect 'then a trace' folder,tank.csv,tank.csv.gz,tank.trace "$(in_bash weir run tank.dsrv '')"
expect 'a part of the benchmark' W1,W10 "$(in_bash weir bench W1)"
expect 'or a specification, and a trace' tank.dsrv,tank.trace "$(in_bash weir bench tank.d),$(in_bash weir bench tank.dsrv tank.t)"
expect 'no trace to check' '' "$(in_bash weir check tank.dsrv '')"
expect 'a command to help with' explain "$(in_bash weir help e)"
expect 'a shell' bash "$(in_bash weir completions b)"
expect 'nothing for an unknown command' '' "$(in_bash weir nonsense '')"

# ---- fish answers by itself ----

in_fish() (cd place && fish --no-config -c 'source ../fish.script; complete -C "$argv"' -- "$*" 2>&1 | cut -f1 | sort | paste -sd, -)
if command -v fish >/dev/null; then
  expect 'fish: a command' check,completions "$(in_fish weir c)"
  expect 'fish: options' "$(long_options explain | tr ',' '\n' | grep -e --max | paste -sd, -)" "$(in_fish weir explain --max)"
  expect 'fish: words' schedule,state "$(in_fish weir explain --stage s)"
  expect 'fish: a part of the benchmark' chains "$(in_fish weir bench ch)"
  expect 'fish: a specification' tank.dsrv "$(in_fish weir check tank.d)"
fi

# ---- zsh, in a terminal of its own ----

# in_zsh TEXT WANT: TEXT and a tab become WANT.
in_zsh() (
  cd place || exit
  timeout 30 zsh -f -c '
    zmodload zsh/zpty || exit
    zpty shell zsh -f -i
    zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source ../zsh.script; bindkey \"^I\" complete-word; echo re\"\"ady"
    zpty -r -m shell line "*ready*" || exit
    zpty -n -w shell "$1"$'"'\t'"'
    zpty -r -m shell line "*$2*" && echo found' zsh "$1" "$2" 2>&1
)
if command -v zsh >/dev/null; then
  expect 'zsh: the one command that fits' found "$(in_zsh 'weir exp' 'weir explain')"
  expect 'zsh: the one word that fits' found "$(in_zsh 'weir explain --stage sch' 'schedule')"
  expect 'zsh: a part of the benchmark' found "$(in_zsh 'weir bench war' 'weir bench warm-up')"
  expect 'zsh: or a file' found "$(in_zsh 'weir bench tank.d' 'weir bench tank.dsrv')"
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
