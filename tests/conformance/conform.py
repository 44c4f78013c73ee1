"""Tries spellings against the real library, both directions: generated valid calls must run with equal shapes and types, and each
broken requirement must make the library refuse.

    python tests/conformance/conform.py [torch tf ...] [--names 'torch.nn.*'] [--count 10] [--per-code 2] [--seed 0] [--store FILE] [--json FILE] [--list]

Without a framework all of them are tried, and a table has a row for each. The work runs in a child process, name after name; a child that dies is started
again after the name that killed it. With `--store`, records are appended to a file as they come (JSON lines), and a run that was stopped continues there.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import resource
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from tensorproof.bindings import rows as tables
from tensorproof.bindings.raises import classes
from tensorproof.bindings.raises.circumstances import circumstances
from tensorproof.engines.generate.calls import Found, GeneratedCall, search, valid_calls, violations
from tensorproof.runners.observed import Observed, disagreement

LIBRARY = {
    "torch": "torch", "aten": "torch", "tf": "tensorflow", "graphdef": "tensorflow", "keras": "keras", "numpy": "numpy", "onnx": "onnx",
    "torchvision": "torch",
}  # fmt: skip
RUNNER = {"torch": "torch_runner", "aten": "torch_runner", "tf": "tf_runner", "graphdef": "graphdef_runner", "keras": "keras_runner",
          "numpy": "numpy_runner", "onnx": "onnx_runner", "torchvision": "torch_runner"}  # fmt: skip
GAPS = Path(__file__).with_name("known_gaps.toml")


def spellings(framework: str, globs: list[str]) -> list[str]:
    """The names of a framework's tables that match one of the globs."""
    found = [n for n in tables.names(LIBRARY[framework]) if n.partition(".")[0] == framework]
    return [n for n in found if any(fnmatch.fnmatchcase(n, g) for g in globs)] if globs else found


def shown(call: GeneratedCall) -> str:
    parts = [repr(a) for a in call.args] + [f"{k}={v!r}" for k, v in call.kwargs.items()]
    init = "" if call.init is None else "(" + ", ".join(f"{k}={v!r}" for k, v in call.init.items()) + ")"
    return f"{call.name}{init}({', '.join(parts)})"


def keywords(call: GeneratedCall) -> dict[str, Any]:
    """A row of ONNX is tried in the newest opset that it holds for; its runner knows what ONNX does not look at."""
    return {**call.kwargs, "_opset": call.row.opsets[1], "_broken": call.broken} if call.row.framework == "onnx" else call.kwargs


def blank(name: str) -> dict[str, Any]:
    return {"name": name, "valid": 0, "broken": 0, "codes": [], "aside": 0, "few": "", "wrong": [], "raised": []}


def why_few(found: Found) -> str:
    """Why a spelling has fewer valid calls than wanted, where that is in its nature; else nothing."""
    if found.valid:
        return "no more calls exist" if found.exhausted else ""
    if found.unknown:
        return f"cannot be told: {found.unknown}"
    codes = [c for c in found.refused if c != "call/arguments"]
    return f"always refused: {', '.join(codes)}" if len(codes) == 1 and len(found.refused) == 1 else ""


def spare(name: str, count: int, seed: int, record: dict[str, Any]) -> Iterator[GeneratedCall]:
    """Further calls that stand in for those set aside, if any was."""
    if record["aside"]:
        yield from valid_calls(name, 3 * count, seed + 1, tries=600)


def try_spelling(name: str, count: int, seed: int, deadly: set[int], per_code: int = 2) -> dict[str, Any]:
    """One spelling's record: counts and disagreements. `deadly` are the calls, by number, that ended the process before."""
    runner = import_module(f"tensorproof.runners.{RUNNER[name.partition('.')[0]]}")
    record = blank(name)
    found = search(name, count, seed)
    calls = list(found.valid.values())
    record["few"] = why_few(found) if len(calls) < count else ""
    number = 0
    for call in chain(calls, spare(name, count, seed, record)):
        if record["valid"] >= count:
            break
        number += 1
        print(f"#{number}", flush=True)
        seen = Observed(error=DEAD) if number in deadly else runner.run(name, call.args, keywords(call), call.init)
        if seen.aside:
            record["aside"] += 1
            continue
        record["valid"] += 1
        if seen.error:
            record["wrong"].append(["refuses", shown(call), seen.error])
        elif differs := disagreement(call.outcome.outputs, seen.outputs):
            record["wrong"].append(["differs", shown(call), differs])
    broken = violations(name, calls, per_code, seed, spread=per_code > 2)
    codes = {call.broken for call in broken}
    broken += [call for code, call in found.refused.items() if code not in codes and (code != "call/arguments" or not calls)]
    for call in broken:
        number += 1
        print(f"#{number}", flush=True)
        seen = Observed(error=DEAD) if number in deadly else runner.run(name, call.args, keywords(call), call.init)
        if seen.aside or (not seen.error and (seen.inferred or getattr(runner, "unsafe", lambda _: False)(name))):
            record["aside"] += 1
            continue
        record["broken"] += 1
        record["codes"].append(call.broken)
        if not seen.error:
            assert call.outcome.refused is not None
            record["wrong"].append(["accepts", shown(call), f"{call.broken}: {call.outcome.refused.message}"])
        elif call.outcome.refused is not None:
            record["raised"].append([call.broken, call.outcome.refused.message, *seen.classes, shown(call)[:300], circumstances(call.outcome.bound)])
    return record


DEAD = "the library ended the process"
MEMORY = 8 << 30
"""Bytes of data that a child may hold: a call that asks for more is refused by its library, and the machine lives on."""


def child(names: list[str], count: int, seed: int, per_code: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for entry in names:
        name, _, numbers = entry.partition("#")
        print(f">{name}", flush=True)
        try:
            record = try_spelling(name, count, seed, {int(n) for n in numbers.split(",") if n}, per_code)
        except Exception as error:  # our own bug: shown, never hidden
            record = {**blank(name), "wrong": [["bug", name, f"{type(error).__name__}: {error}"]]}
        print(json.dumps(record), flush=True)


class Late:
    """Ends a child that has said nothing for some seconds."""

    def __init__(self, process: subprocess.Popen[str], seconds: int) -> None:
        self.process, self.seconds, self.killed = process, seconds, False
        self.timer: threading.Timer | None = None
        self.again()

    def again(self) -> None:
        self.stop()
        self.timer = threading.Timer(self.seconds, self.end)
        self.timer.daemon = True
        self.timer.start()

    def stop(self) -> None:
        if self.timer is not None:
            self.timer.cancel()

    def end(self) -> None:
        self.killed = True
        self.process.kill()


Keep = Callable[[dict[str, Any]], None]


def conform(names: list[str], count: int = 10, seed: int = 0, seconds: int = 60, keep: Keep = lambda _: None, per_code: int = 2) -> list[dict[str, Any]]:
    """The records of many spellings, from child processes; each is given to `keep` as it comes."""
    records: list[dict[str, Any]] = []

    def add(record: dict[str, Any]) -> None:
        records.append(record)
        keep(record)

    left = list(names)
    deadly: dict[str, list[str]] = {}
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    while left:
        command = [sys.executable, __file__, "--child", "--count", str(count), "--seed", str(seed), "--per-code", str(per_code)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n".join(f"{name}#{','.join(deadly.get(name, []))}" for name in left))
        process.stdin.close()
        current, number = "", ""
        late = Late(process, seconds)
        for line in process.stdout:
            late.again()
            if line.startswith(">"):
                current, number = line[1:].strip(), ""
            elif line.startswith("#"):
                number = line[1:].strip()
            elif line.startswith("{"):
                add(json.loads(line))
                left.remove(current)
                current = ""
        late.stop()
        process.wait()
        if current and number and len(deadly.get(current, [])) < 8:
            deadly.setdefault(current, []).append(number)  # the same name again, without that call
        elif current:
            why = f"no answer in {seconds} s" if late.killed else DEAD
            add({**blank(current), "wrong": [["crash", current, why]]})
            left.remove(current)
        elif left and process.returncode:
            raise RuntimeError(f"the child ended with {process.returncode} before it began; try it by hand: {' '.join(command)}")
    return records


def known_gaps() -> dict[str, str]:
    """Spellings on which we know that we disagree, with the reason."""
    return tomllib.loads(GAPS.read_text(encoding="utf-8")).get("gaps", {}) if GAPS.exists() else {}


@cache
def _gap_rows() -> frozenset[str]:
    return frozenset(row.source for name in known_gaps() for row in tables.rows(name))


def is_known(name: str) -> bool:
    """Whether a spelling, or another with the same row, is a known gap."""
    return not _gap_rows().isdisjoint(row.source for row in tables.rows(name))


def named(records: list[dict[str, Any]]) -> str:
    return " ".join(f"{r['name']}={r['valid']}" for r in records[:200])


def report(records: list[dict[str, Any]], details: bool) -> int:
    bad = [r for r in records if r["wrong"]]
    new = [r for r in bad if not is_known(r["name"])]
    few = [r for r in records if r["valid"] + r["aside"] < 10 and r["few"]]
    aside = [r for r in records if r["valid"] < 10 <= r["valid"] + r["aside"] and not r["few"]]
    thin = [r for r in records if r["valid"] + r["aside"] < 10 and not r["few"]]
    kinds = Counter(w[0] for r in bad for w in r["wrong"])
    print(f"{len(records)} spellings · {sum(r['valid'] for r in records)} valid calls · {sum(r['broken'] for r in records)} broken ones")
    print(f"disagree: {len(bad)} spellings ({', '.join(f'{k} {n}' for k, n in kinds.most_common())}) · {len(bad) - len(new)} known gaps")
    print(f"fewer than 10 valid calls: {len(thin)}: {named(thin)}")
    print(f"fewer than 10 because some were set aside (no such device or kernel here): {len(aside)}: {named(aside)}")
    for why in sorted({r["few"].partition(":")[0] for r in few}):
        group = [r for r in few if r["few"].startswith(why)]
        print(f"fewer than 10 since {why}: {len(group)}: {named(group)}")
    if details:
        for record in new:
            print(f"\n{record['name']}: {len(record['wrong'])} of {record['valid'] + record['broken']}")
            for kind, call, words in record["wrong"][:4]:
                print(f"   {kind}: {call}\n      {words}")
    return int(bool(new))


def exceptions(records: list[dict[str, Any]], details: bool) -> None:
    """Of the refused calls of each library, how many raise the one class that our spelling says, one of several, and another."""
    counts: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    for record in records:
        library = record["name"].partition(".")[0]
        for code, message, now, later, call, about in record.get("raised", ()):
            for name, traced in ((now, False), (later, True)) if library in ("tf", "keras") else ((now, False),):
                said = classes(record["name"], code, message, traced, about)
                answer = "alike" if said == (name,) else "likeliest" if said[0] == name else "possible" if name in said else "other"
                if name.isidentifier():
                    counts.setdefault(library + " traced" * traced, Counter())[answer] += 1
                    if answer == "other":
                        wrong.append(f"   {record['name']}: {code}: {'|'.join(said)}, the library {name}{' traced' * traced}: {call}")
    for library, counted in counts.items():
        share = [f"{counted[word] / counted.total():.2%}" for word in ("alike", "likeliest", "possible", "other")]
        print(f"exception classes, {library}: of {counted.total()} refused calls {share[0]} the one said, "
              f"{share[1]} the likeliest of several, {share[2]} another of them, {share[3]} none of those said")  # fmt: skip
    print("\n".join(wrong if details else ()), end="\n" if details and wrong else "")


class Store:
    """Records in a file, one in a line, under the seed and the count of their run; a run that was stopped continues where it was."""

    def __init__(self, path: Path, count: int, seed: int, per_code: int) -> None:
        self.path, self.run = path, {"count": count, "seed": seed, "per_code": per_code}
        self.records: dict[str, dict[str, Any]] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            with suppress(json.JSONDecodeError):  # a line was cut short: its name is run again
                if {**(record := json.loads(line)), **self.run} == record:
                    self.records[record["name"]] = record

    def add(self, record: dict[str, Any]) -> None:
        self.records[record["name"]] = record
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**record, **self.run}) + "\n")


def conform_all(names: list[str], count: int, seed: int, seconds: int, store: Store | None, per_code: int = 2) -> list[dict[str, Any]]:
    """The records of all names, those of the store not run again."""
    if store is None:
        return conform(names, count, seed, seconds, per_code=per_code)
    conform([name for name in names if name not in store.records], count, seed, seconds, store.add, per_code)
    return [store.records[name] for name in names]


def table(records: list[dict[str, Any]]) -> None:
    """A row for each framework, and the sum."""
    groups = {framework: [r for r in records if r["name"].partition(".")[0] == framework] for framework in RUNNER}
    print(f"{'framework':<12} {'spellings':>9} {'valid calls':>11} {'broken calls':>12} {'known gaps':>10} {'disagreements':>13}")
    for framework, group in [*groups.items(), ("all", records)]:
        if group:
            known = [r for r in group if r["wrong"] and is_known(r["name"])]
            new = [w for r in group if not is_known(r["name"]) for w in r["wrong"]]
            valid, broken = sum(r["valid"] for r in group), sum(r["broken"] for r in group)
            print(f"{framework:<12} {len(group):>9} {valid:>11} {broken:>12} {len(known):>10} {len(new):>13}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("frameworks", nargs="*", metavar="framework", help=f"{', '.join(RUNNER)}; without one, all")
    parser.add_argument("--names", action="append", default=[])
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--per-code", type=int, default=2, help="how many calls break each requirement; from 3 on they are spread over all that do")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60, help="how long one call may take, loading the library included")
    parser.add_argument("--store", type=Path, help="append records to this file as they come, and do not repeat those that it has")
    parser.add_argument("--json")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--child", action="store_true")
    options = parser.parse_args()
    if options.child:
        child(sys.stdin.read().split(), options.count, options.seed, options.per_code)
        return 0
    if unknown := {*options.frameworks} - {*RUNNER}:
        parser.error(f"no such framework: {', '.join(sorted(unknown))}; there are {', '.join(RUNNER)}")
    store = Store(options.store, options.count, options.seed, options.per_code) if options.store else None
    names = [name for framework in options.frameworks or RUNNER for name in spellings(framework, options.names)]
    records = conform_all(names, options.count, options.seed, options.seconds, store, options.per_code)
    if options.json:
        Path(options.json).write_text(json.dumps(records, indent=1), encoding="utf-8")
    if len(options.frameworks) != 1:
        table(records)
    exceptions(records, options.list)
    return report(records, options.list)


if __name__ == "__main__":
    sys.exit(main())
