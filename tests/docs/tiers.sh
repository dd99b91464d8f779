#!/usr/bin/env bash
# docs/tiers.md shows what the command prints: the block behind each `weir ...` line is compared.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
passed=0 failed=0
shown=$(awk '/^weir explain --stage regions/ { seen = 1 } seen && /^```$/ { fences++; next } fences == 2' docs/tiers.md) # behind the command: its fence closes, one opens, one closes
printed=$("$WEIR" explain --stage regions examples/cold_store.dsrv)
if [ -n "$shown" ] && [ "$shown" = "$printed" ]; then passed=$((passed + 1)); else
  failed=$((failed + 1))
  diff <(printf '%s\n' "$shown") <(printf '%s\n' "$printed")
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
