"""Holds the reference functions of operators against the real libraries: drawn calls with drawn numbers, both sides compared.

    python -m tests.conformance.reference --ops 'softmax' 'log_*' [--file activation] [--count 20] [--seed 0] [--list]

An operator is tried through the spellings whose rows name it. What is evaluated is what the call applied (`Outcome.applied`), so that an adapter that applies
the wrong operator, or the right one to wrong arguments, is found as well. The work runs in a child process that is started again when a call ends it.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from random import Random
from time import process_time
from typing import Any

from tensorproof.bindings import rows as tables
from tensorproof.bindings.rows import rows
from tensorproof.catalogue import find
from tensorproof.catalogue.where import WHERE
from tensorproof.engines.generate import calls
from tensorproof.engines.values.evaluate import NotEvaluated, contents_of, evaluate
from tensorproof.ops.evaluation import AtRandom, Undefined
from tensorproof.runners.observed import Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType
from tests.conformance import containment, one_type
from tests.conformance.arguments import tensors
from tests.conformance.conform import LIBRARY, RUNNER, keywords, shown
from tests.conformance.departures import departing, endless
from tests.conformance.fitting_calls import fitting_calls, maker_of
from tests.conformance.fitting_windows import DEEP
from tests.conformance.left_aside import NOT_COMPARED
from tests.conformance.one_type import FLOATS_BY_LABEL, NO_KERNEL, drawn_in, has_type, note, refused_by_us, unread
from tests.conformance.totals import report
from tests.conformance.watch import Watch
from tests.conformance.weighted_layers import applied_by, drawn_weights, inner, observe

ORDER = ("torch", "numpy", "tf", "keras", "onnx", "graphdef", "torchvision")
LIMIT = int(os.environ.get("SPELLINGS", "8"))
"""Spellings of one operator that are tried; SPELLINGS=999 tries all."""
TURNS = 8
"""How often an operator's spellings are drawn anew while too few calls could be compared."""
MOST_BOXES = 6
"""How many times as many boxes as are wanted are tried where some have no bounds."""
TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "float32": 2e-4, "complex64": 2e-4, "float16": 2e-2, "bfloat16": 1e-1}
SMALL = 4096
MOSTLY = 0.1
"""An operator is one on complex numbers where a smaller part of its calls is without them."""


def spellings() -> dict[str, list[str]]:
    """The functional spellings of each operator, those of torch first; where no row begins with it, those that apply it among others, or layers."""
    found: dict[str, list[str]] = {}
    later: dict[str, list[str]] = {}
    layers: dict[str, list[str]] = {}
    for framework in ORDER:
        for name in tables.names(LIBRARY[framework]):
            if name.partition(".")[0] == framework:
                for op in dict.fromkeys(row.op for row in rows(name) if row.call_arguments is None):
                    found.setdefault(op, []).append(name)
                for op in dict.fromkeys(op for row in rows(name) if row.call_arguments is None for op in (*row.then, *row.instead)):
                    later.setdefault(op, []).append(name)
                for op in dict.fromkeys(row.op for row in rows(name) if row.call_arguments is not None):
                    layers.setdefault(op, []).append(name)
    spare: dict[str, list[str]] = {}
    for name in tables.names("torch"):
        if name.startswith("aten."):
            spare.setdefault(rows(name)[0].op, []).append(f"torch.ops.{name}")
    return {**layers, **later, **spare, **found, **{op: list(makers) for op, makers in DEEP.items()}}


ANYWHERE, UNIT = (-3.0, 3.0), (0.0, 1.0)
"""Where real numbers are drawn; in the unit interval once a library refused others."""


def numbers(tensor: TensorType, random: Random, span: tuple[float, float] = ANYWHERE) -> TensorType:
    """The tensor with contents; those that were drawn for a purpose stay."""
    if tensor.contents is not None or tensor.dtype is None or not tensor.shape.known or tensor.dtype.kind not in "biufc":
        return tensor
    if tensor.dtype.label in ("float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):  # NumPy has no such numbers
        return tensor
    count = int(tensor.shape.numel)
    if count > SMALL:
        return tensor
    draw = {
        "b": lambda: random.random() < 0.5,
        "u": lambda: random.randint(0, 3),
        "i": lambda: random.randint(0, 3),
        "f": lambda: round(random.uniform(*span), 2),
        "c": lambda: complex(round(random.uniform(-2, 2), 2), round(random.uniform(-2, 2), 2)),
    }[tensor.dtype.kind]
    return tensor.but(contents=tuple(draw() for _ in range(count)))


def inputs(np: Any, value: Any) -> Iterator[tuple[int, Any]]:
    """The arrays of all tensors in arguments."""
    return ((id(tensor), contents_of(np, tensor)) for tensor in tensors(value) if tensor.contents is not None and not tensor.weak)


def pairs(ours: Any, theirs: Any) -> Iterator[tuple[TensorType, Seen]]:
    """Our tensors beside theirs."""
    if isinstance(ours, TensorType) and isinstance(theirs, Seen):
        yield ours, theirs
    elif isinstance(ours, TensorType) and ours.dtype is not None and isinstance(theirs, (bool, int, float, complex)):
        yield ours, Seen.of((), ours.dtype.label, theirs)
    elif isinstance(ours, (tuple, list)) and isinstance(theirs, (tuple, list)) and not isinstance(theirs, Seen):
        for a, b in zip(ours, theirs):
            yield from pairs(a, b)


def has_numbers(outputs: Any) -> bool:
    """Whether a library gave any numbers: a graph that no kernel runs has shapes alone."""
    if isinstance(outputs, Seen):
        try:
            outputs.array()
        except Exception:
            return False
        return True
    return isinstance(outputs, (tuple, list)) and any(map(has_numbers, outputs))


def types_in(value: Any) -> Iterator[str]:
    """The labels of the element types of all tensors in arguments."""
    return (tensor.dtype.label if tensor.dtype is not None and not tensor.weak else "" for tensor in tensors(value))


ROUGH = {"torch.special.airy_ai": 1e-6, "onnx.GridSample": 1e-5, "onnx.LinearAttention": 2e-3}
"""Functions that a library approximates, or that add up exponentials step by step."""


def precision(spelling: str, result: str, given: set[str], between: set[str]) -> float:
    """The tolerance for a result: that of the coarsest element type on the way, of an argument or of a result `between`. Tensors of several types meet in
    float32 at times, and libraries other than torch and NumPy hold constants as float32."""
    if not TOLERANCE.get(result):
        return 0.0
    mixed = len(given - {""}) > 1
    narrow = mixed or (result == "float64" and spelling.partition(".")[0] not in ("torch", "numpy"))
    return max([ROUGH.get(spelling, 0.0), *(TOLERANCE.get(label, 0.0) for label in (result, *given, *between))] + [2e-7] * narrow)


def compare(np: Any, ours: Any, theirs: Any, tolerance: float) -> str:
    """How two arrays differ; empty when they agree."""
    if np.shape(ours) != np.shape(theirs):
        return f"shape {np.shape(ours)} against {np.shape(theirs)}"
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.dtype == object or b.dtype == object:
        return "" if (a == b).all() else f"{a!r} against {b!r}"
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(wide), b.astype(wide)
    with np.errstate(all="ignore"):
        same = np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
        if wide is np.complex128:  # a complex number with an infinite part is infinite, whatever the other part is
            same |= np.isinf(a) & np.isinf(b)
    return "" if same.all() else f"{a[~same][:6].tolist()} against {b[~same][:6].tolist()}"


def draws(name: str, spelling: str, count: int, seed: int) -> Iterator[calls.GeneratedCall]:
    """Valid calls of a spelling whose row names the operator, or that were made to reach it."""
    maker = maker_of(name, spelling)
    found = calls.search(spelling, count, seed, 400).valid.values() if maker is None else fitting_calls(maker, spelling, count, seed)
    return (drawn for drawn in found if name in drawn.row.operators or name in DEEP or _applies(drawn, name))


def _applies(drawn: calls.GeneratedCall, name: str) -> bool:
    """Whether a call whose row names operators to choose from applies this one."""
    return name in drawn.row.instead and any(one.op.name == name for one in calls.evaluate(drawn).outcome.applied)


def arguments(call: calls.GeneratedCall) -> list[Any]:
    """All arguments, also of calls that stand among them."""
    return [*(calls.plain(v) for v in (*call.args, *call.kwargs.values())), *(arguments(one) for one in inner((call.args, call.kwargs)))]


def given_arrays(np: Any, call: calls.GeneratedCall) -> dict[int, Any]:
    return dict(inputs(np, arguments(call)))


def defined(np: Any, call: calls.GeneratedCall) -> bool:
    """Whether the inputs determine the values; a library may read memory that is not its own otherwise."""
    try:
        evaluate(applied_by(call), given_arrays(np, call))
    except AtRandom:
        return True
    except Undefined:
        return False
    except NotEvaluated:
        return call.init is None  # the weights of a layer are its own
    except Exception:
        return True
    return True


def try_boxes(
    np: Any, runner: Any, drawn: calls.GeneratedCall, kind: str, random: Random, record: dict[str, Any], unit: bool = False, floats: DType | None = None
) -> bool:
    """One box: what the library computes of numbers in it must lie within the bounds. True where such numbers are refused. `floats`: the element type that
    all tensors of floats take."""
    call, weights = drawn_in(np, drawn, floats, random, unit, lambda tensor: containment.numbers(np, tensor, kind, random, unit))
    if not calls.is_valid(call.outcome) or endless(call):
        if floats is not None and not endless(call):
            print(f"#{call.name}", flush=True)
            refused_by_us(record, call, lambda: observe(runner, call, keywords(call), weights))
        return True
    if floats is not None and not has_type(call, floats):
        record["without"] = record.get("without", 0) + 1
        return False
    given = containment.boxes(np, arguments(call), kind, random)
    if given is None or not defined(np, call):
        return False
    print(f"#{call.name}", flush=True)
    seen = observe(runner, call, keywords(call), weights)
    if seen.aside or seen.error or (floats is not None and seen.inferred):
        if floats is not None:
            note(record, call, seen.error or seen.aside or NO_KERNEL)
        return bool(seen.error)
    types, between = set(types_in((*call.args, *call.kwargs.values()))), set(types_in([one.results for one in call.outcome.applied]))
    loose = precision(call.name, "float64", types, between) if "float64" in types | between else 0.0
    try:
        results = (pair for i, pair in enumerate(pairs(call.outcome.made, seen.outputs)) if i not in departing(call))
        difference, has_bounds = containment.outside(np, applied_by(call), given, results, loose if loose > 1e-8 else 0.0)
    except Exception as bug:  # it fails on numbers as well, which is reported there
        record["not"].append(f"{call.name}: bounds: {type(bug).__name__}: {bug}")
        return False
    record["boxes"] += 1
    record["unbounded"] += not has_bounds
    if floats is not None and not has_bounds:
        unread(record, call, seen.outputs)
    if difference:
        record["outside"].append([f"{shown(call)} {[a.contents for a in call.args if isinstance(a, TensorType)]}"[:600], f"{kind}: {difference}"])
    return False


def bounded(record: dict[str, Any]) -> int:
    """How many boxes had bounds."""
    return int(record["boxes"] - record["unbounded"])


def try_call(np: Any, runner: Any, drawn: calls.GeneratedCall, random: Random, span: tuple[float, float], record: dict[str, Any]) -> tuple[int, bool]:
    """One call: how many results were compared, and whether the library refused the numbers."""
    spelling = drawn.name
    call, weights = drawn_weights(drawn, lambda tensor: numbers(tensor, random, span))
    outcome = call.outcome
    if not calls.is_valid(outcome):
        return 0, True
    try:
        values = evaluate(applied_by(call), given_arrays(np, call))
    except Undefined:
        return 0, False
    except NotEvaluated as missing:
        record["not"].append(f"{spelling}: {missing}")
        return 0, False
    except Exception as bug:
        seen = observe(runner, call, keywords(call), weights)
        if not (seen.error or seen.aside) and has_numbers(seen.outputs):  # a singular matrix fails there as well
            record["wrong"].append([shown(call), f"the reference function fails: {type(bug).__name__}: {bug}"])
            return 1, False
        return 0, bool(seen.error)
    print(f"#{spelling}", flush=True)
    seen = observe(runner, call, keywords(call), weights)
    if seen.aside or seen.error:
        return 0, bool(seen.error)
    departs = departing(call)
    types, between, compared = set(types_in((*call.args, *call.kwargs.values()))), set(types_in([one.results for one in outcome.applied])), 0
    for i, (ours, theirs) in enumerate(pairs(outcome.made, seen.outputs)):
        if i in departs:
            continue
        if id(ours) not in values:
            record["not"].append(f"{spelling}: a result was made by no operator")
            break
        try:
            array = theirs.array()
        except Exception:
            continue
        if None not in (theirs[0] or ()) and tuple(theirs[0] or ()) != array.shape:  # a graph infers another shape than its kernel gives
            continue
        compared = 1
        difference = compare(np, values[id(ours)], array, precision(spelling, theirs[1], types, between))
        if difference and not containment.explained(np, applied_by(call), given_arrays(np, call), ours, array):
            record["wrong"].append([shown(call), difference])
            break
    return compared, False


def try_operator(name: str, names: list[str], count: int, seed: int, floats: DType | None = None) -> dict[str, Any]:
    """One operator's record. `floats`: boxes alone, of this element type."""
    import numpy as np

    began, tried, without = process_time(), 0, 0
    record: dict[str, Any] = {"op": name, "calls": 0, "spellings": 0, "wrong": [], "not": [], "boxes": 0, "outside": [], "unbounded": 0}
    compares = floats is None and name not in NOT_COMPARED and (op := find(name)) is not None and op.evaluate is not None
    for turn, spelling in ((turn, spelling) for turn in range(TURNS if floats is None else one_type.TURNS) for spelling in names):
        boxed = bounded(record) >= count or record["boxes"] >= MOST_BOXES * count
        enough = (not compares or record["calls"] >= count) and boxed
        if (enough and (turn or record["spellings"] >= LIMIT)) or (floats is not None and turn > 1 and not record["boxes"]):
            break
        runner = import_module(f"tensorproof.runners.{RUNNER[spelling.partition('.')[0]]}")
        random = Random(f"{seed}{spelling}" + ":again" * turn)
        record["spellings"] += not turn
        done, span = 0, ANYWHERE
        for at, drawn in enumerate(draws(name, spelling, count if len(names) < 4 else max(6, count // 2), seed + 1000 * turn)):
            boxed = bounded(record) >= count or record["boxes"] >= MOST_BOXES * count
            tried, without = tried + 1, without + (not has_complex(drawn))
            if done >= max(5, count // 2) and record["calls"] >= count and boxed:
                break
            if compares and not (done >= max(5, count // 2) and record["calls"] >= count):
                compared, refused = try_call(np, runner, drawn, random, span, record)
                span = UNIT if refused else span
                done += compared
                record["calls"] += compared
            if bounded(record) < 3 * count and record["boxes"] < MOST_BOXES * count:
                kind = containment.KINDS[at % len(containment.KINDS)]
                if try_boxes(np, runner, drawn, kind, random, record, floats=floats):
                    try_boxes(np, runner, drawn, kind, random, record, True, floats)
            if at > 10 and not record["calls"] and not record["boxes"]:
                break
    return {**record, "not": sorted(set(record["not"]))[:6], "complex": without < MOSTLY * tried, "seconds": process_time() - began}


def has_complex(call: calls.GeneratedCall) -> bool:
    """Whether complex numbers go in or come out."""
    return any(label.startswith("complex") for label in types_in([call.args, call.kwargs, *(one.results for one in call.outcome.applied)]))


def run(ops: dict[str, list[str]], count: int, seed: int, floats: str = "") -> Iterator[dict[str, Any]]:
    """The records, from child processes, each as soon as it is there."""
    left, bad = dict(ops), dict[str, set[str]]()
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # the same tree as here
    while left:
        command = [sys.executable, "-m", "tests.conformance.reference", "--child", "--count", str(count), "--seed", str(seed), "--type", floats]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({op: [n for n in names if n not in bad.get(op, ())] for op, names in left.items()}))
        process.stdin.close()
        current, last = "", ""
        watch = Watch(process)
        for line in process.stdout:
            watch.again()
            if line.startswith(">"):
                current = line[1:].strip()
            elif line.startswith("#"):
                last = line[1:].strip()
            elif line.startswith("{"):
                yield json.loads(line)
                del left[current]
                current = ""
        watch.end()
        process.wait()
        if current:
            bad.setdefault(current, set()).add(last)
            if not last or len(bad[current]) > 4:
                yield {"op": current, "calls": 0, "spellings": 0, "wrong": [[current, "the process ended"]], "not": []}
                del left[current]
        elif left and process.returncode:
            raise RuntimeError(f"the child ended with {process.returncode}: {' '.join(command)}")


def child(count: int, seed: int, floats: DType | None) -> None:
    for op, names in json.loads(sys.stdin.read()).items():
        print(f">{op}", flush=True)
        try:
            record = try_operator(op, names, count, seed, floats)
        except Exception as bug:  # our own bug: shown, never hidden
            record = {"op": op, "calls": 0, "spellings": 0, "wrong": [[op, f"our bug: {type(bug).__name__}: {bug}"]], "not": []}
        print(json.dumps(record), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ops", nargs="*", default=[])
    parser.add_argument("--file", nargs="*", default=[], help="files of the catalogue")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="show what differs and what is not evaluated")
    parser.add_argument("--type", default="", help="boxes alone, of tensors of this element type")
    parser.add_argument("--child", action="store_true")
    options = parser.parse_args()
    if options.child:
        child(options.count, options.seed, FLOATS_BY_LABEL[options.type] if options.type else None)
        return 0
    by_op = spellings()
    inside = [op for op, file in WHERE.items() if not options.file or file in options.file]
    chosen = [op for op in inside if not options.ops or any(fnmatch.fnmatch(op, g) for g in options.ops)]
    declared = {op: found for op in chosen if (found := find(op)) is not None and not found.opaque}
    records = list(run({op: by_op.get(op, []) for op in declared}, options.count, options.seed, options.type))
    report({op for op, found in declared.items() if found.evaluate is not None and op not in NOT_COMPARED}, records, options.count, options.list)
    return int(any(r["wrong"] or r.get("outside") for r in records))


if __name__ == "__main__":
    sys.exit(main())
