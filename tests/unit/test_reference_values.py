"""What operators compute where libraries depart from each other."""

from __future__ import annotations

import pytest

from tensorproof.bindings.call import call
from tensorproof.engines.values.evaluate import contents_of, evaluate
from tensorproof.ops.evaluation import Undefined
from tensorproof.terms.dtypes import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT8, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

np = pytest.importorskip("numpy")


def vector(*values: float, dtype: DType = FLOAT32) -> TensorType:
    return TensorType(Shape((len(values),)), dtype, contents=values)


def computed(spelling: str, *args: object, **kwargs: object) -> list[float]:
    outcome = call(spelling, args, kwargs)
    given = {id(a): contents_of(np, a) for a in (*args, *kwargs.values()) if isinstance(a, TensorType)}
    found: list[float] = evaluate(outcome.applied, given)[id(outcome.made)].tolist()
    return found


def test_floor_division_is_exact_in_torch_and_of_the_rounded_quotient_in_tensorflow() -> None:
    x, y = vector(6.0, dtype=FLOAT64), vector(0.1, dtype=FLOAT64)
    assert computed("torch.floor_divide", x, y) == computed("numpy.floor_divide", x, y) == [59.0]
    assert computed("tf.math.floordiv", x, y) == [60.0]


def test_a_saturating_cast_stays_inside_the_element_type() -> None:
    assert computed("tf.saturate_cast", vector(-5, 77, 300, dtype=INT32), UINT8) == [0, 77, 255]


def test_the_lower_bound_of_a_graph_wins() -> None:
    assert computed("graphdef.ClipByValue", vector(0.0), vector(2.0), vector(1.0)) == [2.0]


def test_masked_elements_are_not_read() -> None:
    assert computed("torch.masked.sum", vector(1.0, 2.0), 0, mask=vector(True, False, dtype=BOOL)) == 1.0  # type: ignore[comparison-overlap]


def test_masked_variances_count_what_is_kept_less_the_correction() -> None:
    x, mask = vector(1.0, 3.0, 9.0), vector(True, True, False, dtype=BOOL)
    assert computed("torch.masked.var", x, 0, mask=mask) == 2.0  # type: ignore[comparison-overlap]
    assert computed("torch.masked.var", x, 0, False, mask=mask) == 1.0  # type: ignore[comparison-overlap]
    assert computed("torch.masked.std", x, 0, mask=mask, correction=1.5) == 2.0  # type: ignore[comparison-overlap]
    assert computed("torch.masked.var", vector(1.0, 3.0), 0, False) == 1.0  # type: ignore[comparison-overlap]


def test_keras_holds_infinite_numbers_to_the_tolerance() -> None:
    inf = float("inf")
    assert computed("keras.ops.isclose", vector(1.0, inf), vector(inf, inf)) == [True, False]
    assert computed("numpy.isclose", vector(1.0, inf), vector(inf, inf)) == [False, True]


def test_nothing_remains_of_systems_that_do_not_determine_the_unknowns() -> None:
    x, y = TensorType(Shape((2, 1)), FLOAT64, contents=(0.0, 0.0)), vector(1.0, 2.0, dtype=FLOAT64)
    outcome = call("numpy.linalg.lstsq", (x, y), {})
    found = evaluate(outcome.applied, {id(x): contents_of(np, x), id(y): contents_of(np, y)})
    assert [found[id(part)].tolist() for part in outcome.made] == [[0.0], [], 0, [0.0]]


def test_derivatives_of_digamma_at_the_ends_of_the_range() -> None:
    assert computed("torch.special.polygamma", 1, vector(1e-200, dtype=FLOAT64)) == [float("inf")]
    with pytest.raises(Undefined):
        computed("torch.special.polygamma", 1, vector(-1.0))


def test_a_single_power_of_a_space_has_its_exponent_uncut() -> None:
    assert computed("torch.logspace", 0.5, 0.5, 1, dtype=INT64) == [3]
    assert computed("torch.logspace", 0.5, 1.5, 2, dtype=INT64) == [1, 10]


def test_boxes_whose_areas_overflow_are_not_chosen_from() -> None:
    corners = (0.0, 0.0, 1e30, 1e30)
    boxes = TensorType(Shape((2, 4)), FLOAT32, contents=corners * 2)
    with pytest.raises(Undefined):
        computed("tf.image.non_max_suppression", boxes, vector(1.0, 2.0), 2)
    fitting = TensorType(Shape((2, 4)), FLOAT32, contents=(0.0, 0.0, 1.0, 1.0) * 2)
    assert computed("tf.image.non_max_suppression", fitting, vector(1.0, 2.0), 2) == [1]
