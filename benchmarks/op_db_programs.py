"""Straight-line programs from torch's op_db: the call and a line that holds or breaks its shape, tried with torch, then checked by us.

python benchmarks/op_db_programs.py --out DIR [--entry GLOB] [--per-entry N]     writes them and manifest.json (needs torch)
python benchmarks/op_db_programs.py --out DIR --check [--entry GLOB]             runs `tensorproof check` over them (needs no torch)

A sample gives two programs: `torch.stack([y, torch.zeros(TRUE_SHAPE)])`, which must run, and one with a size wrong by one, which
must fail on that line. An error input gives one, which must fail in the call. What torch does not confirm is set aside and counted.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import time
import tomllib
import warnings
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from oracle.program import FILLINGS, NotWritable, Program, first_tensor, pinning, written, wrong_by_one  # noqa: E402
from oracle.record import Record, read  # noqa: E402

LEFT_OUT = ROOT / "tests" / "conformance" / "op_db_left_out.toml"
BATCH = 250


@dataclass(frozen=True, slots=True)
class Item:
    """One program of the manifest. `kind` is valid, wrong or error; `line` is where it fails, 0 for a valid one."""

    path: str
    kind: str
    line: int
    table: str
    entry: str
    spelling: str


class Trial:
    """Runs programs with the real torch in this process."""

    def __init__(self) -> None:
        import torch

        self.torch = torch
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")

    def run(self, program: Program) -> dict[str, Any]:
        names: dict[str, Any] = {}
        self.torch.manual_seed(0)
        exec(compile("\n".join(program.setup), "setup", "exec"), names)
        exec(compile(program.call, "call", "exec"), names)
        return names

    def sample(self, record: Record) -> tuple[Program, tuple[int, ...]]:
        """The first filling with which torch gives the recorded shape, the right line runs and the wrong one fails."""
        part = first_tensor(record.outputs)
        if part is None:
            raise NotWritable("no dense tensor comes out")
        expected: Any = record.outputs
        for i in part:
            expected = expected[i]
        why = ""
        for filling in FILLINGS:
            program = written(record, filling, part)
            try:
                names = self.run(program)
            except Exception as error:
                why = why or f"torch: {type(error).__name__}"
                continue
            shape = tuple(names["y"].shape)
            if shape != expected.shape:
                why = why or "the size depends on contents that are not kept"
            elif self.fails(pinning(shape), names):
                why = why or f"torch cannot stack {expected.dtype}"
            elif not self.fails(pinning(wrong_by_one(shape, record.index)), names):
                why = why or "torch takes the wrong size"
            else:
                return program, shape
        raise NotWritable(why)

    def error(self, record: Record) -> Program:
        """The first filling with which torch fails in the call with the recorded message."""
        why = "the call runs"
        for filling in FILLINGS:
            program = written(record, filling)
            names: dict[str, Any] = {}
            try:
                exec(compile("\n".join(program.setup), "setup", "exec"), names)
            except Exception as error:
                why = f"building its inputs: {type(error).__name__}"
                continue
            try:
                exec(compile(program.call, "call", "exec"), names)
            except Exception as error:
                said = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
                if said[:40] == record.error_text[:40]:
                    return program
                why = "another message"
        raise NotWritable(why)

    @staticmethod
    def fails(line: str, names: dict[str, Any]) -> bool:
        try:
            exec(compile(line, "stack", "exec"), dict(names))
        except Exception:
            return True
        return False


def chosen(options: argparse.Namespace) -> list[Record]:
    """The records to write: at most `--per-entry` samples an entry, spread evenly; all error inputs."""
    lists = tomllib.loads(LEFT_OUT.read_text())
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in read(keep=lambda entry, spelling: any(fnmatch.fnmatchcase(name, options.entry) for name in (entry, spelling))):
        out = record.entry in lists["samples"] if record.kind == "sample" else record.key in lists["errors"]
        if record.primary and not out:
            groups[f"{record.kind} {record.entry}"].append(record)
    picked: list[Record] = []
    for name, group in groups.items():
        step = max(1, -(-len(group) // options.per_entry)) if options.per_entry and name.startswith("sample") else 1
        picked += group[::step]
    return picked


def write(options: argparse.Namespace) -> None:
    start = time.perf_counter()
    trial, items = Trial(), list[Item]()
    aside: dict[str, list[str]] = defaultdict(list)
    for record in chosen(options):
        name = f"{record.table}/{record.entry.replace('.', '_')}/{record.index:04d}"
        common = (record.table, record.entry, record.spelling)
        try:
            if record.kind == "error":
                program = trial.error(record)
                items.append(save(options.out, Item(f"{name}_error.py", "error", program.call_line, *common), program.text()))
                continue
            program, shape = trial.sample(record)
        except NotWritable as reason:
            aside[f"{record.kind}: {reason}"].append(record.key)
            continue
        items.append(save(options.out, Item(f"{name}_valid.py", "valid", 0, *common), program.text(pinning(shape))))
        broken = program.text(pinning(wrong_by_one(shape, record.index)))
        items.append(save(options.out, Item(f"{name}_wrong.py", "wrong", program.call_line + 1, *common), broken))
    manifest = {"programs": [asdict(i) for i in items], "set_aside": aside}
    (options.out / "manifest.json").write_text(json.dumps(manifest, indent=1))
    print(f"{dict(Counter((i.table, i.kind) for i in items))} in {time.perf_counter() - start:.0f} s → {options.out}")
    for reason, keys in sorted(aside.items(), key=lambda a: -len(a[1])):
        print(f"set aside {len(keys):5d}  {reason}: {', '.join(sorted({k.split('#')[0] for k in keys}))[:160]}")


def save(out: Path, item: Item, text: str) -> Item:
    path = out / item.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return item


def tensorproof(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "tensorproof", *arguments]
    return subprocess.run(command, cwd=out, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})


def check_batch(out: Path, batch: list[Item]) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Path → verdict and errors, of one `tensorproof check`; a batch that fails whole is halved until the guilty file stands alone."""
    done = tensorproof(out, "check", "--output-format", "json", *(i.path for i in batch))
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        if len(batch) == 1:
            return {batch[0].path: (f"failed: {(done.stderr.strip().splitlines() or ['no output'])[-1]}", [])}
        half = len(batch) // 2
        return {**check_batch(out, batch[:half]), **check_batch(out, batch[half:])}
    found: dict[str, tuple[str, list[dict[str, Any]]]] = {p["path"]: (p["verdict"], []) for p in answer["programs"]}
    for diagnostic in answer["diagnostics"]:
        if diagnostic["severity"] == "error":
            found[diagnostic["path"]][1].append(diagnostic)
    return found


def check(options: argparse.Namespace) -> int:
    manifest = json.loads((options.out / "manifest.json").read_text())
    version = tensorproof(options.out, "--version")
    if version.returncode:
        print(f"tensorproof does not start: {version.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return 2
    items = [Item(**p) for p in manifest["programs"]]
    items = [i for i in items if any(fnmatch.fnmatchcase(name, options.entry) for name in (i.entry, i.spelling))]
    start = time.perf_counter()
    answers: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for at in range(0, len(items), BATCH):
        answers |= check_batch(options.out, items[at : at + BATCH])
    seconds = time.perf_counter() - start
    good: dict[tuple[str, str], list[Item]] = defaultdict(list)
    missed: dict[tuple[str, str], list[tuple[Item, str]]] = defaultdict(list)
    alarms: list[tuple[Item, dict[str, Any]]] = []
    for item in items:
        verdict, errors = answers.get(item.path, ("failed: not in the answer", []))
        alarms += [(item, e) for e in errors if e["line"] != item.line]
        right = verdict == "valid" and not errors if item.kind == "valid" else any(e["line"] == item.line for e in errors)
        if right:
            good[item.table, item.kind].append(item)
        else:
            missed[item.table, item.kind].append((item, errors[0]["message"] if errors else verdict))
    words = {"valid": "proved valid", "wrong": "wrong by one, found", "error": "error inputs, found"}
    for key in sorted({(i.table, i.kind) for i in items}, reverse=True):
        total = len(good[key]) + len(missed[key])
        print(f"{key[0]:10s} {words[key[1]]:22s} {len(good[key]) / total:7.2%} of {total}")
        worst = Counter(i.spelling for i, _ in missed[key]).most_common(20)
        if worst:
            print("    not: " + ", ".join(f"{name} {n}" for name, n in worst))
    for item, said in [m for key, group in missed.items() for m in group if not options.list or key[1] == options.list][: options.most]:
        print(f"{item.kind} {item.path}:{item.line} {said}")
    print(f"false alarms: {len(alarms)}    {1000 * seconds / max(1, len(items)):.1f} ms a file, {len(items)} files in {seconds:.0f} s")
    for item, e in alarms[: options.most or 20]:
        print(f"FALSE ALARM {item.path}:{e['line']} [{e['code']}] {e['message']}")
    return 1 if alarms else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--entry", default="*", metavar="GLOB", help="entries or spellings")
    parser.add_argument("--per-entry", type=int, default=10, metavar="N", help="samples per entry, 0 for all")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", choices=["valid", "wrong", "error"], help="with --check and --most: which misses to print")
    parser.add_argument("--most", type=int, default=0, help="with --check: how many misses and false alarms to print")
    options = parser.parse_args()
    options.out = options.out.resolve()
    if options.check:
        return check(options)
    write(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
