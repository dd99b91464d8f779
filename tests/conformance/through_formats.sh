#!/usr/bin/env bash
# The static conformance cases through CSV and NDJSON: see through_formats.py.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/through_formats.py" --bin "${WEIR:-build/weir}" "$@"
