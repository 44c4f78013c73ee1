"""The array evaluator says of each vector what the evaluator over numbers says; counting agrees with listing."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.space.arrays import Evaluation
from tensorproof.engines.space.checks import Cause, Check
from tensorproof.engines.space.counting import count, valid_values
from tensorproof.engines.space.listing import VALID, verdicts
from tensorproof.engines.space.parameters import Parameter, checked, parameter
from tensorproof.engines.space.ranges import Tally, added, packed_tally, ranges, verdicts_between
from tensorproof.engines.space.shipping import pack, unpack
from tensorproof.engines.space.solving import bulk, individual
from tensorproof.terms.ints import floordiv, ite, maximum, minimum, mod
from tensorproof.terms.predicates import Truth, conj, disj, eq, evaluate, le, negate
from tensorproof.terms.substitution import substitute

HERE = Span("f.py", 1, 1, 1, 1)


def _parameters(rng: random.Random) -> list[Parameter]:
    return [Parameter(name, tuple(sorted(rng.sample(range(1, 9), rng.randint(1, 4))))) for name in "abcde"]


def _term(rng: random.Random, atoms: list[Any], depth: int = 3) -> Any:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice([*atoms, rng.randint(-3, 12)])
    x, y = _term(rng, atoms, depth - 1), _term(rng, atoms, depth - 1)
    match rng.randrange(7):
        case 0:
            return x + y
        case 1:
            return x - y
        case 2:
            return x * rng.randint(1, 3)
        case 3:
            return floordiv(x, rng.choice([2, 3, *atoms]))
        case 4:
            return mod(x, rng.choice([2, 3, *atoms]))
        case 5:
            return minimum(x, y) if rng.random() < 0.5 else maximum(x, y)
        case _:
            return ite(_truth(rng, atoms, 0), x, y)


def _truth(rng: random.Random, atoms: list[Any], depth: int = 1) -> Truth:
    if depth and rng.random() < 0.4:
        return (conj if rng.random() < 0.5 else disj)(_truth(rng, atoms, depth - 1), _truth(rng, atoms, depth - 1))
    made = rng.choice([eq, le])(_term(rng, atoms, 2), _term(rng, atoms, 2))
    return negate(made) if rng.random() < 0.3 else made


@pytest.mark.parametrize("seed", range(60))
def test_arrays_agree_with_numbers(seed: int) -> None:
    rng = random.Random(seed)
    parameters = _parameters(rng)
    term, truth = _term(rng, [p.term for p in parameters]), _truth(rng, [p.term for p in parameters])
    grid = list(product(*(p.numbers for p in parameters)))
    columns = {p.atom: np.array([v[i] for v in grid]) for i, p in enumerate(parameters)}
    evaluation = Evaluation(columns)
    for i, vector in enumerate(grid):
        values: dict[Any, Any] = {p.atom: v for p, v in zip(parameters, vector)}
        assert np.broadcast_to(evaluation.term(term), (len(grid),))[i] == substitute(term, values)
        assert bool(np.broadcast_to(evaluation.truth(truth), (len(grid),))[i]) is evaluate(truth, values)


@pytest.mark.parametrize("seed", range(60))
def test_counting_agrees_with_listing(seed: int) -> None:
    rng = random.Random(seed)
    parameters = _parameters(rng)
    checks = [Check(_truth(rng, [p.term for p in parameters]), Cause(f"c/{i}", "", HERE)) for i in range(rng.randint(1, 6))]
    listed: Counter[int] = Counter()
    for _, part in verdicts(parameters, checks, chunk=rng.choice([1, 7, 1000])):
        listed.update(part.tolist())
    found = count(parameters, checks)
    assert found.counts == dict(listed)
    for at, example in found.examples.items():
        values: dict[Any, Any] = {p.atom: p.numbers[example[p.name]] for p in parameters}
        broken = [i for i, check in enumerate(checks) if evaluate(check.broken, values)]
        assert (broken or [VALID])[0] == at
    first = parameters[0]
    assert sum(valid_values(parameters, checks, first).values()) == found.valid


@pytest.mark.parametrize("seed", range(12))
def test_modes_agree(seed: int) -> None:
    rng = random.Random(seed)
    parameters = _parameters(rng)[:3]
    checks = [Check(_truth(rng, [p.term for p in parameters]), Cause(f"c/{i}", "", HERE, unknown=i == 3)) for i in range(4)]
    listed = [np.concatenate([part for _, part in mode(parameters, checks)]).tolist() for mode in (verdicts, individual, bulk)]
    assert listed[0] == listed[1] == listed[2]


@pytest.mark.parametrize("seed", range(40))
def test_packed_checks_break_for_the_same_vectors(seed: int) -> None:
    rng = random.Random(seed)
    parameters = _parameters(rng)
    checks = [Check(_truth(rng, [p.term for p in parameters]), Cause(f"c/{i}", "", HERE)) for i in range(4)]
    listed = np.concatenate([part for _, part in verdicts(parameters, checks)]).tolist()
    packed = pack(parameters, checks)
    again, shipped = unpack(json.loads(json.dumps(packed)))
    assert [p.values for p in again] == [p.values for p in parameters]
    parts = [verdicts_between(again, shipped, start, stop) for start, stop in ranges(again, 7)]
    assert np.concatenate(parts).tolist() == listed
    found: Tally = {}
    for start, stop in ranges(parameters, 7):
        found = added(found, packed_tally(packed, start, stop))
    assert found == {code: (listed.count(code), listed.index(code)) for code in set(listed)}


def test_numbers_beyond_sixty_four_bits() -> None:
    wide = Parameter("wide", (2**40, 2**41))
    evaluation = Evaluation({wide.atom: np.array(wide.numbers)})
    assert evaluation.term(wide.term * wide.term).tolist() == [2**80, 2**82]


@pytest.mark.parametrize(
    "text, values",
    [
        ("k=1..4", (1, 2, 3, 4)), ("w=64..256:64", (64, 128, 192, 256)), ("s=1,2,4", (1, 2, 4)), ("act=relu,gelu", ("relu", "gelu")),
        ("b=true,false", (True, False)), ("lr=0.1,0.01", (0.1, 0.01)), ("k=1..3,7", (1, 2, 3, 7)), ("p=-1..1", (-1, 0, 1)), ("k=3,3", (3,)),
    ],
)  # fmt: skip
def test_domains(text: str, values: tuple[Any, ...]) -> None:
    found = parameter(text).values
    assert found == values and [type(v) for v in found] == [type(v) for v in values]


@pytest.mark.parametrize("text", ["k", "k=", "k=5..1", "k=1..9:0", "k=1,,2", "k=1..99999999999", "a b=1"])
def test_domains_that_do_not_parse(text: str) -> None:
    with pytest.raises(BadInput):
        parameter(text)


def test_conditions_name_parameters() -> None:
    assert parameter("h=1..4 if att=true").needs == ("att", (True,))
    with pytest.raises(BadInput, match="not another parameter"):
        checked([parameter("h=1..4 if att=true")])
    with pytest.raises(BadInput, match="given twice"):
        checked([parameter("h=1..4"), parameter("h=1")])
