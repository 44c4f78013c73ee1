"""Evaluation, bounds and Z3 must say the same of a random term as Python does. `python -m tests.interpretations.agree 100000` for the long run."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

from tensorproof.terms.ints import bounds
from tensorproof.terms.predicates import evaluate
from tensorproof.terms.substitution import substitute
from tests.interpretations.random_terms import atoms, draw, draw_predicate, draw_values, judge


def disagreements(count: int, seed: int, every_z3: int = 1) -> list[str]:
    """What went wrong over `count` random terms; Z3 is asked about each `every_z3`-th."""
    from tensorproof.solve.z3_solver import Z3Solver

    random = Random(seed)
    by_name = atoms()
    solver = Z3Solver(10_000_000)
    wrong: list[str] = []
    for i in range(count):
        predicate_turn = i % 4 == 3
        if predicate_turn:
            truth, tree = draw_predicate(random, random.randint(1, 3))
            term: Any = None
        else:
            sample = draw(random, random.randint(1, 4))
            term, tree, truth = sample.term, sample.tree, None
        for _ in range(2):
            values = draw_values(random)
            expected = judge(tree, values)
            assignment = {by_name[name]: value for name, value in values.items()}
            if predicate_turn:
                assert truth is not None
                if evaluate(truth, assignment) != expected:
                    wrong.append(f"evaluation of {tree} at {values}: {truth} is not {expected}")
                continue
            if substitute(term, assignment) != expected:
                wrong.append(f"evaluation of {tree} at {values}: {term} is {substitute(term, assignment)}, not {expected}")
            lo, hi = bounds(term)
            if (lo is not None and expected < lo) or (hi is not None and expected > hi):
                wrong.append(f"bounds of {tree} at {values}: {term} in [{lo}, {hi}] misses {expected}")
        if i % every_z3 == 0:
            values = draw_values(random)
            expected = judge(tree, values)
            if said := z3_says(solver, by_name, term, truth, values, expected):
                wrong.append(f"z3 on {tree} at {values}: {said}, expected {expected}")
    return wrong


def z3_says(solver: Any, by_name: dict[str, Any], term: Any, truth: Any, values: dict[str, int], expected: Any) -> str:
    """Our translation, with numbers put in for the symbols and simplified by Z3 itself."""
    import z3

    z: Any = z3
    made = solver.predicate(truth) if term is None else solver.term(term)
    pairs = [(solver.atom(by_name[name]), z.IntVal(value)) for name, value in values.items()]
    result = z.simplify(z.substitute(made, *pairs))
    if term is None:
        return "" if z.is_true(result) is bool(expected) and (z.is_true(result) or z.is_false(result)) else str(result)
    return "" if z.is_int_value(result) and result.as_long() == expected else str(result)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    found = disagreements(count, seed=2026)
    print(f"{count} random terms: {len(found)} disagreements")
    print("\n".join(found[:20]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
