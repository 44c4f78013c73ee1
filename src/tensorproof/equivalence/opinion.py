"""The third opinion: whether a difference is the library's fault, and of which side; or rounding, chance, ties and the like, which are counted only."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorproof.equivalence.arrays import Array, Raised, Value
from tensorproof.equivalence.numbers import LARGEST
from tensorproof.equivalence.oracle import Difference, Oracle
from tensorproof.equivalence.running import raised

if TYPE_CHECKING:
    from tensorproof.equivalence.arrays import Numbers
    from tensorproof.equivalence.rule import Pair, Rule
    from tensorproof.equivalence.running import Runner

UNSUPPORTED = re.compile(
    r"not (yet )?(been )?(implemented|supported|support|available|compiled|registered)|unsupported|unimplemented"
    r"|does ?n.t support|do not support|only supports?\b"
    r"|could not run|no kernel|no opkernel|could not find (device|an implementation)|data.dependent|not compatible with|cannot be (traced|exported|compiled)"
    r"|only .{0,40}(supported|implemented|available)|not a supported|expected all tensors to be|no such operator|is not currently"
    r"|not in the list of allowed values|can.t detach views",
    re.IGNORECASE,
)
_UNSUPPORTED = ("NotImplementedError", "UnimplementedError", "Unsupported", "ImportError", "ModuleNotFoundError")
"""Errors that say so by their kind; a package may be missing."""
_WIDE = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "complex64": "complex128"}
_COMPLEX = {"complex64": LARGEST["float32"], "complex128": LARGEST["float64"]}
WORSE = 10.0
"""How many times farther from the third opinion the wrong side must be."""
LAST_BIT = {"float16": 9.8e-4, "bfloat16": 7.9e-3, "float32": 1.2e-7, "float64": 2.3e-16, "complex64": 1.2e-7, "complex128": 2.3e-16}
TINY = {"float16": 6.2e-5, "bfloat16": 1.2e-38, "float32": 1.2e-38, "float64": 2.3e-308, "complex64": 1.2e-38, "complex128": 2.3e-308}


@dataclass(frozen=True, slots=True)
class Opinion:
    """`verdict` is "finding", "unsupported" or the name of a kind of noise."""

    verdict: str
    wrong_side: str = ""
    """"left", "right", or "" where nothing can say."""
    words: str = ""


def judge(difference: Difference, pair: Pair, inputs: Mapping[str, Array], runner: Runner, oracle: Oracle, left: object, right: object, rule: Rule) -> Opinion:
    """What to make of a difference."""
    opinion = _judge_raises(left, right, rule.unsupported) if difference.kind == "raises" else None
    if opinion is not None and opinion.verdict != "finding":
        return opinion
    if pair.sieve and oracle.difference(left, runner.both(replace(pair, left="None", right=pair.sieve), inputs)[1], pair.compare, pair.loose) is not None:
        return Opinion("earlier", words="an earlier stage differs already")
    if opinion is not None:
        return replace(opinion, wrong_side="right") if pair.refused else opinion
    inputs = {**inputs, **pair.inputs}
    names = runner.prepared(pair.setup, inputs)
    if isinstance(names, Raised):
        return Opinion("chance")
    again = runner.side(pair.left, names, inputs)
    if oracle.difference(left, again) is not None:
        return Opinion("chance", words="the left side gives another result when it runs again")
    once_more = runner.both(replace(pair, left="None", inputs={}), inputs)[1]
    if not pair.traced and oracle.difference(right, once_more) is not None:
        return Opinion("chance", words="the right side gives another result when it runs again")
    if pair.traced and oracle.difference(left, once_more, pair.compare, pair.loose) is None:
        return Opinion("together", words="the right side differs only when it is compiled together with other calls")
    if pair.again and not _all_finite(left):
        return Opinion("unstable", words="the left side, an approximation, is not finite")
    if pair.again and oracle.difference(left, runner.side(pair.again, names, inputs), pair.compare, pair.loose) is not None:
        return Opinion("unstable", words="two approximations of the left side differ")
    if difference.left is None or pair.compare == "types":
        return Opinion("finding", "right", "structure")
    if (extreme(inputs) and not (_all_finite(left) and _all_finite(right))) or (extreme(inputs, _COMPLEX) and not _finite_and_apart(difference, oracle, pair)):
        return Opinion("overflow", words="inputs are near the largest number of their type")
    return _judge_numbers(difference, pair, inputs, runner, oracle, rule)


def _judge_raises(left: object, right: object, unsupported: str) -> Opinion:
    error = left if isinstance(left, Raised) else right
    assert isinstance(error, Raised)
    if error.error in ("MemoryError", "OutOfMemoryError"):
        return Opinion("memory")
    own = bool(unsupported) and re.search(unsupported, error.words) is not None
    if own or error.error in _UNSUPPORTED or UNSUPPORTED.search(error.message):
        return Opinion("unsupported", words=error.words)
    return Opinion("finding", "left" if error is left else "right", "one side takes what the other refuses")


def _judge_numbers(difference: Difference, pair: Pair, inputs: Mapping[str, Array], runner: Runner, oracle: Oracle, rule: Rule) -> Opinion:
    import numpy as np

    a, b = np.asarray(difference.left), np.asarray(difference.right)
    label = difference.symptom.partition(":")[0]
    if a.dtype.kind in "fc" and label in TINY:
        with np.errstate(all="ignore"):
            if not (~np.isclose(a, b, *oracle.dialect.tolerance(label), equal_nan=True) & ((abs(a) >= TINY[label]) | (abs(b) >= TINY[label]))).any():
                return Opinion("denormal")
        if (flushed := _flushed(inputs)) is not None and _agree_when(flushed, pair, runner, oracle):
            return Opinion("denormal", words="the inputs hold denormal numbers that one side takes as zero")
    if len(inputs) > 1 and _written_twice(pair, inputs, runner, oracle):
        return Opinion("undefined", words="places that are written twice")
    if a.dtype.kind in "iu" and b.dtype.kind in "iu" and _wraps(a, b):
        return Opinion("wrap", words="the sides are equal but for the bits that the narrower type does not have")
    if a.dtype.kind in "iu" and _has_ties(inputs):
        return Opinion("tie", words="inputs have equal numbers, and the results are places")
    if a.dtype.kind in "fc" and difference.words.startswith("result ") and np.allclose(abs(a), abs(b), 1e-4, 1e-5, equal_nan=True):
        return Opinion("sign", words="a part of a decomposition, which is defined but for its sign")
    return _third(difference, pair, inputs, runner, a, b, rule.neutral)


def _all_finite(tree: object) -> bool:
    import numpy as np

    return all(v.data is None or v.data.dtype.kind not in "fc" or bool(np.isfinite(v.data).all()) for v in leaves(tree))


def _wraps(a: Numbers, b: Numbers) -> bool:
    """Whether whole numbers of two widths are equal in the bits that both have."""
    narrow, wide = (a, b) if a.dtype.itemsize < b.dtype.itemsize else (b, a)
    return narrow.dtype != wide.dtype and bool((wide.astype(narrow.dtype) == narrow).all())


def _finite_and_apart(difference: Difference, oracle: Oracle, pair: Pair) -> bool:
    """Whether the numbers differ at a place where both sides are finite."""
    import numpy as np

    a, b = np.asarray(difference.left), np.asarray(difference.right)
    both = np.isfinite(a) & np.isfinite(b)
    relative, absolute = oracle.dialect.tolerance(difference.symptom.partition(":")[0])
    with np.errstate(all="ignore"):
        return bool((both & ~np.isclose(np.where(both, a, 0), np.where(both, b, 0), pair.loose * relative, pair.loose * absolute)).any())


def _has_ties(inputs: Mapping[str, Array]) -> bool:
    import numpy as np

    return any(x.data.size != np.unique(x.data).size for x in inputs.values() if x.is_float)


def _written_twice(pair: Pair, inputs: Mapping[str, Array], runner: Runner, oracle: Oracle) -> bool:
    """Whether the sides agree once all that is written is the same: an input has places that come twice, and which write is the last is not defined."""
    import numpy as np

    for name, x in inputs.items():
        if x.data.dtype.kind in "iu" and np.unique(x.data).size < x.data.size:
            same = {other: y if other == name or not y.data.size else y.but(np.ones_like(y.data)) for other, y in inputs.items()}
            names = runner.prepared(pair.setup, same)
            if isinstance(names, Raised) or isinstance(runner.side(pair.left, names, same), Raised):
                continue
            if _agree_when(same, pair, runner, oracle):
                return True
    return False


def _flushed(inputs: Mapping[str, Array]) -> dict[str, Array] | None:
    """The inputs with zeros for denormal numbers; None where there are none."""
    changed, made = False, dict(inputs)
    for name, x in inputs.items():
        if x.is_float and (small := (abs(x.data) < TINY.get(x.label, 0.0)) & (x.data != 0)).any():
            changed, data = True, x.data.copy()
            data[small] = 0
            made[name] = x.but(data)
    return made if changed else None


def _agree_when(inputs: Mapping[str, Array], pair: Pair, runner: Runner, oracle: Oracle) -> bool:
    return oracle.difference(*runner.both(replace(pair, inputs={}), inputs), pair.compare, pair.loose) is None


def _third(difference: Difference, pair: Pair, inputs: Mapping[str, Array], runner: Runner, a: Numbers, b: Numbers, neutral: bool) -> Opinion:
    """Which side is farther from the same program in double precision."""
    import numpy as np

    reference = reference_of(pair, inputs, runner)
    found = _matching(reference, difference, a.shape)
    if found is None:
        return Opinion("finding", "", "there is no third opinion")
    true = np.asarray(found.data)
    if a.dtype.kind in "iu" and true.dtype.kind == "f" and (abs(true) > 2.0**31).any():
        return Opinion("wrap")
    with np.errstate(all="ignore"):
        left, right = distance(a, true), distance(b, true)
    if left == right == 0.0 or max(left, right) <= WORSE * min(left, right):
        return Opinion("rounding", words=f"both sides are about as far from the third opinion ({left:.3g} and {right:.3g})")
    if max(left, right) <= WORSE * (moved := _moved(true, difference, pair, inputs, runner)):
        return Opinion("rounding", words=f"inputs that differ in their last bit change the third opinion as much ({moved:.3g})")
    if pair.again:
        return Opinion("finding", "right", f"finite differences with two steps agree; the sides are {max(left, right):.3g} apart")
    if neutral and right > left and _differ_in_double(true, difference, pair, inputs, runner):
        return Opinion("finding", "", f"the sides differ in double precision as well; they are {right:.3g} apart")
    if a.dtype.kind in "fc" and true.dtype.itemsize <= a.dtype.itemsize:  # it is not wider than the left side, which it repeats
        return Opinion("finding", "", f"there is no wider opinion; the sides are {max(left, right):.3g} apart")
    return Opinion("finding", "right" if right > left else "left", f"distance from double precision: left {left:.3g}, right {right:.3g}")


def _differ_in_double(true: Numbers, difference: Difference, pair: Pair, inputs: Mapping[str, Array], runner: Runner) -> bool:
    """Whether the right side in double precision is another result than the left one."""
    import numpy as np

    other = _matching(reference_of(replace(pair, reference=pair.right), inputs, runner), difference, true.shape)
    with np.errstate(all="ignore"):
        return other is not None and distance(np.asarray(other.data), true) > 1e-6


def _moved(true: Numbers, difference: Difference, pair: Pair, inputs: Mapping[str, Array], runner: Runner) -> float:
    """How far the third opinion moves when each number of the inputs is changed in its last bit."""
    import numpy as np

    source, moved = np.random.default_rng(0), 0.0
    for _ in range(4):
        near = dict(inputs)
        for name, x in inputs.items():
            if x.label in LAST_BIT:
                wide = x.data.astype(_WIDE.get(x.label, x.label))
                near[name] = Array(_WIDE.get(x.label, x.label), wide * (1.0 + LAST_BIT[x.label] * source.choice((-1.0, 1.0), wide.shape)))
        found = _matching(reference_of(pair, near, runner), difference, true.shape)
        if found is None:
            return math.inf
        with np.errstate(all="ignore"):
            moved = max(moved, distance(np.asarray(found.data), true))
    return moved


def _matching(reference: object, difference: Difference, shape: tuple[int, ...]) -> Value | None:
    """The part of the third opinion that stands where the sides differ."""
    values, place = leaves(reference), place_of(difference)
    if place is not None and place < len(values) and values[place].shape == shape:
        return values[place]
    return next((v for v in values if v.shape == shape and v.data is not None), None)


def place_of(difference: Difference) -> int | None:
    found = re.match(r"result (\d+): (?!result)", difference.words)
    return int(found.group(1)) if found else None


def extreme(inputs: Mapping[str, Array], largest: Mapping[str, float] = LARGEST) -> bool:
    """Whether an input of those types holds finite numbers whose square overflows."""
    import numpy as np

    with np.errstate(all="ignore"):
        return any((np.isfinite(x.data) & (abs(x.data.astype("complex128")) > largest[x.label] ** 0.5)).any() for x in inputs.values() if x.label in largest)


def distance(made: Numbers, true: Numbers) -> float:
    """The greatest difference, relative where numbers are large; NaN against a number counts as infinitely far."""
    import numpy as np

    same = (made == true) | (np.isnan(made) & np.isnan(true)) if made.dtype.kind in "fc" and true.dtype.kind in "fc" else made == true
    gap = abs(made.astype("complex128") - true) / np.maximum(1.0, abs(true))
    gap = np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))
    return float(gap.max()) if gap.size else 0.0


def reference_of(pair: Pair, inputs: Mapping[str, Array], runner: Runner) -> object:
    """The left side (or the text that the rule names) in double precision."""
    import numpy as np

    wide = {name: Array(_WIDE[x.label], np.asarray(x.data).astype(_WIDE[x.label])) if x.label in _WIDE else x for name, x in inputs.items()}
    names = runner.prepared(widened(pair.setup, runner), wide)
    if isinstance(names, Raised):
        return names
    if any(map(runner.dialect.has_weights, names.values())):
        runner.side(pair.left, names, inputs)  # a Keras layer gets its weights at its first call
        try:
            names = {name: runner.dialect.wide(value) for name, value in names.items()}
        except Exception as error:
            return raised(error)
    return runner.side(widened(pair.reference or pair.left, runner), names, wide)


def widened(text: str, runner: Runner) -> str:
    """A text with the wide element types."""
    for label, wide in _WIDE.items():
        text = re.sub(rf"(?<![\w]){re.escape(runner.dialect.dtype(label))}\b", runner.dialect.dtype(wide), text)
    return text


def leaves(tree: object) -> list[Value]:
    if isinstance(tree, Value):
        return [tree]
    items = tree if isinstance(tree, tuple) else tree.values() if isinstance(tree, dict) else ()
    return [v for item in items for v in leaves(item)]
