"""Compares the catalogue with torch's own op_db and module_db, read from the cache that tests/conformance/oracle/dump.py makes.

python benchmarks/op_db.py                                     the table and the shares that the project promises
python benchmarks/op_db.py --list wrong --entry 'nn_functional_conv*'   each disagreement: the call, what torch did, what we said
python benchmarks/op_db.py --worst 40                          the entries that cost most

Lists: wrong (other shapes or dtypes), refused (torch runs it, we refuse), unknown (we cannot tell), missed (torch refuses, we do not),
bugs (our rule raised), state (a module's parameters or buffers differ).
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "conformance")]
from oracle.record import Made, Name, Record, Tensor, read  # noqa: E402

from tensorproof.bindings.call import Outcome, call, call_module  # noqa: E402
from tensorproof.bindings.modules import Module  # noqa: E402
from tensorproof.terms.dtypes import BY_LABEL, DType  # noqa: E402
from tensorproof.terms.ints import bounds  # noqa: E402
from tensorproof.terms.shapes import Shape  # noqa: E402
from tensorproof.terms.tensor import TensorType  # noqa: E402

LEFT_OUT = ROOT / "tests" / "conformance" / "op_db_left_out.toml"
EQUAL, WRONG, REFUSED, UNKNOWN, BUG, STATE, MISSED = "equal", "wrong", "refused", "unknown", "bugs", "state", "missed"


@dataclass(frozen=True, slots=True)
class Result:
    """How we did on one record. For an error input `equal` means that we refuse it too."""

    record: Record
    verdict: str
    got: str = ""


def to_ours(value: Any) -> Any:
    """A recorded argument as the catalogue takes it."""
    if isinstance(value, Tensor):
        return TensorType(
            Shape(value.shape),
            BY_LABEL[value.dtype],
            device=value.device,
            contents=value.contents,
            strides=value.strides,
            layout=value.layout,
            requires_grad=value.requires_grad,
        )
    if isinstance(value, tuple):
        return tuple([to_ours(v) for v in value])
    if isinstance(value, list):
        return [to_ours(v) for v in value]
    if isinstance(value, dict):
        return {k: to_ours(v) for k, v in value.items()}
    if isinstance(value, Name):
        return BY_LABEL[value.text.removeprefix("torch.")] if value.kind == "dtype" else value.text
    if isinstance(value, Made):
        return call(value.spelling, to_ours(value.args), to_ours(value.kwargs)).outputs
    return value


def same(expected: Any, got: Any) -> bool:
    """Equal shapes and dtypes; a size that is not known exactly counts when its bounds hold the true one."""
    if isinstance(expected, Tensor):
        return isinstance(got, TensorType) and got.dtype is BY_LABEL[expected.dtype] and same_shape(expected.shape, got.shape)
    if isinstance(expected, tuple | list):
        return isinstance(got, tuple | list) and len(got) == len(expected) and all(same(e, g) for e, g in zip(expected, got))
    if isinstance(expected, dict):
        return isinstance(got, dict) and expected.keys() == got.keys() and all(same(e, got[k]) for k, e in expected.items())
    if isinstance(expected, Name):
        return isinstance(got, DType) and f"torch.{got.label}" == expected.text if expected.kind == "dtype" else got == expected.text
    return same_number(expected, got)


def same_shape(expected: tuple[int, ...], got: Shape) -> bool:
    return got.known and len(got) == len(expected) and all(e == g or within(e, g) for e, g in zip(expected, got))


def within(size: int, dim: Any) -> bool:
    if isinstance(dim, int):
        return False
    lo, hi = bounds(dim)
    return (lo is None or lo <= size) and (hi is None or size <= hi)


def same_number(expected: Any, got: Any) -> bool:
    """Python results such as `item()` and `allclose`: an unknown number counts by its kind, a known one by its value."""
    if isinstance(got, TensorType):  # a Python number that came out of a tensor is a weak scalar
        kinds = {bool: "b", int: "iu", float: "f", complex: "c"}
        return len(got.shape) == 0 and got.weak and got.dtype is not None and got.dtype.kind in kinds.get(type(expected), "")
    if type(expected) is int and not isinstance(got, int):
        return not isinstance(got, str | float | complex | tuple | list | None) and within(expected, got)
    if isinstance(expected, float | complex):
        return type(got) is type(expected)
    return (type(got) is type(expected) and got == expected) or type(got).__name__ in ("Predicate", "Unknown")


def judged(record: Record) -> Result:
    module, outcome = run(record)
    if outcome.refused is not None:
        said = f"refused [{outcome.refused.code}] {outcome.refused.message}"
        return Result(record, EQUAL if record.kind == "error" else REFUSED, said)
    if outcome.unknown is not None:
        bug = outcome.unknown.startswith("our rule failed")
        return Result(record, BUG if bug else UNKNOWN, outcome.unknown)
    if record.kind == "error":
        return Result(record, MISSED, f"accepted: {outcome.outputs!r}")
    if not same(record.outputs, outcome.outputs):
        return Result(record, WRONG, repr(outcome.outputs))
    if module is not None and not same(record.state, module.state()):
        return Result(record, STATE, f"state {module.state()} instead of {record.state}")
    return Result(record, EQUAL)


def run(record: Record) -> tuple[Module | None, Outcome]:
    if record.table == "op_db":
        return None, call(record.spelling, to_ours(record.args), to_ours(record.kwargs))
    made = call(record.spelling, to_ours(record.init), to_ours(record.init_kwargs))
    if made.refused or made.unknown or record.stage == "construction":
        return None, made
    module = made.outputs
    if not isinstance(module, Module):
        return None, Outcome(unknown=f"{record.spelling} makes no module")
    module.training = record.training
    return module, call_module(module, to_ours(record.args), to_ours(record.kwargs))


def results(records: Iterable[Record]) -> Iterator[Result]:
    for record in records:
        try:
            yield judged(record)
        except Exception as error:
            yield Result(record, BUG, f"{type(error).__name__}: {error}")


@cache
def left_out() -> tuple[dict[str, str], dict[str, str]]:
    """Entries whose samples, and error inputs (ENTRY#INDEX), that are not compared: name → reason."""
    lists = tomllib.loads(LEFT_OUT.read_text())
    return lists["samples"], lists["errors"]


def wanted(options: argparse.Namespace) -> Iterator[Record]:
    samples, errors = left_out()
    for record in read(keep=lambda entry, spelling: any(fnmatch.fnmatchcase(name, options.entry) for name in (entry, spelling))):
        if record.entry in samples if record.kind == "sample" else record.key in errors:
            continue
        if (options.table == "both" or record.table == options.table) and (record.primary or not options.primary):
            yield record


def share(found: list[Result]) -> float:
    return sum(r.verdict == EQUAL for r in found) / len(found) if found else 1.0


def by_entry(found: Iterable[Result]) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = defaultdict(list)
    for r in found:
        groups[r.record.entry].append(r)
    return groups


def line(title: str, found: list[Result]) -> str:
    groups = by_entry(found)
    mean = sum(map(share, groups.values())) / len(groups) if groups else 0.0
    whole = sum(share(g) == 1 for g in groups.values())
    verdicts = Counter(r.verdict for r in found)
    rest = " · ".join(f"{n} {v}" for v, n in verdicts.most_common() if v != EQUAL)
    return f"{title:34s} {len(groups):4d} entries {len(found):6d} calls   {mean:7.2%} per entry   {whole:4d} whole   {rest}"


def table(found: list[Result], seconds: float) -> None:
    samples = [r for r in found if r.record.kind == "sample"]
    errors = [r for r in found if r.record.kind == "error"]
    ops = [r for r in samples if r.record.table == "op_db"]
    print(line("op_db samples, first dtype", [r for r in ops if r.record.primary]))
    print(line("op_db samples, further dtypes", [r for r in ops if not r.record.primary]))
    print(line("op_db samples, all", ops))
    print(line("module_db samples", [r for r in samples if r.record.table == "module_db"]))
    for name in ("op_db", "module_db"):
        mine = [r for r in errors if r.record.table == name]
        print(f"{name + ' error inputs refused':34s} {share(mine):7.2%} of {len(mine)}")
    left, dropped = left_out()
    print(f"{'all error inputs refused':34s} {share(errors):7.2%} of {len(errors)}")
    refusals = sum(r.verdict == REFUSED for r in samples)
    print(f"wrong refusals: {refusals}    left out: {len(left)} entries, {len(dropped)} error inputs    {seconds:.1f} s")


def short_of_promise(found: list[Result]) -> list[str]:
    """What the project promises and does not hold yet."""
    ops = [r for r in found if r.record.table == "op_db" and r.record.kind == "sample"]
    groups = by_entry(r for r in ops if r.record.primary)
    mean = sum(map(share, groups.values())) / len(groups)
    refused = sum(r.verdict == REFUSED for r in ops)
    errors = share([r for r in found if r.record.kind == "error"])
    promises = [
        (mean >= 0.98, f"op_db samples: {mean:.2%}, at least 98 % promised"),
        (refused == 0, f"{refused} wrong refusals, none promised"),
        (errors >= 0.92, f"error inputs refused: {errors:.2%}, at least 92 % promised"),
    ]
    return [sentence for kept, sentence in promises if not kept]


def worst(found: list[Result], count: int) -> None:
    """The entries furthest from whole, with the spelling to mend."""
    groups = sorted(by_entry(r for r in found if r.record.kind == "sample").items(), key=lambda g: (share(g[1]), g[0]))
    for entry, group in [g for g in groups if share(g[1]) < 1][:count]:
        reason = next(r.got for r in group if r.verdict != EQUAL)
        verdicts = Counter(r.verdict for r in group)
        print(f"{share(group):7.1%} {entry:45s} {group[0].record.spelling:45s} {dict(verdicts)} {reason[:90]}")


def details(found: list[Result], verdict: str, most: int) -> None:
    chosen = [r for r in found if r.verdict == verdict or (verdict == MISSED and r.record.kind == "error" and r.verdict != EQUAL)]
    if verdict != MISSED:
        chosen = [r for r in chosen if r.record.kind == "sample"]
    for r in chosen[:most]:
        torch = r.record.error_text if r.record.kind == "error" else repr(r.record.outputs)
        print(f"{r.record.key}: {shorten(str(r.record))}\n    torch: {shorten(torch)}\n    ours:  {shorten(r.got)}")
    print(f"{len(chosen)} {verdict}, {min(most, len(chosen))} shown; by spelling:", end=" ")
    print(", ".join(f"{name} {n}" for name, n in Counter(r.record.spelling for r in chosen).most_common(40)))


def shorten(text: str, most: int = 600) -> str:
    return text if len(text) <= most else text[:most] + " …"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entry", "--family", default="*", metavar="GLOB", help="entries or spellings, such as 'nn_functional_*'")
    parser.add_argument("--table", choices=["op_db", "module_db", "both"], default="both")
    parser.add_argument("--primary", action="store_true", help="only each entry's first dtype")
    parser.add_argument("--list", choices=[WRONG, REFUSED, UNKNOWN, MISSED, BUG, STATE], dest="listed")
    parser.add_argument("--most", type=int, default=60, help="how many of the list to print")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="the N entries furthest from whole")
    parser.add_argument("--gate", action="store_true", help="exit 1 when a promise is not kept")
    options = parser.parse_args()
    start = time.perf_counter()
    found = list(results(wanted(options)))
    if options.listed:
        details(found, options.listed, options.most)
    if options.worst:
        worst(found, options.worst)
    if not options.listed:
        table(found, time.perf_counter() - start)
    if options.gate:
        broken = short_of_promise(found)
        print("\n".join(broken))
        sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
