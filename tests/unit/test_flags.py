"""Facts about truth values alone are settled as trying all their values settles them."""

from __future__ import annotations

import itertools
import random

from tensorproof.solve.flags import satisfiable
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, evaluate, flag, negate

NAMES = "abcd"


def _random(draw: random.Random, depth: int) -> Truth:
    if depth == 0 or draw.random() < 0.3:
        one = flag(draw.choice(NAMES))
        return one if draw.random() < 0.5 else negate(one)
    parts = [_random(draw, depth - 1) for _ in range(draw.randint(2, 3))]
    return conj(*parts) if draw.random() < 0.5 else disj(*parts)


def _by_trying(facts: list[Predicate]) -> bool:
    values = (dict(zip(NAMES, row)) for row in itertools.product([False, True], repeat=len(NAMES)))
    return any(all(evaluate(fact, {}, one) for fact in facts) for one in values)


def test_what_is_settled_is_what_trying_all_values_says() -> None:
    draw, settled = random.Random(3), 0
    for _ in range(3000):
        facts = [one for _ in range(draw.randint(1, 5)) if isinstance(one := _random(draw, draw.randint(0, 3)), Predicate)]
        found = satisfiable(facts)
        settled += found is not None
        assert found in (None, _by_trying(facts)), facts
    assert settled > 1500


def test_a_chain_of_exits_is_settled_without_telling_cases_apart() -> None:
    ways = [flag(f"c{i}") for i in range(40)]
    raised = [disj(*ways[:i], negate(ways[i])) for i in range(40)]
    assert satisfiable([*raised, *(negate(w) for w in ways)]) is True  # type: ignore[list-item]
    assert satisfiable([*raised, ways[0]]) is False  # type: ignore[list-item]
