#!/usr/bin/env python3
"""Run the static conformance cases through CSV and NDJSON.

usage: through_formats.py [--bin PATH] [--tier T] [-v] [PATTERN]

Each case's trace is converted here, by code that shares nothing with Weir's; Weir then runs on the converted input and writes a
trace, which must be the expected one.  A trace with an error in its text cannot be converted and is left out.
"""
import argparse, fnmatch, importlib.machinery, importlib.util, json, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
loader = importlib.machinery.SourceFileLoader("conformance_run", os.path.join(HERE, "run"))
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("conformance_run", loader))
sys.dont_write_bytecode = True
loader.exec_module(runner)


class Deferred: pass
class Unit: pass
class Tuple(list): pass
class Number(str): pass  # as it is written


class Reader:
    """Values of a trace."""
    NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf(?:inity)?|nan", re.I)
    ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}

    def __init__(self, text): self.text, self.at = text, 0

    def blanks(self): self.at = re.compile(r"[ \t]*").match(self.text, self.at).end()

    def take(self, pattern):
        m = re.compile(pattern).match(self.text, self.at)
        if m: self.at = m.end()
        return m

    def string(self):
        if self.text.startswith('"', self.at):
            m = self.take(r'"([^"]*)"')
            return m and m.group(1)
        m = self.take(r'e"((?:[^"\\]|\\u\{[0-9a-fA-F]+\}|\\.)*)"')
        return m and re.sub(r"\\(u\{([0-9a-fA-F]+)\}|.)", lambda g: chr(int(g[2], 16)) if g[2] else self.ESCAPES[g[1]], m.group(1))

    def items(self, close, one):
        out = []
        self.blanks()
        if self.take(re.escape(close)): return out
        while True:
            out.append(one())
            self.blanks()
            if self.take(re.escape(close)): return out
            if not self.take(","): raise ValueError("no comma")

    def entry(self):
        self.blanks()
        key = self.string()
        self.blanks()
        if key is None or not self.take(":"): raise ValueError("no key")
        return key, self.value()

    def value(self):
        self.blanks()
        text = self.string()
        if text is not None: return text
        if self.take(r"\(\)"): return Unit()
        if self.take(r"\[|List[ \t]*\("): return self.items("]" if self.text[self.at - 1] == "[" else ")", self.value)
        if self.take(r"Tuple[ \t]*\("): return Tuple(self.items(")", self.value))
        if self.take(r"\{|Map[ \t]*\("):
            entries = self.items("}" if self.text[self.at - 1] == "{" else ")", self.entry)
            if len(dict(entries)) != len(entries): raise ValueError("key twice")
            return dict(entries)
        m = self.take(r"true\b|false\b|deferred\b")
        if m: return {"true": True, "false": False, "deferred": Deferred()}[m.group()]
        m = self.take(self.NUMBER.pattern + r"(?![\w.])") or self.take("(?i:" + self.NUMBER.pattern + r")(?![\w.])")
        if not m: raise ValueError("no value")
        return Number(m.group())


def read_trace(text):
    """[{name: value}] by tick; ValueError where the text is no trace."""
    rows, now, r = [], None, Reader(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    while r.at < len(r.text):
        if r.take(r"[ \t]*(?://[^\n]*)?(?:\n|\Z)"): continue
        m = r.take(r"[ \t]*(\d+)[ \t]*:")
        if m:
            tick = int(m.group(1))
            if now is not None and tick < now or tick > 100000: raise ValueError("time")
            now = tick
            rows += [{} for _ in range(tick + 1 - len(rows))]
            continue
        m = r.take(r"[ \t]*(\w+)[ \t]*=")
        if not m or now is None or m.group(1) in rows[now]: raise ValueError("no assignment")
        rows[now][m.group(1)] = r.value()
        if not r.take(r"[ \t]*(?://[^\n]*)?(?:\n|\Z)"): raise ValueError("no end of line")
    return rows


def is_int(v): return isinstance(v, Number) and re.fullmatch(r"[-+]?\d+", v) and -2**63 <= int(v) < 2**63


def form(v):
    """As a trace writes it."""
    if isinstance(v, Deferred): return "deferred"
    if isinstance(v, Unit): return "()"
    if isinstance(v, bool): return "true" if v else "false"
    if isinstance(v, Number): return str(v)
    if isinstance(v, str): return 'e"' + "".join("\\u{%x}" % ord(c) if c in '"\\' or ord(c) < 32 else c for c in v) + '"'
    if isinstance(v, dict): return "{" + ", ".join(form(k) + ": " + form(x) for k, x in v.items()) + "}"
    return ("Tuple(" if isinstance(v, Tuple) else "[") + ", ".join(map(form, v)) + (")" if isinstance(v, Tuple) else "]")


def quoted(text): return '"' + text.replace('"', '""') + '"'


def cell(v, type_):
    if v is None: return ""
    if isinstance(v, Deferred): return "deferred"
    if isinstance(v, str) and not isinstance(v, Number): return quoted(v) if type_ == "Str" or type_.startswith("Expr") else quoted(form(v))
    if isinstance(v, (bool, Number)): return form(v)
    return quoted(form(v))


def to_csv(rows, names, types):
    lines = [",".join(names)] + [",".join(cell(row.get(n), types.get(n, "Any")) for n in names) for row in rows]
    return "\n".join(lines) + "\n"


def plain(v):
    """As json.dumps takes it; numbers stay as they are written where JSON has that form."""
    if isinstance(v, Deferred): return {"$": "deferred"}
    if isinstance(v, Unit): return {"$": "unit"}
    if isinstance(v, Number):
        if is_int(v): return int(v)
        f = float(v)
        return {"$": "nan"} if f != f else {"$": "inf" if f > 0 else "-inf"} if f in (float("inf"), float("-inf")) else f
    if isinstance(v, Tuple): return {"$": "tuple", "v": [plain(x) for x in v]}
    if isinstance(v, list): return [plain(x) for x in v]
    if isinstance(v, dict):
        out = {k: plain(x) for k, x in v.items()}
        return {"$": "map", "v": out} if "$" in out else out
    return v


def to_ndjson(rows, names, types):
    return "".join(json.dumps({n: plain(row[n]) for n in names if n in row}, ensure_ascii=len(rows) % 2 == 0) + "\n" for row in rows)


def check(binary, tier, d, kind, text, folder):
    want, error = runner.read(f"{d}/expected.output") or "", runner.read(f"{d}/expected.error")
    path = os.path.join(folder, "trace." + kind)
    with open(path, "w", encoding="utf-8", newline="") as f: f.write(text)
    cmd = [binary, "run", "--output-format", "trace", "--quiet"] + (["--tier", tier] if tier else []) + [f"{d}/spec.dsrv", path]
    p = subprocess.run(cmd, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    out, err = p.stdout.decode("utf-8"), p.stderr.decode("utf-8", "replace")
    diff = runner.first_difference(want, out)
    if diff: return f"{diff}; {err.strip()[:160]}"
    if error is None: return f"exit status {p.returncode}: {err.strip()[:160]}" if p.returncode else None
    phase = error.split(":")[0].strip()
    is_static = phase in runner.STATIC
    if p.returncode != (2 if is_static else 4): return f"exit status {p.returncode}, want an error ({error.strip()})"
    if not any(re.search(rf"\b{w}\b", err) for w in (runner.STATIC if is_static else (phase,))): return f"stderr does not name {phase}: {err.strip()[:160]}"
    return None


def main():
    a = argparse.ArgumentParser(description="Run the static conformance cases through CSV and NDJSON.")
    a.add_argument("--bin", default=os.environ.get("WEIR", "./weir")); a.add_argument("--tier", default="canonical")
    a.add_argument("-v", action="store_true", help="name what is left out"); a.add_argument("pattern", nargs="?", default="*")
    o = a.parse_args()
    ok = bad = left = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in open(os.path.join(HERE, "static.txt"), encoding="utf-8").read().split():
            d = os.path.join(HERE, "cases", name)
            if not fnmatch.fnmatch(name, o.pattern): continue
            spec = re.sub(r"//[^\n]*", "", runner.read(f"{d}/spec.dsrv"))
            types = {n: (t or "Any").strip() for n, t in re.findall(r"^\s*in[ \t]+(\w+)[ \t]*(?::[ \t]*([^\n]+))?", spec, re.M)}
            try: rows = read_trace(runner.read(f"{d}/trace.input"))
            except ValueError as why:
                left += 1
                if o.v: print(f"left out {name}: {why}")
                continue
            names = list(types) + sorted({n for row in rows for n in row} - set(types))
            if not names: names = ["nothing"] # a row of no columns cannot be written
            for kind, convert in (("csv", to_csv), ("ndjson", to_ndjson)):
                why = check(os.path.abspath(o.bin), o.tier, d, kind, convert(rows, names, types), folder)
                ok, bad = ok + (why is None), bad + (why is not None)
                if why: print(f"FAIL {name} through {kind}: {why}", flush=True)
    print(f"{left} left out: their traces cannot be converted")
    print(f"{ok} passed, {bad} failed")
    return 1 if bad or not ok else 0


if __name__ == "__main__": sys.exit(main())
