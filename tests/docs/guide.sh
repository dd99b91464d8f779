#!/usr/bin/env bash
# tests/docs/guide.sh -- runs every example of docs/language.md and docs/sql.md, so that the guides cannot say what is not so.
#
# Fenced blocks belong together by the name behind their language:
#     ```dsrv NAME        a specification
#     ```sql NAME         a query
#     ```trace NAME       its input; csv and ndjson likewise.  Words behind the name are options of `weir run`
#     ```output NAME      what `weir run` prints
#     ```timeline NAME    both at once: a line for each input and output, a column for each tick, `.` NoVal, D Deferred
#     ```check NAME       what `weir check` prints; a specification with nothing else must at least pass it
#     ```error NAME       what is said on standard error; the specification is called NAME.dsrv
# Blocks of `text` and `sh` are not looked at; one of any other language without a name is an error.
#
# WEIR is the command.  Prints `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
weir=$(realpath "${WEIR:-build/weir}") || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
exec python3 - "$weir" "$scratch" docs/language.md docs/sql.md <<'PYTHON'
import difflib, os, re, subprocess, sys

weir, scratch, *guides = sys.argv[1:]
inputs = ("trace", "csv", "ndjson")
known = ("dsrv", "sql", "output", "timeline", "check", "error") + inputs
passed = failed = 0


def count(name, problem):
    global passed, failed
    if problem is None:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {problem}")


def blocks(text):
    """(language, words behind it, body) of each fenced block."""
    for m in re.finditer(r"^```(\S*)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", text, re.M | re.S):
        yield m[1], m[2].split(), m[3]


def weir_does(*arguments):
    done = subprocess.run([weir, *arguments], cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def difference(want, got):
    if want == got:
        return None
    return "\n" + "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), "the guide", "weir"))


def write(name, text):
    with open(os.path.join(scratch, name), "w") as f:
        f.write(text)


def trace_values(output):
    """{(tick, name): value} of a trace."""
    values, tick = {}, 0
    for line in output.splitlines():
        m = re.match(r"(?:(\d+):)?\s*(\w+) = (.*)$", line)
        if m:
            tick = int(m[1]) if m[1] else tick
            values[tick, m[2]] = m[3]
    return values


def run_timeline(name, spec, body):
    rows = [line.split() for line in body.splitlines() if line.strip()]
    declared = set(re.findall(r"^\s*in\s+(\w+)", spec, re.M))
    head, rows = rows[0], rows[1:]
    ticks = len(head) - 1
    if head[0] != "tick" or any(len(r) != ticks + 1 for r in rows):
        return "the timeline is not a table"
    trace = ""
    for t in range(ticks):
        given = [f"{r[0]} = {'deferred' if r[t + 1] == 'D' else r[t + 1]}" for r in rows if r[0] in declared and r[t + 1] != "."]
        trace += f"{t}: " + "\n   ".join(given) + "\n"
    write(name + ".trace", trace)
    status, out, err = weir_does("run", "--ticks", str(ticks), name + ".dsrv", *([name + ".trace"] if declared else []))
    if status != 0:
        return f"status {status}: {err}"
    got, want = trace_values(out), {}
    for r in rows:
        if r[0] not in declared:
            want.update({(t, r[0]): "deferred" if v == "D" else v for t, v in enumerate(r[1:]) if v != "."})
    shown = {r[0] for r in rows}
    return difference("".join(f"{k}: {v}\n" for k, v in sorted(want.items())),
                      "".join(f"{k}: {v}\n" for k, v in sorted(got.items()) if k[1] in shown))


def run_query(name, parts):
    write(name + ".sql", parts["sql"][1])
    status, out, err = weir_does("check", name + ".sql")
    want = parts["check"][1] if "check" in parts else out
    verdicts = {"bounded": 0, "unbounded": 3}
    return difference(want, out) or difference("", err) or (None if status == verdicts.get(out.split("\n")[0]) else f"status {status}")


def run_example(name, parts):
    if "sql" in parts:
        return run_query(name, parts)
    spec = parts.pop("dsrv", None)
    if spec is None:
        return "it has no specification"
    write(name + ".dsrv", spec[1])
    if "timeline" in parts:
        return run_timeline(name, spec[1], parts["timeline"][1])
    form = next((i for i in inputs if i in parts), None)
    if form or "output" in parts:
        options, body = parts[form] if form else parts["output"]
        arguments = ["run", *options, name + ".dsrv"]
        if form:
            write(f"{name}.{form}", body)
            arguments.append(f"{name}.{form}")
        status, out, err = weir_does(*arguments)
        want = parts["output"][1] if "output" in parts else ""
    else:
        status, out, err = weir_does("check", name + ".dsrv")
        want = parts["check"][1] if "check" in parts else None
    wants_error = parts["error"][1] if "error" in parts else ""
    if want is not None and "error" not in parts or form:
        problem = difference(want, out)
        if problem:
            return problem + err
    if difference(wants_error, err):
        return difference(wants_error, err)
    if (status != 0) != ("error" in parts):
        return f"status {status}"
    return None


examples = {}
for guide in guides:
    with open(guide) as f:
        text = f.read()
    for language, words, body in blocks(text):
        if language in ("text", "sh"):
            continue
        if language not in known or not words:
            count(f"a block of `{language}`", "its language is not known, or its name is missing")
            continue
        parts = examples.setdefault((guide, words[0]), {})
        if language in parts:
            count(words[0], f"two blocks of {language}")
        parts[language] = (words[1:], body)
for (guide, name), parts in examples.items():
    count(f"{guide}: {name}", run_example(name, parts))
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0 or passed == 0)
PYTHON
