#!/usr/bin/env bash
# tests/install/installed.sh -- Weir as others get it: installed, moved, found, and used beside other allocators.
#
# usage: WEIR=BUILD/weir tests/install/installed.sh
#
# Installs BUILD into a scratch folder and moves that.  Then the examples are built against it by the instructions of
# docs/embedding.md, by pkg-config and by find_package, shared and static; and fault 20: what the library exports, hooks, other mallocs.
# In a build with sanitizers the programs get them too, and the parts with other mallocs are left out: a sanitizer is one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
root=$PWD
build=$(dirname "${WEIR:-build/release/weir}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# claim TEXT COMMAND...: it succeeds.  Its output is shown when not.
claim() {
  local text=$1 log=$scratch/claim.log
  shift
  if "$@" >"$log" 2>&1 </dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL install: %s\n' "$text"
    tail -n 30 "$log" | sed 's/^/     /'
  fi
}

cached() { sed -nE "s/^$1:[A-Z]+=//p" "$build/CMakeCache.txt"; }
CC=$(command -v "$(cached CMAKE_C_COMPILER)")
CXX=$(dirname "$CC")/$(basename "$CC" | sed 's/clang/clang++/; s/gcc/g++/')
[ -x "$CXX" ] || CXX=$(command -v clang++-19)
case $(cached CMAKE_BUILD_TYPE) in
  Asan) sanitizer=-fsanitize=address,undefined ;;
  *) sanitizer= ;;
esac
warnings='-Wall -Wextra -Wshadow -Wconversion -Werror'
export CC CXX CFLAGS="-O1 -g $warnings $sanitizer" CXXFLAGS="-O1 -g -std=c++17 $warnings $sanitizer" HOME=$scratch/home
unset CPATH C_INCLUDE_PATH LD_LIBRARY_PATH LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH weir_DIR weir_ROOT
mkdir -p "$HOME" "$scratch/bin"

# ---- The tree ------------------------------------------------------------------------------------------------------

claim 'cmake --install succeeds' cmake --install "$build" --prefix "$scratch/first"
mv "$scratch/first" "$HOME/weir" || exit 2
prefix=$HOME/weir
pc=$(find "$prefix" -name weir.pc)
lib=$(dirname "$(dirname "$pc")")
share=$prefix/share/doc/weir

all_there() {
  local f bad=0
  for f in "$prefix"/bin/weir "$prefix"/include/weir.h "$lib"/libweir.so "$lib"/libweir.so.0 "$lib"/libweir.so.0.1.0 "$lib"/libweir.a "$pc" \
    "$lib"/cmake/weir/weir{Config,ConfigVersion,Targets}.cmake "$share"/LICENSE "$share"/docs/embedding.md "$share"/examples/tank.c; do
    [ -e "$f" ] || { echo "missing: $f"; bad=1; }
  done
  for f in docs/man/*.[1357]; do
    [ ! -e "$f" ] || [ -e "$prefix/share/man/man${f##*.}/$(basename "$f")" ] || { echo "missing: $f"; bad=1; }
  done
  return $bad
}
names_no_place() { ! grep -rlF -e "$scratch" -e "$root" "$prefix/include" "$pc" "$lib/cmake"; }
is_soname() { readelf -d "$lib/libweir.so" | grep -F 'SONAME' | grep -F '[libweir.so.0]' && [ "$(readlink "$lib/libweir.so")" = libweir.so.0 ]; }
exports_weir_only() { ! nm -D --defined-only "$lib/libweir.so" | awk '{print $NF}' | grep -v '^weir_'; }
exports_something() { nm -D --defined-only "$lib/libweir.so" | grep -q ' T weir_monitor_push_batch$'; }
command_runs() { "$prefix/bin/weir" run "$share/examples/pump.dsrv" "$share/examples/pump.input" | diff "$share/examples/pump.expected" -; }

# Every link in a guide leads to what has been installed too.
links_lead() {
  perl -MFile::Basename -e '
    my $bad = 0;
    for my $guide (@ARGV) {
      my $text = do { local (@ARGV, $/) = $guide; <> };
      while ($text =~ /\]\(([^)#:\s]+)(?:#[^)]*)?\)/g) {
        next if -e dirname($guide) . "/$1";
        print "$guide: $1\n";
        $bad = 1;
      }
    }
    exit($bad || @ARGV < 9)' "$share"/*.md "$share"/docs/*.md
}

claim 'everything is there' all_there
claim 'links in the guides lead somewhere' links_lead
claim 'no file names the folder it was installed to, or built in' names_no_place
claim 'the library is libweir.so.0' is_soname
claim 'the library exports its functions' exports_something
claim 'and nothing else' exports_weir_only
claim 'the command runs' command_runs

# The benchmark is a module in a folder of its own; it finds the library from there.
bench_finds() { ! readelf -d "$lib"/weir/*bench*.so | grep -E 'R(UN)?PATH' | grep -vE '\[\$ORIGIN(:\$ORIGIN/\.\.)?\]'; }
bench_runs() { "$prefix/bin/weir" bench --edges W1 | grep -q agree && "$prefix/bin/weir" bench --quick "$share"/examples/pump.{dsrv,input} | grep -q 'same outputs'; }
if [ -e "$build/weir_bench.so" ]; then
  claim 'the benchmark looks for the library beside itself' bench_finds
  claim 'the benchmark runs' bench_runs
fi

# ---- The header ----------------------------------------------------------------------------------------------------

strict='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wcast-qual -Wwrite-strings -Wconversion -Werror -fsyntax-only'
echo '#include <weir.h>' >"$scratch/alone.c"
for std in c99 c11 gnu17; do
  for compiler in gcc clang-19; do
    # shellcheck disable=SC2086 # options
    claim "$compiler takes the header as $std" $compiler -std=$std $strict -Wstrict-prototypes -Wmissing-prototypes -I"$prefix/include" "$scratch/alone.c"
  done
done
for std in c++11 c++17 c++20; do
  # shellcheck disable=SC2086 # options
  claim "$(basename "$CXX") takes the header as $std" "$CXX" -x c++ -std=$std $strict -Wold-style-cast -I"$prefix/include" "$scratch/alone.c"
done

# ---- What docs/embedding.md says -----------------------------------------------------------------------------------

# block LANGUAGE N: the N-th code block of that language, from 1.
block() {
  awk -v want="\`\`\`$1" -v n="$2" '/^```/ { if (inside) inside = 0; else { inside = 1; hit = $0 == want && ++seen == n; next } } inside && hit' docs/embedding.md
}

# Each C block is a piece of a file that is built.
c_blocks_are_ours() {
  perl -0777 -e '
    my $text = do { local @ARGV = shift @ARGV; <> };
    my @files = map { local @ARGV = $_; scalar <> } @ARGV;
    my ($n, $bad) = (0, 0);
    while ($text =~ /^```c\n(.*?)^```$/msg) {
      my $block = $1;
      $n++;
      next if grep { index($_, $block) >= 0 } @files;
      print "not in any file:\n$block";
      $bad = 1;
    }
    exit($bad || $n < 4)' docs/embedding.md examples/*.c tests/install/*.c
}
claim 'C in docs/embedding.md is in the examples' c_blocks_are_ours

printf '#!/bin/sh\nexec %s %s "$@"\n' "$CC" "$CFLAGS" >"$scratch/bin/cc"
chmod +x "$scratch/bin/cc"
mkdir -p "$scratch/doc"
cd "$scratch/doc" || exit 2
(cd "$root" && block c 1) >tank.c
(cd "$root" && block cmake 1) >CMakeLists.txt
(cd "$root" && block sh 2) >with_cmake
(cd "$root" && block sh 3) >with_pkg_config
(cd "$root" && block '' 1) >says
cd "$root" || exit 2

is_whole_program() { diff examples/tank.c "$scratch/doc/tank.c"; }
follow() { # FILE: runs the lines, and compares the last one's output
  (
    set -e
    cd "$scratch/doc"
    PATH=$scratch/bin:$PATH
    head -n -1 "$1" >steps
    tail -n 1 "$1" >last
    . ./steps
    . ./last >out
    diff says out
  )
}
claim 'the first program is examples/tank.c, all of it' is_whole_program
claim 'docs/embedding.md: with CMake' follow with_cmake
claim 'docs/embedding.md: with pkg-config' follow with_pkg_config

# ---- Three hosts, by pkg-config and by find_package ----------------------------------------------------------------

export PKG_CONFIG_PATH=$lib/pkgconfig
version_is_the_librarys() { [ "$(pkg-config --modversion weir)" = "$("$prefix/bin/weir" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)" ]; }
claim 'pkg-config tells the version' version_is_the_librarys

# says NAME PROGRAM: it prints what is expected.
says() { "$2" | diff "examples/$1.expected" -; }

with_pkg_config() { # NAME SOURCE shared|static
  local compile out=$scratch/pc_$1_$3
  case $2 in *.cc) compile="$CXX $CXXFLAGS" ;; *) compile="$CC -std=c11 $CFLAGS" ;; esac
  # shellcheck disable=SC2046,SC2086 # options
  if [ "$3" = static ]; then
    $compile -o "$out" "$2" $(pkg-config --cflags weir) "$(pkg-config --variable=libdir weir)/libweir.a" \
      $(pkg-config --static --libs-only-l weir | sed 's/-lweir//') && says "$1" "$out"
  else
    $compile -o "$out" "$2" $(pkg-config --cflags --libs weir) && LD_LIBRARY_PATH=$lib says "$1" "$out"
  fi
}

mkdir "$scratch/found"
cat >"$scratch/found/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(hosts LANGUAGES C CXX)
find_package(weir 0.1 REQUIRED)
foreach(source tank.c meter.c lift.cc)
  get_filename_component(name ${source} NAME_WE)
  foreach(kind shared static)
    add_executable(${name}_${kind} ${EXAMPLES}/${source})
  endforeach()
  target_link_libraries(${name}_shared PRIVATE weir::weir)
  target_link_libraries(${name}_static PRIVATE weir::weir_static)
endforeach()
find_package(weir 0.2 QUIET)
if(weir_FOUND)
  message(FATAL_ERROR "0.1 is taken for 0.2")
endif()
EOF
found() {
  cmake -S "$scratch/found" -B "$scratch/found/build" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="$share/examples" &&
    cmake --build "$scratch/found/build"
}
claim 'find_package finds it, and not another version' found

for source in tank.c meter.c lift.cc; do
  name=${source%.*}
  for kind in shared static; do
    claim "$name by pkg-config, $kind" with_pkg_config "$name" "$share/examples/$source" $kind
    claim "$name by find_package, $kind" says "$name" "$scratch/found/build/${name}_$kind"
  done
done

# ---- Fault 20: other allocators ------------------------------------------------------------------------------------

goes_home() { [ "$("$@")" = 'every block went home' ]; }
preloaded() { LD_PRELOAD=$1 goes_home "${@:2}"; }

# shellcheck disable=SC2086 # options
claim 'a plug-in host builds' "$CC" -std=gnu11 $CFLAGS -I"$prefix/include" -o "$scratch/plugin" tests/install/allocators.c -ldl
claim 'hooks get back what they gave' goes_home "$scratch/plugin" "$lib/libweir.so"
if [ -z "$sanitizer" ]; then
  # shellcheck disable=SC2086 # options
  claim 'a host with its own malloc builds' "$CC" -std=gnu11 $CFLAGS -DOWN_MALLOC -fno-builtin -I"$prefix/include" -o "$scratch/own" tests/install/allocators.c -ldl
  mimalloc=libmimalloc.so.2
  claim 'mimalloc can be preloaded at all' env LD_PRELOAD=$mimalloc sh -c 'grep -q libmimalloc /proc/$$/maps'
  claim 'opened with RTLD_DEEPBIND' goes_home "$scratch/plugin" "$lib/libweir.so" deepbind
  claim 'beside a preloaded malloc' preloaded $mimalloc "$scratch/plugin" "$lib/libweir.so"
  claim 'beside a preloaded malloc, opened with RTLD_DEEPBIND' preloaded $mimalloc "$scratch/plugin" "$lib/libweir.so" deepbind
  claim "beside the host's malloc" goes_home "$scratch/own" "$lib/libweir.so"
  claim "beside the host's malloc, opened with RTLD_DEEPBIND" goes_home "$scratch/own" "$lib/libweir.so" deepbind
  for name in tank meter lift; do
    for kind in shared static; do
      claim "$name beside a preloaded malloc, $kind" env LD_PRELOAD=$mimalloc sh -c "$scratch/found/build/${name}_$kind | diff examples/$name.expected -"
    done
  done
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
