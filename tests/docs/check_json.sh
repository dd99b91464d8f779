#!/usr/bin/env bash
# tests/docs/check_json.sh -- `weir check --json`: the examples of docs/check-json.md, its schema, and JSON for whatever the text is.
#
# WEIR is the command.  Prints `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
weir=$(realpath "${WEIR:-build/weir}") || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
exec python3 - "$weir" "$scratch" "$PWD" <<'PYTHON'
import glob, json, os, random, re, subprocess, sys

weir, scratch, root = sys.argv[1:]
os.chdir(scratch)
passed = failed = 0


def claim(what, problem):
    global passed, failed
    passed, failed = passed + (not problem), failed + bool(problem)
    if problem:
        print(f"FAIL {what}: {problem}")


def check(name, text, *options):
    """(status, bytes of the result) of a text."""
    with open(name, "wb") as f:
        f.write(text)
    done = subprocess.run([weir, "check", "--json", *options, name], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    if done.stderr:
        raise ValueError(f"standard error has {done.stderr!r}")
    return done.returncode, done.stdout


SHAPES = {
    "": {"version": int, "file": str, "ok": bool, "diagnostics": list, "diagnostics_left_out": int, "streams": (list, type(None)), "totals": (dict, type(None))},
    "diagnostic": {"level": str, "code": (str, type(None)), "phase": (str, type(None)), "message": str, "hint": (str, type(None)), "span": (dict, type(None))},
    "stream": {"name": str, "role": str, "type": str, "order": (int, type(None)), "bytes": int, "plus_values": bool, "dependencies": list, "span": dict},
    "dependency": {"stream": str, "immediate": bool, "deepest_delay": int},
    "totals": {"streams": int, "in": int, "out": int, "aux": int, "bytes": int, "plus_values": bool},
    "place": {"offset": int, "line": int, "column": int},
    "amount": {"text": str, "number": (int, type(None))},
    "bounded": {"bounded": bool, "cells": dict, "bytes": dict, "synopses": list, "written": list},
    "unbounded": {"bounded": bool, "reason": str, "attribute": str, "cure": (str, type(None)), "span": (dict, type(None)), "witness": (str, type(None))},
    "synopsis": {"select": int, "piece": int, "aliases": list, "waits_for": list, "keeps": str, "keys": list, "entries": dict, "cells": dict, "bytes": dict},
    "key": {"column": str, "kind": str, "text": str, "from": (str, type(None)), "to": (str, type(None)), "values": (int, type(None))},
    "written": {"select": (int, type(None)), "all": bool, "steps": (int, type(None)), "cells": dict, "bytes": dict},
}


def has_shape(kind, thing):
    shape = SHAPES[kind]
    if list(thing) != list(shape):
        raise ValueError(f"{kind} has the keys {list(thing)}")
    for key, of in shape.items():
        if not isinstance(thing[key], of) or (of is int and isinstance(thing[key], bool)):
            raise ValueError(f"{kind}.{key} is {thing[key]!r}")


def has_place(text, place):
    has_shape("place", place)
    before = text[: place["offset"]]
    line = before.split(b"\n")
    want = len(line), len(line[-1].removeprefix(b"\xef\xbb\xbf" if len(line) == 1 else b"").rstrip(b"\r").decode(errors="ignore")) + 1
    if place["offset"] > len(text) or want != (place["line"], place["column"]):
        raise ValueError(f"{place} is not {want}")


def has_span(text, span):
    if list(span) != ["begin", "end"] or span["begin"]["offset"] > span["end"]["offset"]:
        raise ValueError(f"span {span}")
    for place in span.values():
        has_place(text, place)
    return text[span["begin"]["offset"] : span["end"]["offset"]].decode(errors="replace")


def examine(text, status, result, has_good_places=True):
    """Holds a result against the schema and against itself."""
    r = json.loads(result.decode())
    has_shape("", r)
    if r["version"] != 1 or r["ok"] != (status == 0) or status not in (0, 2) or r["ok"] == bool(r["diagnostics"]):
        raise ValueError(f"version, ok, status {status} or diagnostics")
    for d in r["diagnostics"]:
        has_shape("diagnostic", d)
        if (d["span"] is None) != (d["phase"] is None):
            raise ValueError("a phase without a place, or a place without a phase")
        if d["span"] and has_good_places:
            has_span(text, d["span"])
    if not r["ok"]:
        if r["streams"] is not None or r["totals"] is not None:
            raise ValueError("streams of a wrong text")
        return r
    for s in r["streams"]:
        has_shape("stream", s)
        if has_span(text, s["span"]) != s["name"] or (s["order"] is None) != (s["role"] == "in"):
            raise ValueError(f"stream {s['name']}")
        for d in s["dependencies"]:
            has_shape("dependency", d)
    has_shape("totals", r["totals"])
    count = lambda role: sum(s["role"] == role for s in r["streams"])
    want = [len(r["streams"]), count("in"), count("out"), count("aux"), sum(s["bytes"] for s in r["streams"]), any(s["plus_values"] for s in r["streams"])]
    if list(r["totals"].values()) != want or sorted(s["order"] for s in r["streams"] if s["order"]) != list(range(1, want[2] + want[3] + 1)):
        raise ValueError("totals or order")
    return r


def number(amount):
    has_shape("amount", amount)
    if amount["number"] is not None and str(amount["number"]) != amount["text"]:
        raise ValueError(f"amount {amount}")
    return amount["number"]


def examine_query(text, status, result):
    """The same for a query without errors."""
    r = json.loads(result.decode())
    q = r.pop("query")
    has_shape("", r)
    if r["version"] != 1 or r["diagnostics"] or status != (0 if r["ok"] else 3) or q["bounded"] != r["ok"] or r["streams"] is not None or r["totals"] is not None:
        raise ValueError(f"version, ok, status {status}, diagnostics or streams")
    has_shape("bounded" if r["ok"] else "unbounded", q)
    if not r["ok"]:
        if q["span"]:
            has_span(text, q["span"])
        return q
    parts = q["synopses"] + q["written"]
    for s in q["synopses"]:
        has_shape("synopsis", s)
        number(s["entries"])
        for k in s["keys"]:
            has_shape("key", k)
    for w in q["written"]:
        has_shape("written", w)
    sums = [[number(p[key]) for p in parts] for key in ("cells", "bytes")]
    if any(None not in of and sum(of) != number(q[key]) for of, key in zip(sums, ("cells", "bytes"))):
        raise ValueError("sums")
    return q


def holds(what, text, **rest):
    try:
        r = examine(text, *check("spec.dsrv", text), **rest)
        claim(what, None)
        return r
    except (ValueError, KeyError, UnicodeError, subprocess.TimeoutExpired) as e:
        claim(what, repr(e))


doc = open(os.path.join(root, "docs/check-json.md")).read()
level = re.search(r"```text\n(.*?)```", doc, re.S)[1]
for name, text in ("level", level), ("misspelt", level.replace("+ litres", "+ litrs")):
    status, result = check(name + ".dsrv", text.encode())
    claim(f"the example {name}", re.search(r"```json " + name + r"\n(.*?)```", doc, re.S)[1] != result.decode() and result.decode())
for name in "rooms", "any":
    text = re.search(r"```text " + name + r"\n(.*?)```", doc, re.S)[1]
    status, result = check(name + ".sql", text.encode())
    claim(f"the example {name}", re.search(r"```json " + name + r"\n(.*?)```", doc, re.S)[1] != result.decode() and result.decode())
for kind, shape in SHAPES.items():
    for key in shape:
        claim(f"the document names {key}", f"`{key}`" not in doc and "missing")

cases = sorted(glob.glob(os.path.join(root, "tests/conformance/cases/*/spec.dsrv")))
for path in cases[::4] + sorted(glob.glob(os.path.join(root, "examples/*.dsrv"))):
    holds(path, open(path, "rb").read())

for path in sorted(glob.glob(os.path.join(root, "tests/bounded/cases/*/query.sql"))):
    text = open(path, "rb").read()
    try:
        q = examine_query(text, *check("query.sql", text))
        claim(path, q["bounded"] != open(path.replace("query.sql", "verdict")).read().startswith("bounded") and "another verdict")
    except (ValueError, KeyError, subprocess.TimeoutExpired) as e:
        claim(path, repr(e))
    try:
        examine(text[:-9] + b"+ x;\n", *check("query.sql", text[:-9] + b"+ x;\n"))
        claim("spoilt " + path, None)
    except (ValueError, KeyError, subprocess.TimeoutExpired) as e:
        claim("spoilt " + path, repr(e))

good = b"in x: Int\r\nout y: Int\n\ty = default(x[1], 0) + 1\n"
holds("CR LF, tabs", good)
holds("a byte-order mark", b"\xef\xbb\xbf" + good)
holds("letters outside ASCII", 'in x: Str // ä\nout y: Str\ny = x ++ "日本" ++ z\n'.encode())
holds("nothing", b"")
holds("an error at the end", b"out y: Int\ny = 1 +")
r = holds("twenty of many errors", b"".join(b"out y%d: Int\n" % i for i in range(50)))
claim("the rest is counted", r and (len(r["diagnostics"]), r["diagnostics_left_out"]) != (20, 30) and r["diagnostics_left_out"])
holds("control characters in a message", b"out y: Int\ny = \x01\x7f\x00")
holds("a text with a quote and a backslash", b'out y: Int\ny = "a\\"b\\\\" + 1')
for sample in b"\xff", b"out y: Int\ny = \"\xc3", b"\xed\xa0\x80", b"\x00", b"// \xf0\x9f\x98":
    holds(f"not UTF-8: {sample!r}", sample, has_good_places=False)
chance = random.Random(4)
for i in range(200):
    spoilt = bytearray(chance.choice([good, level.encode()]))
    for _ in range(chance.randrange(1, 4)):
        spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
    holds(f"spoilt text {i}: {bytes(spoilt)!r}", bytes(spoilt), has_good_places=False)

for what, name, status in ("a name that is no UTF-8", b"\xff.dsrv", 0), ("a name with quotes", b'a"\\\n.dsrv', 0):
    with open(name, "wb") as f:
        f.write(good)
    done = subprocess.run([weir, "check", "--json", name], capture_output=True)
    try:
        file = json.loads(done.stdout.decode())["file"]
        claim(what, file != name.decode(errors="replace") and file)
    except ValueError as e:
        claim(what, repr(e))
for what, arguments in ("a file that is not there", ["nowhere.dsrv"]), ("a folder", ["/.dsrv"]), ("no language", ["nowhere"]), ("a text too large", ["--max-source-bytes", "3", "spec.dsrv"]):
    done = subprocess.run([weir, "check", "--json", *arguments], capture_output=True)
    try:
        r = examine(b"", done.returncode, done.stdout)
        claim(what, r["diagnostics"][0]["span"] is not None or bool(done.stderr))
    except ValueError as e:
        claim(what, repr(e))
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
PYTHON
