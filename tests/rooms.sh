#!/usr/bin/env bash
# tests/rooms.sh -- proves the walls between the rooms, from the #include lines and from the symbols of a release build.
#
# usage: tests/rooms.sh [BUILD]      BUILD: a build folder of type RelWithDebInfo, default build/release
#
# Prints each breach with its place, then `N passed, N failed`; one claim counts once.
set -uo pipefail
shopt -s nullglob lastpipe # lastpipe: `... | claim` counts in this shell
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
build=${1:-build/release}
passed=0 failed=0

# claim TEXT: reads breaches, one a line, from standard input.  None: the claim holds.
claim() {
  local breaches
  breaches=$(cat)
  if [ -z "$breaches" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL rooms: %s\n' "$1"
    printf '%s\n' "$breaches" | sed 's/^/     /' | head -n 30
  fi
}

# ---- What the sources say ------------------------------------------------------------------------------------------

sources_of() { find "$@" -maxdepth 1 -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) 2>/dev/null | sort; }

# Prints a file without its comments, line numbers kept.
without_comments() {
  perl -0777 -pe 's{("(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27)|/\*.*?\*/|//[^\n]*}{my $c = $&; defined $1 ? $1 : ($c =~ tr/\n//cdr)}gse' "$1"
}

# includes FOLDER: "FILE:LINE: NAME" of each include that is not the C library's.
includes() {
  local f
  for f in $(sources_of "$1"); do
    without_comments "$f" | grep -nE '^[[:space:]]*#[[:space:]]*include' |
      sed -nE "s|^([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]([^>\"]*)[>\"].*|$f:\1: \2|p"
  done
}

# may_include FOLDER PATTERN: breaches among FOLDER's includes.  What stands in <> and is no file of ours is the system's; a name
# without a folder is a file beside the including one.
may_include() {
  local folder=$1 allowed=$2 place name
  includes "$folder" | while read -r place name; do
    case $name in
      *..*) echo "$place $name leaves its room"; continue ;;
      weir.h | weir_arrow.h) continue ;;
      llvm-c/*) [ "${place%%:*}" = jit/llvm.h ] || echo "$place $name: only jit/llvm.h may"; continue ;;
      mimalloc*) echo "$place $name: mimalloc is opened, never included"; continue ;;
    esac
    [ -e "$folder/$name" ] && continue
    [ -e "$name" ] || case $name in
      */*.def | */*.h) case ${name%%/*} in ir | frontend | runtime | jit | bindings | cli | bench | tests) echo "$place $name is not there" ;; esac; continue ;;
      *) continue ;;
    esac
    [[ $name =~ $allowed ]] || echo "$place $name"
  done
}

doors='frontend/frontend|ir/program|runtime/engine|runtime/monitor|runtime/batch|runtime/source'
may_include ir/base '^ir/base/' | claim 'ir/base includes no other room'
may_include ir '^ir/' | claim 'ir includes only ir'
may_include frontend '^(ir|frontend)/' | claim 'frontend includes only ir'
may_include runtime '^(ir|runtime)/' | claim 'runtime includes only ir'
may_include jit '^(ir/|jit/|runtime/(tier|kernel)\.h$)' | claim 'jit includes only ir and the two ports of runtime'
may_include bindings/c "^(ir/base/|bindings/c/|($doors)\.h\$)" | claim 'bindings/c includes only doors'
may_include cli '^((cli|ir/base)/|bench/weir_bench\.h$)' | claim 'cli includes only include/, the ground floor and the port of the benchmark' # see CMakeLists.txt
may_include examples '^examples/' | claim 'examples include only include/'
may_include bench '^bench/' | claim 'bench includes only include/'
may_include include '^$' | claim 'include/ includes only the C library'

# bench/limits is a copy of hand-written C that must stay comparable, file by file, with what it was copied from; it is no room.
find . \( -path ./build -o -path ./.git -o -path ./bench/limits \) -prune -o -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.sh' \) -print |
  sed 's|.*/||' | sort | uniq -d | claim 'file names are unique in the whole tree'

# A double is printed and read by our own code: the C library's looks at the locale.
for f in $(sources_of ir ir/base frontend runtime jit bindings/c cli); do
  without_comments "$f" | sed 's/%%//g' | grep -nE '"([^"\\]|\\.)*%[-+ #0]*[0-9*]*(\.[0-9*]*)?[lL]?[aAeEfFgG]([^"\\]|\\.)*"' | sed "s|^|$f:|"
done | claim 'no format prints a double'

for f in tests/unit/*.c tests/fault/*.c tests/agree/*.c tests/kill/*.c tests/golden/*.c; do
  grep -q '#include "tests/test.h"' "$f" || echo "$f: no #include \"tests/test.h\""
  grep -nH '#include <criterion/criterion.h>' "$f"
done | claim 'every suite includes tests/test.h'

# ---- What the objects say ------------------------------------------------------------------------------------------

objects() { find "$build/CMakeFiles/room_$1.dir" -name '*.o' 2>/dev/null | sort; }
names_object() { sed -E 's|^.*/room_[a-z_]+\.dir/||'; } # build/…/room_ir.dir/ir/x.c.o… → ir/x.c.o…

# refers ROOM PATTERN: undefined symbols of the room that match.
refers() {
  local o
  for o in $(objects "$1"); do nm -u "$o" | awk -v re="$2" -v o="$o" '$NF ~ re {print o ": " $NF}'; done | names_object
}
# defines ROOM PATTERN: external symbols of the room that do not match.
defines() {
  local o
  for o in $(objects "$1"); do nm -g --defined-only "$o" | awk -v re="$2" -v o="$o" '$NF !~ re {print o ": " $NF}'; done | names_object
}

refers ir_base '^(wir|wfe|wsql|wrt|wjit|weir)_' | claim 'ir/base knows no other room'
refers ir '^(wfe|wsql|wrt|wjit)_' | claim 'ir knows no room but ir/base'
refers frontend '^(wrt|wjit)_' | claim 'frontend knows neither runtime nor jit'
refers runtime '^(wfe|wsql|wjit|LLVM)' | claim 'runtime knows neither frontend nor jit nor LLVM'
refers bindings_c '^(wjit_|LLVM)' | claim 'bindings/c knows no jit'
refers cli '^(wir|wfe|wsql|wrt|wjit)_' | claim 'the command knows only weir_ and wb_'

# The list of codes is the ground floor's, and with it the public functions that read it and the version beside them.
defines ir_base '^(wb_|weir_(version|code_name|code_phase|code_text|cause_text)$)' | claim 'ir/base defines only wb_ names'
defines ir '^wir_' | claim 'ir defines only wir_ names'
defines frontend '^(wfe|wsql)_' | claim 'frontend defines only wfe_ and wsql_ names'
defines runtime '^wrt_' | claim 'runtime defines only wrt_ names'
defines bindings_c '^weir_' | claim 'bindings/c defines only weir_ names'

# Objects in a writable section are state that moves.  Constants that hold addresses are writable only until the program is
# loaded (.data.rel.ro), and are constants.
for room in ir_base ir frontend runtime bindings_c; do
  for o in $(objects $room); do
    objdump -t "$o" | awk -v o="$o" '$0 !~ / d  / && $0 ~ /[ \t](\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $0 !~ /[ \t]\.data\.rel\.ro/ {print o ": " $NF}'
  done
done | names_object | claim 'nothing global moves'

library=$build/libweir.so command=$build/weir
ls "$library" "$command" 2>&1 >/dev/null | claim 'the library and the command are there'

exported() { nm -D --defined-only "$library" | awk '{print $NF}' | sed 's/@.*//'; }
imported() { nm -D -u "$1" | awk '{print $NF}' | sed 's/@.*//'; }

if [ -e "$library" ] && [ -e "$command" ]; then
  exported | grep -v '^weir_' | claim 'libweir.so exports only weir_ names'
  sed 's|/\*.*||' include/weir.h | grep -oE '\bweir_[a-z_0-9]+\(' | tr -d '(' | sort -u | comm -23 - <(exported | sort -u) |
    claim 'libweir.so exports every function of weir.h'
  imported "$library" | grep -iE '^(LLVM|mi_)' | claim 'libweir.so needs neither LLVM nor mimalloc'
  readelf -d "$library" "$command" | grep NEEDED | grep -vE '\[(libc|libm|libdl|libpthread|ld-linux[^]]*)\.so' | claim 'nothing is linked but the C library'

  # Numbers and texts do not depend on the locale: these read or write by it, or change it.
  locale='^(__isoc[0-9]+_)?(strto(d|f|ld|d_l|f_l|ld_l)|ato[fl]|v?f?w?s?scanf|localeconv|(set|new|use)locale|strcoll|strfrom[dfl]|wcsto[dfl]|nl_langinfo|[ef]cvt|gcvt)$'
  for f in "$library" "$command"; do imported "$f" | grep -E "$locale" | sed "s|^|${f##*/}: |"; done |
    claim 'the locale is not asked'
  # Errors are values: a library does not end, interrupt or talk for its host.
  imported "$library" | grep -E '^(exit|_exit|_Exit|quick_exit|abort|__assert_fail|raise|kill|signal|sigaction|sigprocmask|pthread_sigmask|siglongjmp|longjmp|_longjmp|__longjmp_chk|_?_?sigsetjmp|_?setjmp|atexit|__cxa_atexit)$' |
    claim 'libweir.so neither ends the process nor touches signals'
  imported "$library" | grep -E '^(std(out|err|in)|v?printf|puts|putchar|perror|psignal|__v?printf_chk)$' | claim 'libweir.so does not print'
fi

# ---- The native tier, where the build has it -----------------------------------------------------------------------

module=$build/weir_native.so
of_jit() { find "$build/CMakeFiles/weir_native.dir/jit" -name '*.o' | sort; }

if [ -e "$module" ]; then
  exported_by() { nm -D --defined-only "$1" | awk '$2 != "w" {print $NF}' | sed 's/@.*//'; }
  exported_by "$module" | grep -vx weir_native_tier | claim 'weir_native.so exports one symbol, its tier'
  { exported_by "$module" | grep -qx weir_native_tier || echo 'weir_native_tier is not there'; } | claim 'and that one'
  imported "$module" | grep -E '^(_?LLVM|_Z|(weir|wb|wir|wfe|wsql|wrt|wjit)_)' | claim 'weir_native.so has LLVM and its share of ours in itself'
  readelf -d "$module" | grep NEEDED | grep -vE '\[(libc|libm|libdl|libpthread|libz|libzstd|ld-linux[^]]*)\.so' | claim 'it links nothing else but what LLVM packs with'
  nm --defined-only "$module" | awk '{print $NF}' | grep -E '^(wfe|wsql|wrt)_' | claim 'nothing of the frontend or the runtime is in it'
  of_jit | while read -r o; do nm -g --defined-only "$o" | awk -v o="${o##*/}" '$NF !~ /^(wjit_|weir_native_tier$)/ {print o ": " $NF}'; done |
    claim 'jit defines only wjit_ names and the tier'
  of_jit | while read -r o; do nm -u "$o" | awk -v o="${o##*/}" '$NF ~ /^(weir|wfe|wsql|wrt)_/ {print o ": " $NF}'; done | claim 'jit knows only ir'
  # One thing is made once in a process, and says why: what LLVM registers there.
  of_jit | while read -r o; do
    objdump -t "$o" | awk -v o="${o##*/}" '$0 !~ / d  / && $0 ~ /[ \t](\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $0 !~ /[ \t]\.data\.rel\.ro/ && $NF !~ /\.started$/ {print o ": " $NF}'
  done | claim 'nothing global moves in jit'
fi

# ---- The benchmark, where the build has it -------------------------------------------------------------------------

bench=$build/weir_bench.so
if [ -e "$bench" ]; then
  nm -D --defined-only "$bench" | awk '{print $NF}' | grep -vx weir_bench_run | claim 'weir_bench.so exports one symbol, its entry'
  { nm -D --defined-only "$bench" | awk '{print $NF}' | grep -qx weir_bench_run || echo 'weir_bench_run is not there'; } | claim 'and that one'
  imported "$bench" | grep -E '^(wb|wir|wfe|wsql|wrt|wjit)_|^LLVM' | claim 'the benchmark knows only weir_'
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
