"""Indexing in every form, gather and scatter: shapes, contents, refusals; and random indices against the real torch where it is installed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call
from tensorproof.bindings.options import session_of
from tensorproof.ops.call import Session
from tensorproof.terms.dtypes import BOOL, BY_LABEL, FLOAT32, INT32, INT64, DType
from tensorproof.terms.ints import bounds, symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

B, S, N = symbol("b", 1), symbol("s", 1), symbol("n", 0)
ALL = slice(None)


def tensor(*shape: Any, dtype: DType = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents)


def whole(*contents: Any) -> TensorType:
    return tensor(len(contents), dtype=INT64, contents=contents)


def get(x: TensorType, index: Any) -> TensorType:
    outcome = call("torch.Tensor.__getitem__", (x, index))
    assert outcome.outputs is not None, outcome
    return outcome.outputs


def code(name: str, *args: Any, **kwargs: Any) -> str:
    outcome: Outcome = call(f"torch.{name}", args, kwargs)
    assert outcome.refused is not None, outcome
    return outcome.refused.code


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        (0, (3, 4)),
        ((ALL, -1), (2, 4)),
        ((..., 0), (2, 3)),
        ((ALL, None), (2, 1, 3, 4)),
        (slice(1, 9), (1, 3, 4)),
        ((ALL, slice(None, None, 2)), (2, 2, 4)),
        ((ALL, slice(-1, None)), (2, 1, 4)),
        ([0, 1, 1], (3, 3, 4)),
        (([0, 1], [0, 1]), (2, 4)),
        (([0, 1], ALL, [0, 1]), (2, 3)),
        ((ALL, [0], [1]), (2, 1)),
        ((0, ALL, [0, 1]), (3, 2)),
        (([[0], [1]], [0, 1]), (2, 2, 4)),
        (True, (1, 2, 3, 4)),
        (False, (0, 2, 3, 4)),
        ([], (0, 3, 4)),
        (tensor(dtype=INT64), (3, 4)),
        (tensor(5, 6, dtype=INT64), (5, 6, 3, 4)),
        ([True, False], (1, 3, 4)),
    ],
)
def test_every_form_of_index(index: Any, shape: tuple[int, ...]) -> None:
    assert get(tensor(2, 3, 4), index).shape == shape


def test_numpy_counts_a_number_among_the_index_tensors() -> None:
    from tensorproof.catalogue import find
    from tensorproof.ops.apply import apply

    op = find("getitem")
    assert op is not None
    index = (0, ALL, whole(0, 1))
    assert apply(op, {"x": tensor(2, 3, 4), "index": index}, session_of("numpy")).shape == (2, 3)
    assert apply(op, {"x": tensor(2, 3, 4), "index": index}, session_of("torch")).shape == (3, 2)
    assert apply(op, {"x": tensor(2, 3, 4), "index": (slice(None, None, -1),)}, session_of("numpy")).shape == (2, 3, 4)


@pytest.mark.parametrize("spelling, expected", [("torch.Tensor.__getitem__", (3, 2)), ("numpy.ndarray.__getitem__", (2, 3))])
def test_the_order_of_a_number_and_an_index_tensor_is_evaluated_as_it_is_stated(spelling: str, expected: tuple[int, ...]) -> None:
    import numpy as np

    from tensorproof.engines.values.evaluate import evaluate

    x, index = tensor(2, 3, 4).but(framework=spelling.partition(".")[0]), whole(0, 1)
    outcome = call(spelling, (x, (0, ALL, index)))
    assert outcome.outputs.shape == expected
    numbers = np.arange(24.0).reshape(2, 3, 4)
    made = evaluate(outcome.applied, {id(x): numbers, id(index): np.array([0, 1])})[id(outcome.applied[-1].results[0])]
    assert np.array_equal(made, numbers[0][:, [0, 1]] if expected == (3, 2) else numbers[0, :, [0, 1]])


def test_slices_of_symbolic_axes_stay_simple() -> None:
    x = tensor(B, S)
    assert get(x, (ALL, slice(1, None))).shape == (B, S - 1)
    assert get(x, (ALL, slice(None, -1))).shape == (B, S - 1)
    assert get(x, (ALL, slice(None, S))).shape == (B, S)
    assert repr(get(x, (ALL, slice(None, 5))).shape[1]) == "min(5, s)"
    assert repr(get(x, (ALL, slice(-2, None))).shape[1]) == "min(2, s)"
    assert get(x, (ALL, S - 1)).shape == (B,)


def test_a_number_beyond_a_symbolic_axis_is_a_requirement() -> None:
    outcome = call("torch.Tensor.__getitem__", (tensor(B, S), (ALL, 3)))
    assert [repr(r.predicate) for r in outcome.requirements] == ["4 <= s"]


@pytest.mark.parametrize(
    ("index", "word"),
    [
        (2, "range"),
        (-3, "range"),
        ([2], "range"),
        ((0, 0, 0, 0), "rank"),
        (slice(None, None, -1), "step"),
        (1.5, "index"),
        ("a", "index"),
        (tensor(2, dtype=FLOAT32), "dtype"),
        (tensor(3, dtype=BOOL), "mask"),
        (([0, 1], [0, 1, 2]), "broadcast"),
    ],
)
def test_wrong_indices_are_refused(index: Any, word: str) -> None:
    assert code("Tensor.__getitem__", tensor(2, 3, 4), index) == f"getitem/{word}"


def test_one_mask_has_one_count() -> None:
    session, mask = Session(), tensor(B, S, dtype=BOOL)
    first = call("torch.Tensor.__getitem__", (tensor(B, S, 7), mask), None, session).outputs
    second = call("torch.Tensor.__getitem__", (tensor(B, S), mask), None, session).outputs
    other = call("torch.masked_select", (tensor(B, S), tensor(B, S, dtype=BOOL)), None, session).outputs
    assert first.shape[0] is second.shape[0] and first.shape[1] == 7
    assert other.shape[0] is not first.shape[0]


def test_a_known_mask_is_counted() -> None:
    mask = tensor(2, 2, dtype=BOOL, contents=(True, False, True, True))
    assert get(tensor(2, 2, 5), mask).shape == (3, 5)
    assert call("torch.nonzero", (mask,)).outputs.contents == (0, 0, 1, 0, 1, 1)
    assert bounds(call("torch.nonzero", (tensor(3, 4),)).outputs.shape[0]) == (0, 12)


def test_contents_follow_indices() -> None:
    x = tensor(2, 3, dtype=INT64, contents=tuple(range(6)))
    assert get(x, (ALL, [2, 0])).contents == (2, 0, 5, 3)
    assert get(whole(4, B, 6), 1).contents == (B,)
    assert call("torch.gather", (x, 1, tensor(2, 1, dtype=INT64, contents=(2, 0)))).outputs.contents == (2, 3)
    assert call("torch.index_select", (x, 0, whole(1))).outputs.contents == (3, 4, 5)


def test_values_that_are_put_must_fit() -> None:
    x = tensor(B, S, 3)
    assert call("torch.Tensor.__setitem__", (x, (ALL, 0), tensor(B, 3))).refused is None
    assert call("torch.Tensor.__setitem__", (x, (ALL, 0), 1.5)).outputs.shape == x.shape
    assert code("Tensor.__setitem__", tensor(2, 3), 0, tensor(4)) == "setitem/value"
    assert code("Tensor.__setitem__", tensor(2, 3), whole(0), tensor(3, dtype=INT32)) == "setitem/dtype"


def test_put_values_are_known() -> None:
    assert call("torch.Tensor.__setitem__", (whole(1, 2, 3), slice(1, None), 9)).outputs.contents == (1, 9, 9)
    assert call("torch.Tensor.__setitem__", (tensor(3), 0, tensor())).outputs.contents is None


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("gather", (tensor(2, 3), 1, tensor(3, 1, dtype=INT64)), "gather/size"),
        ("gather", (tensor(2, 3), 1, tensor(2, dtype=INT64)), "gather/rank"),
        ("gather", (tensor(2, 3), 1, tensor(2, 1)), "gather/dtype"),
        ("index_select", (tensor(2, 3), 0, tensor(1, 1, dtype=INT64)), "index_select/rank"),
        ("index_select", (tensor(2, 3), 0, whole(2)), "index_select/range"),
        ("scatter", (tensor(2, 3), 1, tensor(2, 2, dtype=INT64), tensor(1, 2)), "scatter/source"),
        ("scatter_add", (tensor(2, 3), 1, tensor(2, 2, dtype=INT64), tensor(2, 2, dtype=INT64)), "scatter_add/dtype"),
        ("index_add", (tensor(2, 3), 0, whole(0, 1), tensor(1, 3)), "index_add/index"),
        ("masked_scatter", (tensor(3), tensor(3, dtype=BOOL, contents=(True, True, False)), tensor(1)), "masked_scatter/source"),
        ("take", (tensor(3), whole(3)), "take/range"),
        ("select_scatter", (tensor(2, 3), tensor(2), 0, 0), "select_scatter/source"),
        ("nn.functional.one_hot", (whole(3), 3), "one_hot/range"),
        ("searchsorted", (tensor(2, 3), tensor(3, 1)), "searchsorted/batch"),
    ],
)
def test_wrong_gathers_and_scatters_are_refused(name: str, args: tuple[Any, ...], expected: str) -> None:
    assert code(name, *args) == expected


# --- against torch ---


def _one_index(draw: random.Random, n: int, torch: Any) -> Any:
    m = max(n, 1)
    end = [None, draw.randrange(-m - 2, m + 3)]
    match draw.randrange(9):
        case 0 | 1:
            return slice(draw.choice(end), draw.choice(end), draw.choice([None, 1, 2]))
        case 2:
            return None
        case 3:
            return draw.randrange(-m - (draw.random() < 0.1), m)
        case 4:
            return draw.random() < 0.5
        case 5:
            return [draw.randrange(-m, m) for _ in range(draw.choice([0, 1, 2, 2]))]
        case 6:
            return torch.tensor([draw.random() < 0.5 for _ in range(n + (draw.random() < 0.1))], dtype=torch.bool)
        case 7:
            return torch.tensor(draw.randrange(-m, m))
        case _:
            return torch.tensor([[draw.randrange(-m, m)], [0]]) if n else ...


def _ours(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_ours(v) for v in value)
    if not hasattr(value, "dtype"):
        return value
    contents = tuple(value.flatten().tolist())
    return TensorType(Shape(value.shape), BY_LABEL[str(value.dtype).removeprefix("torch.")], contents=contents)


@pytest.mark.parametrize("seed", range(4))
def test_random_indices_agree_with_torch(seed: int) -> None:
    torch = pytest.importorskip("torch")
    draw = random.Random(seed)
    for _ in range(300):
        x = torch.arange(1000).reshape(10, 10, 10)[tuple(slice(draw.choice([0, 1, 2, 3, 4])) for _ in range(3))].contiguous()
        index = tuple(_one_index(draw, x.shape[min(i, 2)], torch) for i in range(draw.randrange(1, 4)))
        if sum(i is Ellipsis for i in index) > 1:
            continue
        said = call("torch.Tensor.__getitem__", (_ours(x), _ours(index)))
        try:
            real = x[index]
        except (IndexError, ValueError, TypeError):
            assert said.refused is not None, (x.shape, index)
            continue
        assert said.outputs is not None, (x.shape, index, said)
        assert (tuple(said.outputs.shape), said.outputs.contents) == (tuple(real.shape), tuple(real.flatten().tolist())), (x.shape, index)
