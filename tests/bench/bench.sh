#!/usr/bin/env bash
# tests/bench/bench.sh -- `weir bench`: the forms of its report, a user's own programs, and what goes wrong.
#
# WEIR is the command; its build has the module (WEIR_BENCH=ON).  No time is looked at.  Prints `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
weir=$(realpath "${WEIR:-build/weir}") || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
exec python3 - "$weir" "$scratch" "$PWD" <<'PYTHON'
import html.parser, json, os, re, shutil, signal, subprocess, sys, time
import xml.etree.ElementTree as xml

weir, scratch, root = sys.argv[1:]
os.chdir(scratch)
folder = os.path.dirname(weir)
cache = open(f"{folder}/CMakeCache.txt").read()
is_plain = "CMAKE_BUILD_TYPE:STRING=RelWithDebInfo" in cache
has_native = os.path.exists(f"{folder}/weir_native.so")
passed = failed = 0


def claim(what, problem):
    global passed, failed
    passed, failed = passed + (not problem), failed + bool(problem)
    if problem:
        print(f"FAIL {what}: {problem}")


def differs(want, got):
    return None if want == got else f"want {want!r}, got {got!r}"


def run(*args, command=weir, input=None, **more):
    return subprocess.run([command, "bench", *args], input=input, stdin=None if input is not None else subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=250, **more)


def put(name, text):
    with open(name, "w") as f:
        f.write(text)
    return name


# ---- The schema: docs/bench-json.md names every key ----

NUMBER, MAYBE = (int, float), (int, float, type(None))
SHAPES = {
    "report": {"version": int, "weir": str, "cpu": str, "load": NUMBER, "floor": str, "floor_is_modest": bool, "level": str, "seed": int, "repeats": int, "processes": int, "left_out": int,
               "cases": list, "own": (dict, type(None)), "warm_up": list, "chains": list, "command": list},
    "case": {"workload": str, "variant": str, "rows": int, "sum": str, "ways": list},
    "own": {"spec": str, "trace": (str, type(None)), "rows": int, "inputs": int, "outputs": int, "state_bytes": int, "plus_values": bool, "sum": str, "ways": list,
            "tiers": list},
    "way": {"engine": str, "form": str, "rows": int, "least": NUMBER, "median": NUMBER},
    "missing": {"engine": str, "form": str, "missing": str},
    "tier": {"tier": str, "compile_ms": NUMBER, "monitor_ms": NUMBER, "first_row_us": NUMBER, "memory": int, "peak": int, "code_ms": MAYBE, "code_bytes": int,
             "declined": int, "rows": dict, "why_not_native": (str, type(None))},
    "rows": {"canonical": int, "quickened": int, "native": int},
    "warm-up": {"workload": (str, type(None)), "tiers": dict},
    "chain": {"equations": int, "bytes": int, "compile_ms": NUMBER, "canonical_ms": NUMBER, "quickened_ms": NUMBER, "native_ms": MAYBE, "native_kept_ms": MAYBE, "auto_ms": NUMBER,
              "first_row_us": NUMBER, "memory": int, "code_bytes": int},
    "command": {"workload": str, "variant": str, "sizes": list},
    "size": {"rows": int, "ways": list},
    "run": {"way": str, "wall_ms": MAYBE, "cpu_ms": MAYBE, "memory": int},
}
TIERS = ["canonical", "quickened", "native", "auto"]


def has_shape(kind, thing):
    shape = SHAPES[kind]
    if list(thing) != list(shape):
        raise ValueError(f"{kind} has the keys {list(thing)}")
    for key, of in shape.items():
        if not isinstance(thing[key], of) or (of is int and isinstance(thing[key], bool)):
            raise ValueError(f"{kind}.{key} is {thing[key]!r}")


def has_ways(case):
    for way in case["ways"]:
        has_shape("missing" if "missing" in way else "way", way)
        if "missing" not in way and not (0 < way["least"] <= way["median"] and 0 < way["rows"] <= case["rows"]):
            raise ValueError(f"a way is {way}")
    names = [(w["engine"], w["form"]) for w in case["ways"]]
    if len(set(names)) != len(names):
        raise ValueError("a way is there twice")


def has_warm_ups(report):
    for one in report["warm_up"]:
        has_shape("warm-up", one)
        if list(one["tiers"]) != [*TIERS, "native kept"]:
            raise ValueError(f"tiers {list(one['tiers'])}")
        for points in one["tiers"].values():
            if any(a[0] >= b[0] for a, b in zip(points, points[1:])) or any(p[1] <= 0 for p in points):
                raise ValueError(f"points {points}")
        if not one["tiers"]["canonical"] or not one["tiers"]["quickened"]:
            raise ValueError("no points")


def has_command(one):
    has_shape("command", one)
    for size in one["sizes"]:
        has_shape("size", size)
        if [w["way"] for w in size["ways"]] != ["floor", "quickened", "native kept", "auto", "default"]:
            raise ValueError("other ways")
        for way in size["ways"]:
            has_shape("run", way)
            is_missing = way["way"] == "native kept" and not has_native
            if is_missing != (way["wall_ms"] is None) or is_missing != (way["memory"] == 0):
                raise ValueError(f"a run is {way}")


def read_report(text):
    report = json.loads(text)
    has_shape("report", report)
    for case in report["cases"]:
        has_shape("case", case)
        has_ways(case)
    if report["own"]:
        has_shape("own", report["own"])
        has_ways(report["own"])
        for tier in report["own"]["tiers"]:
            has_shape("tier", tier)
            has_shape("rows", tier["rows"])
        if [t["tier"] for t in report["own"]["tiers"]] != TIERS:
            raise ValueError("other tiers")
    has_warm_ups(report)
    for chain in report["chains"]:
        has_shape("chain", chain)
    for one in report["command"]:
        has_command(one)
    return report


def undocumented():
    text = open(f"{root}/docs/bench-json.md").read()
    return [f"{kind}.{key}" for kind, shape in SHAPES.items() for key in shape if f"`{key}`" not in text]


claim("docs/bench-json.md names every key", undocumented())

# ---- The report for browsers ----


class Page(html.parser.HTMLParser):
    """Tags that are closed in order; what a page would fetch or run."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.wrong = [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.note(tag, attrs)

    def handle_startendtag(self, tag, attrs):
        self.note(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def note(self, tag, attrs):
        self.seen.append(tag)
        if tag in ("script", "link", "img", "iframe", "object", "embed", "image", "use"):
            self.wrong.append(f"<{tag}>")
        self.wrong += [f"{tag} {key}" for key, value in attrs if key in ("src", "href", "srcset") or key.startswith("on")]


def wrong_page(text, plots):
    tree = xml.fromstring(text)  # raises where it is not well formed
    page = Page()
    page.feed(text)
    page.close()
    if page.open or page.wrong:
        return f"open {page.open}, wrong {page.wrong}"
    for needed in ("prefers-color-scheme:dark", 'name="viewport"', "overflow-x:auto", "<!DOCTYPE html>"):
        if needed not in text:
            return f"no {needed}"
    for foreign in ("@import", "url(", "http:", "https:"):
        if foreign in text.replace("http://www.w3.org/", ""):
            return f"it has {foreign}"
    body = [e.tag.split("}")[1] for e in tree[1]]
    drawings = [i for i, tag in enumerate(body) if tag == "svg"]
    if len(drawings) != plots:
        return f"{len(drawings)} plots"
    if any(body[i + 1] != "details" for i in drawings):
        return "a plot without its numbers"
    if "nan" in "".join(re.findall(r' d="([^"]*)"', text)).lower() or re.search(r'd="[^"]*inf', text):
        return "a place that is no number"
    return None


def page(name, plots):
    try:
        return wrong_page(open(name, encoding="utf-8").read(), plots)
    except Exception as e:
        return repr(e)


def report_of(done):
    """The report of a run that has to work; None: it has been told that it did not."""
    claim("it ends with 0", differs((0, ""), (done.returncode, done.stderr)))
    try:
        return read_report(done.stdout)
    except Exception as e:
        claim("a report in JSON", repr(e))
        return None


# ---- The suite ----

short = ("--quick", "--rows", "4096", "--repeats", "2")
r = report_of(run(*short, "W1", "W3", "W10", "--variant", "base", "--variant", "sparse", "--processes", "2", "--json", "--html", "suite.html"))
if r:
    claim("what was asked for", differs([("W1", "base"), ("W1", "sparse"), ("W3", "base"), ("W3", "sparse"), ("W10", "base")],
                                        [(c["workload"], c["variant"]) for c in r["cases"]]))
    ways = {(w["engine"], w["form"]) for w in r["cases"][0]["ways"] if "least" in w}
    claim("all tiers that need no module", {(t, f) for t in ("canonical", "quickened", "auto") for f in ("tagged", "typed", "batch")} - ways)
    claim("the floor beside them", {("floor", "row-api"), ("floor", "batch-checked")} - ways)
    claim("two processes", differs((2, 4096), (r["processes"], r["cases"][0]["rows"])))
    claim("nothing else", r["chains"] or r["warm_up"] or r["own"] or r["command"])
claim("a page with two plots", page("suite.html", 2))
if is_plain:
    r = report_of(run(*short, "chains", "warm-up", "--json", "--html", "sizes.html"))
    if r:
        claim("chains", differs([1000, 2000, 5000, 10000, 20000, 50000][:6 - r["left_out"]], [c["equations"] for c in r["chains"]]))
        claim("a warm-up", differs(["W9"], [w["workload"] for w in r["warm_up"]]))
    claim("a page with two plots of lines", page("sizes.html", 2))
os.mkdir("temporary")
r = report_of(run("command", "--variant", "base", "--rows", "4096", "--repeats", "1", "--processes", "1", "--json", "--html", "command.html",
                  env=dict(os.environ, TMPDIR=f"{scratch}/temporary")))
if r:
    claim("the command, in its workloads", differs([(f"W{w}", "base") for w in range(1, 10)], [(c["workload"], c["variant"]) for c in r["command"]]))
    claim("its sizes", [c for c in r["command"] if [s["rows"] for s in c["sizes"]] != [1, 10000, 4096]])
    claim("and no workload beside it", r["cases"])
claim("a page with five plots", page("command.html", 5))
claim("its files are gone", os.listdir("temporary"))
r = report_of(run(*short, "W7", "command", "--variant", "consts", "--processes", "2", "--json"))
if r:
    claim("a part of the command", differs([("W7", "consts")], [(c["workload"], c["variant"]) for c in r["command"]]))
done = run(*short, "W2", "command", "--variant", "base")
claim("tables of the command", differs((0, ""), (done.returncode, done.stderr)) or [w for w in ("Time of the command for one row: ms", "native kept", "W2    base         4096") if w not in done.stdout])
done = run(*short, "W2", "--median")
claim("a table", differs((0, ""), (done.returncode, done.stderr)) or [w for w in ("W2   base", "med", "row-api", "interp-tile", "same checksum") if w not in done.stdout])
done = run("--edges", "W1", "W6")
claim("the interpreters at the edges", differs(4, done.stdout.count("agree")))

# ---- A user's own ----

pump = (f"{root}/examples/pump.dsrv", f"{root}/examples/pump.input")
own = {
    "typed, with gaps": (put("typed.dsrv", "in x: Int\nin f: Float\nin b: Bool\nout s: Int\nout g: Float\nout o: Bool\n"
                             "s = default(s[1], 0) + x\ng = f / 2.0\no = b || x > 2\n"),
                         put("typed.trace", "0: x = 1\n   f = 0.5\n   b = true\n1: x = 2\n4: f = 1.5\n   b = false\n5: x = deferred\n"), 6, 3),
    "texts": (put("texts.dsrv", "in s: Str\nout t: Str\nout n: Int\nt = s ++ \"!\"\nn = 1\n"),
              put("texts.csv", "s\n" + "".join(f'"row {i} {"x" * (i % 70)}"\n' for i in range(9000))), 9000, 2),
    "lists": (put("lists.dsrv", "in s\nout t\nt = s\n"), put("lists.ndjson", '{"s": [1, {"k": "v"}]}\n{}\n{"s": "x"}\n'), 3, 1),
    "more than 64 inputs": (put("wide.dsrv", "".join(f"in x{i}: Int\nout y{i}: Int\ny{i} = default(y{i}[1], 0) + x{i}\n" for i in range(70))),
                            put("wide.trace", "".join(f"{t}:\n" + "".join(f"   x{i} = {'deferred' if (t + i) % 31 == 0 else t * i}\n" for i in range(70)
                                                                          if (t * 7 + i) % 13) for t in range(60))), 60, 70),
    "nothing comes out": (put("mute.dsrv", "in x: Int\naux y: Int\ny = x + 1\n"), put("two.csv", "x\n1\n2\n"), 2, 0),
    "NaN": (put("nan.dsrv", "in f: Float\nout g: Float\nout h: Float\ng = f / f\nh = g - g\n"), put("nan.csv", "f\n0.0\n1.5\nnan\ninf\n"), 4, 2),
    "failing only once": (put("gaps.dsrv", "in x: Int\nout y: Int\ny = if x > 0 then 100 / x else 0\n"),
                          put("gaps.csv", "x\n" + "".join(f"{i % 5}\n" for i in range(5000))), 5000, 1),
}
for name, (spec, trace, rows, outputs) in own.items():
    r = report_of(run(spec, trace, "--quick", "--json", "--html", "own.html"))
    if not r:
        continue
    bytes_ = json.loads(subprocess.run([weir, "check", "--json", spec], capture_output=True, text=True).stdout)["totals"]["bytes"]
    claim(f"{name}: its sizes", differs((rows, outputs, bytes_), (r["own"]["rows"], r["own"]["outputs"], r["own"]["state_bytes"])))
    claim(f"{name}: every row ran once", [t["tier"] for t in r["own"]["tiers"] if sum(t["rows"].values()) != rows])
    there = [w["form"] for w in r["own"]["ways"] if w["engine"] == "quickened" and "least" in w]
    native = next(t for t in r["own"]["tiers"] if t["tier"] == "native")
    claim(f"{name}: making code is a part of making a monitor", native["code_ms"] is not None and native["code_ms"] > native["monitor_ms"] and native)
    claim(f"{name}: its forms", differs({"texts": ["tagged", "batch"], "lists": ["tagged"]}.get(name, ["tagged", "typed", "batch"]), there))
    claim(f"{name}: the warm-up ends with the trace", differs(rows, r["warm_up"][0]["tiers"]["quickened"][-1][0]))
    claim(f"{name}: a page with two plots", page("own.html", 2))
one = report_of(run(own["typed, with gaps"][0], "--quick", "--json", input=open("typed.trace").read()))
two = report_of(run(own["typed, with gaps"][0], "typed.trace", "--quick", "--processes", "2", "--json"))
if one and two:
    claim("from standard input it is the same", differs(two["own"]["sum"], one["own"]["sum"]))
    claim("and has its name", differs("<stdin>", one["own"]["trace"]))
r = report_of(run(put("clock.dsrv", "out t: Int\nt = default(t[1], 0) + 1\n"), "--ticks", "50", "--quick", "--json"))
if r:
    claim("a specification without inputs", differs((50, 0, None), (r["own"]["rows"], r["own"]["inputs"], r["own"]["trace"])))
r = report_of(run("clock.dsrv", "--ticks", "50", "--quick", "--processes", "2", "--json", "--html", "clock.html"))
if r:
    claim("nothing is read there, so there may be several processes", differs((2, None), (r["processes"], r["own"]["trace"])))
claim("and no trace is named", page("clock.html", 2) or ("clock.dsrv: 50 rows" not in open("clock.html").read() and "it is"))
done = run("clock.dsrv", "--ticks", "50", "--quick")
claim("nor in the table", differs((0, True), (done.returncode, "\nclock.dsrv: 50 rows, 0 inputs" in done.stdout)))
odd = 'a<b>&"\'\x01.dsrv'
shutil.copy(pump[0], odd)
r = report_of(run(odd, pump[1], "--quick", "--json", "--html", "odd.html"))
if r:
    claim("any name, in JSON", differs(odd, r["own"]["spec"]))
claim("any name, in HTML", page("odd.html", 2))
done = run(*pump, "--quick")
claim("a table of one's own", differs((0, ""), (done.returncode, done.stderr)) or [w for w in ("ns a row", "What a tier takes", "same outputs") if w not in done.stdout])

# ---- What goes wrong ----


def refused(what, status, text, *args, **more):
    done = run(*args, **more)
    claim(what, differs((status, ""), (done.returncode, done.stdout)) or (text not in done.stderr and f"it says {done.stderr!r}"))


put("wrong.dsrv", "in x: Int\nout y: Int\ny = x + z\n")
put("divides.dsrv", "in x: Int\nout y: Int\ny = 10 / x\n")
put("zero.csv", "x\n5\n0\n")
refused("a wrong specification", 2, "wrong.dsrv:3:9: error: type: unknown name `z`", "wrong.dsrv", "zero.csv")
told = json.loads(run("wrong.dsrv", "zero.csv", "--json").stdout)
claim("a wrong specification, in JSON", differs((False, "unknown name `z`"), (told["ok"], told["diagnostics"][0]["message"])))
refused("no specification", 2, "none.dsrv", "none.dsrv", "zero.csv")
refused("no trace", 4, "none.csv", "divides.dsrv", "none.csv")
refused("a wrong trace", 4, "bad.trace:1:8: error: trace 0: ", "divides.dsrv", put("bad.trace", "0: x = @\n"))
refused("a value of another type", 4, "bad.csv:4:2: error: tick 2: input x expects Int, got Str", "divides.dsrv", put("bad.csv", "y,x\n,1\n,2\n,five\n,0\n"))
refused("the same in a trace", 4, "worse.trace:3:8: error: tick 7: input x expects Int, got Float", "divides.dsrv", put("worse.trace", "0: x = 1\n3: x = 2\n7: x = 1.5\n"))
refused("the same from standard input", 4, "<stdin>:1:8: error: tick 0: ", "divides.dsrv", input="0: x = 1.5\n")
refused("a report over the specification", 2, "divides.dsrv: error: the output would overwrite the specification", "divides.dsrv", "zero.csv", "--html", "divides.dsrv")
refused("a report over the trace", 2, "zero.csv: error: the output would overwrite the trace", "divides.dsrv", "zero.csv", "--html", "zero.csv")
refused("a time column of a trace", 2, "--time-column is for CSV and NDJSON", "divides.dsrv", put("good.trace", "0: x = 1\n"), "--time-column", "t", "--quick")
refused("a time column that goes back", 4, "late.csv:3:1: error: ", "divides.dsrv", put("late.csv", "t,x\n2,1\n1,1\n"), "--time-column", "t")
refused("an empty trace", 4, "there are no rows to run", "divides.dsrv", put("empty.csv", "x\n"))
refused("a tick that fails", 4, "divides.dsrv:3:8: error: tick 1: ", "divides.dsrv", "zero.csv", "--quick")
refused("the same in a process of its own", 4, "divides.dsrv:3:8: error: tick 1: ", "divides.dsrv", "zero.csv", "--quick", "--processes", "2")
refused("where the tick came from", 4, "hint: `weir run` tells which row", "divides.dsrv", "zero.csv", "--quick")
done = run("divides.dsrv", put("more.csv", "x,y\n5,1\n"), "--quick", "--processes", "2")
claim("a warning comes once, whatever the processes", differs((0, 1), (done.returncode, done.stderr.count("warning: "))))
refused("no folder for the command's files", 1, "cannot make a folder for temporary files", "W1", "command", *short, env=dict(os.environ, TMPDIR="/nowhere"))
refused("edges of a file", 2, "--edges is about the suite", "divides.dsrv", "zero.csv", "--edges")
refused("edges of what has no interpreter", 1, "has no interpreter", "W3", "chains", "--edges")
refused("a tick count without end", 2, "--ticks", "clock.dsrv")
refused("a query", 2, "", put("query.sql", "CREATE STREAM s (a INT, i TIMESTAMP);\nSELECT DISTINCT a FROM s WHERE a BETWEEN 1 AND 4;\n"), "zero.csv")
refused("an unknown workload", 2, "neither a part of the suite nor the name of a specification", "W11")
refused("processes that would share standard input", 2, "standard input", "divides.dsrv", "--processes", "2", input="")
refused("a report to standard output", 2, "--html needs the name of a file", "W1", "--html", "-")
refused("a report of edges", 2, "--edges measures nothing", "W1", "--edges", "--html", "edges.html")
refused("a report that cannot be written, before anything runs", 1, "no/such/folder.html", "divides.dsrv", "zero.csv", "--quick", "--html", "no/such/folder.html")
os.mkdir("alone")
shutil.copy(weir, "alone/weir")
if not os.path.exists("/usr/local/lib/weir/weir_bench.so"):
    refused("without the module", 1, "the module weir_bench.so is not there", "W1", command="alone/weir")
# Beside another floor of the command, one that writes something else, or fails.
os.mkdir("other")
for name in ("weir", "weir_bench.so", "libweir.so.0", "libweir_bench_api.so", "libweir_bench_consts.so", "weir_bench_timed"):
    shutil.copy(f"{folder}/{name}", f"other/{name}")
one = ("command", "W1", "--variant", "base", "--rows", "4096", "--repeats", "1", "--processes", "1")
for what, does in (("writes something else than the floor", "echo sum"), ("the command (floor) failed: no more", "echo no more >&2; exit 3")):
    os.chmod(put("other/weir_bench_csv_base", f"#!/bin/sh\n{does}\n"), 0o755)
    refused(f"the command: {what}", 1, what, *one, command="other/weir")
os.remove("other/weir_bench_timed")
refused("the command without what starts it", 1, "cannot start", *one, command="other/weir")
reads, writes = os.pipe()
os.close(reads)
done = subprocess.run([weir, "bench", *pump, "--quick"], stdin=subprocess.DEVNULL, stdout=writes, stderr=subprocess.PIPE, timeout=250)
os.close(writes)
claim("a closed pipe, quietly", differs((1, b""), (done.returncode, done.stderr)))
for what, number, send in (("a signal from a terminal", signal.SIGINT, os.killpg), ("a signal to the first process", signal.SIGTERM, os.kill)):
    child = subprocess.Popen([weir, "bench", "--repeats", "10000", "W9"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             start_new_session=True)
    time.sleep(2)
    send(child.pid, number)
    out, err = child.communicate(timeout=100) # which waits for all that hold the pipes
    claim(f"{what} ends it, and its processes", differs((-number, b"", b""), (child.returncode, out, err)))

# A way that computes something else is found: a library before Weir's adds one to an output, now and then.
if is_plain:
    cc = re.search(r"^CMAKE_C_COMPILER:[A-Z]+=(.*)$", cache, re.M)[1]
    made = subprocess.run([cc, "-shared", "-fPIC", f"-I{root}/include", "-o", "wrong.so", f"{root}/tests/bench/wrong_rows.c"], capture_output=True, text=True)
    claim("the wrong library is built", made.stderr)
    env = dict(os.environ, LD_PRELOAD=f"{scratch}/wrong.so", WRONG_WEIR=f"{folder}/libweir.so.0")
    refused("a wrong result in the suite", 1, "typed computes another result", *short, "W1", env=env)
    refused("a wrong result of one's own", 1, "typed computes another result", *own["failing only once"][:2], "--quick", env=env)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
PYTHON
