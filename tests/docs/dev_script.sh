#!/usr/bin/env bash
# tests/docs/dev_script.sh -- ./dev goes on as it was when it began, whatever is written into it meanwhile.
#
# Bash reads a script as it runs it: bytes that move are read twice, or not at all.  Prints `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

mkdir "$scratch/bin"
cp dev "$scratch/dev"
# Instead of configuring, lines are written before all others of the script that runs.
cat >"$scratch/bin/cmake" <<EOF
#!/bin/sh
[ ! -e "$scratch/longer" ] || exit 1
{ echo '#!/bin/sh'; for i in 1 2 3 4 5 6 7 8 9; do echo 'echo this was not in it'; done; cat dev; } >"$scratch/longer"
cat "$scratch/longer" >dev
EOF
printf '#!/bin/sh\n' >"$scratch/bin/ninja"
printf '#!/bin/sh\necho install ok installed\n' >"$scratch/bin/dpkg-query"
chmod +x "$scratch"/bin/*

said=$(cd "$scratch" && PATH=$scratch/bin:$PATH CC=true timeout 20 ./dev build 2>&1 </dev/null)
if [ $? -eq 0 ] && [ "$said" = build/weir ] && grep -q 'was not in it' "$scratch/dev"; then
  passed=1
else
  failed=1
  printf 'FAIL dev was changed while it ran\n%s\n' "$said"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
