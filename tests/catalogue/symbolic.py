"""Every rule must say of symbols what it says of numbers.

Sizes of a valid generated call are replaced by symbols. The call may then be "cannot tell", but it may not be refused (the numbers are a counterexample),
may not fail inside the rule (a rule that branches on a size does), and what it states and returns must become the concrete result when the
numbers are put back.

    python -m tests.catalogue.symbolic [LIBRARY] [GLOB]     lists what is wrong, and how much is "cannot tell"
"""

from __future__ import annotations

import fnmatch
import sys
from collections import Counter
from typing import Any

from tensorproof.bindings import rows as tables
from tensorproof.engines.generate.calls import GeneratedCall, evaluate, valid_calls
from tensorproof.terms.ints import Atom, Dim, Origin, Term, sole_atom, symbol
from tensorproof.terms.predicates import Truth
from tensorproof.terms.predicates import evaluate as truth_of
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.substitution import substitute
from tensorproof.terms.tensor import TensorType


class Symbols:
    """Symbols for sizes, each with the number that it stands for."""

    def __init__(self, which: str) -> None:
        self.which = which
        self.values: dict[Atom, Dim] = {}
        self.tensors = 0

    def replaced(self, value: Any) -> Any:
        if isinstance(value, TensorType):
            self.tensors += 1
            if value.contents is not None:
                return value
            axes = [self.size(n, f"t{self.tensors}.{i}") if self.chosen(i) else n for i, n in enumerate(value.shape)]
            return value.but(shape=Shape(axes))
        if isinstance(value, (list, tuple)) and any(isinstance(v, TensorType) for v in value):
            return type(value)(self.replaced(v) for v in value)
        return value

    def chosen(self, axis: int) -> bool:
        return self.which == "all" or (self.which == "first" and axis == 0)

    def size(self, n: int, name: str) -> Dim:
        """Equal sizes get one symbol, as the sizes of one program would; its bounds are those of any axis that is not empty."""
        if n == 0:
            return 0
        made = symbol(f"s{n}", 1, None, Origin.WORLD)
        atom = sole_atom(made)
        assert atom is not None
        self.values[atom] = n
        return made

    def back(self, value: Any) -> Any:
        """Numbers in place of symbols; what a rule left open stays."""
        if isinstance(value, TensorType):
            return value.but(shape=Shape(a if not isinstance(a, (int, Term)) else substitute(a, self.values) for a in value.shape))
        if isinstance(value, (tuple, list)):
            return [self.back(v) for v in value]
        return value


def holds(predicate: Truth, values: dict[Atom, Dim]) -> bool | None:
    try:
        return truth_of(predicate, values)
    except (AssertionError, KeyError, ZeroDivisionError):
        return None


def compare(concrete: Any, back: Any) -> str:
    if isinstance(concrete, TensorType) and isinstance(back, TensorType):
        if not back.shape.known or not concrete.shape.known:
            return ""
        if len(back.shape) != len(concrete.shape):
            return f"rank {back.shape!r} against {concrete.shape!r}"
        for a, b in zip(concrete.shape, back.shape):
            if type(a) is int and type(b) is int and a != b:
                return f"{back.shape!r} against {concrete.shape!r}"
        if concrete.dtype is not back.dtype and back.dtype is not None:
            return f"element type {back.dtype!r} against {concrete.dtype!r}"
        return ""
    if isinstance(concrete, (tuple, list)) and isinstance(back, (tuple, list)):
        if len(concrete) != len(back):
            return f"{len(back)} outputs against {len(concrete)}"
        return next((found for a, b in zip(concrete, back) if (found := compare(a, b))), "")
    return ""


def try_call(call: GeneratedCall, which: str) -> tuple[str, str]:
    """(kind, words): kind is "" when all is well, "unknown" when the rule cannot tell, else what is wrong."""
    symbols = Symbols(which)
    args = tuple(symbols.replaced(a) for a in call.args)
    kwargs = {k: symbols.replaced(v) for k, v in call.kwargs.items()}
    if not symbols.values:
        return "", ""
    tried = evaluate(replace(call, args=args, kwargs=kwargs))
    outcome = tried.outcome
    shown = f"{call.name}{'' if call.init is None else call.init}{args}{kwargs}"
    if outcome.unknown is not None:
        return ("failed", f"{shown}: {outcome.unknown}") if outcome.unknown.startswith("our rule failed") else ("unknown", outcome.unknown)
    if outcome.refused is not None:
        return "refused", f"{shown}: {outcome.refused.message}"
    for requirement in outcome.requirements:
        if holds(requirement.predicate, symbols.values) is False:
            return "requirement", f"{shown}: {requirement.code}: {requirement.predicate!r} is false at {symbols.values}"
    found = compare(call.outcome.outputs, symbols.back(outcome.outputs))
    return ("result", f"{shown}: {found}") if found else ("", "")


def survey(names: list[str], count: int = 4, seed: int = 3) -> tuple[list[tuple[str, str]], Counter[str], int]:
    """What is wrong, what is unknown (by spelling), and how many calls were tried."""
    wrong: list[tuple[str, str]] = []
    unknown: Counter[str] = Counter()
    tried = 0
    for name in names:
        for call in valid_calls(name, count, seed, tries=400):
            for which in ("first", "all"):
                tried += 1
                kind, words = try_call(call, which)
                if kind == "unknown":
                    unknown[name] += 1
                elif kind:
                    wrong.append((kind, words))
    return wrong, unknown, tried


def main() -> int:
    library = sys.argv[1] if len(sys.argv) > 1 else "torch"
    glob = sys.argv[2] if len(sys.argv) > 2 else "*"
    names = [n for n in tables.names(library) if fnmatch.fnmatchcase(n, glob)]
    wrong, unknown, tried = survey(names)
    print(f"{len(names)} spellings, {tried} symbolic calls: {len(wrong)} wrong, {sum(unknown.values())} cannot tell in {len(unknown)} spellings")
    print(Counter(kind for kind, _ in wrong))
    shown: Counter[str] = Counter()
    for kind, words in wrong:
        name = words.partition("(")[0]
        shown[name] += 1
        if shown[name] <= 2:
            print(f"  {kind}: {words[:300]}")
    print("cannot tell:", ", ".join(f"{n} {c}" for n, c in unknown.most_common(60)))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
