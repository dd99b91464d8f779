#!/usr/bin/env python3
"""apart.py FOLDER...: do the histories of a witness differ for the reference?

FOLDER holds query.sql, history-H.ndjson and continuation-K.ndjson, as `weir check --witness` writes them.  Each history is run with each
continuation behind it; two histories are told apart when the results after the history differ for one of the continuations.
One line for each folder where two are not; the last line is `N passed, N failed`; exit status 1 when one failed.
"""
import io
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spj


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def numbered(folder, kind):
    names = [n for n in os.listdir(folder) if n.startswith(kind + "-") and n.endswith(".ndjson")]
    return [read(folder, n).splitlines() for n in sorted(names)]


def time_of(query, line):
    row = json.loads(line)
    rel = query.rels[row["stream"]]
    return row["row"][rel.cols[rel.time][0]]


def results(text, history, continuation):
    """The lines that are written in the steps of the continuation."""
    query, out = spj.parse(text), io.StringIO()
    begin = min(time_of(query, line) for line in continuation)
    if any(time_of(query, line) >= begin for line in history):
        raise spj.InputError("the continuation is not later than the history")
    spj.run(query, history + continuation, spj.BruteForce(query), out)
    return tuple(line for line in out.getvalue().splitlines() if json.loads(line)["t"] >= begin)


def check(folder):
    """None when all histories are told apart, else what is wrong."""
    text = read(folder, "query.sql")
    histories, continuations = numbered(folder, "history"), numbered(folder, "continuation")
    if not continuations or len(histories) != 2 ** len(continuations):
        return f"{len(histories)} histories and {len(continuations)} continuations"
    seen = {}
    for h, history in enumerate(histories):
        try:
            shown = tuple(results(text, history, c) for c in continuations)
        except (spj.SqlError, spj.InputError) as e:
            return f"history {h}: {e}"
        if shown in seen:
            return f"histories {seen[shown]} and {h} have the same results"
        seen[shown] = h
    return None


def main(folders):
    failed = 0
    for folder in folders:
        wrong = check(folder)
        if wrong:
            failed += 1
            print(f"{folder}: {wrong}", flush=True)
    print(f"{len(folders) - failed} passed, {failed} failed")
    return 1 if failed or not folders else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
