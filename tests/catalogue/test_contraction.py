"""Contractions, reductions, ordering and scans: what comes out, what is refused, and what stays symbolic."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call, call_module
from tensorproof.terms.dtypes import BOOL, COMPLEX64, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, UINT8, DType
from tensorproof.terms.ints import bounds, symbol
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

B, N, K, M = (symbol(name, 1) for name in "bnkm")


def t(*shape: Any, dtype: DType = FLOAT32) -> TensorType:
    return TensorType(Shape(shape), dtype)


def ints(*values: Any, shape: tuple[int, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape if shape is not None else (len(values),)), INT64, contents=values)


def run(name: str, *args: Any, **kwargs: Any) -> Outcome:
    return call(f"torch.{name}", args, kwargs)


def shape(name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    outcome = run(name, *args, **kwargs)
    assert outcome.refused is None and outcome.unknown is None, outcome
    return tuple(outcome.outputs.shape)


def dtype(name: str, *args: Any, **kwargs: Any) -> DType | None:
    outcome = run(name, *args, **kwargs)
    assert outcome.refused is None and outcome.unknown is None, outcome
    return outcome.outputs.dtype


def code(name: str, *args: Any, **kwargs: Any) -> str:
    outcome = run(name, *args, **kwargs)
    assert outcome.refused is not None, outcome
    return outcome.refused.code


# --- products -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "made"),
    [
        ((2, 3), (3, 4), (2, 4)),
        ((3,), (3,), ()),
        ((3,), (3, 4), (4,)),
        ((2, 3), (3,), (2,)),
        ((5, 1, 2, 3), (6, 3, 4), (5, 6, 2, 4)),
        ((2, 0), (0, 4), (2, 4)),
        ((3,), (7, 3, 4), (7, 4)),
    ],
)
def test_matmul_follows_the_ranks_of_its_operands(x: tuple[int, ...], y: tuple[int, ...], made: tuple[int, ...]) -> None:
    assert shape("matmul", t(*x), t(*y)) == made
    assert shape("Tensor.__matmul__", t(*x), t(*y)) == made
    assert shape("Tensor.__rmatmul__", t(*y), t(*x)) == made


def test_matmul_keeps_symbols() -> None:
    outcome = run("matmul", t(B, 8, N, K), t(B, 8, K, N))
    assert tuple(outcome.outputs.shape) == (B, 8, N, N) and not outcome.requirements


def test_matmul_states_the_inner_size_when_it_is_not_known() -> None:
    outcome = run("matmul", t(B, N), t(K, 4))
    assert [r.code for r in outcome.requirements] == ["matmul/inner"]


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("matmul", (t(2, 3), t(4, 5)), "matmul/inner"),
        ("matmul", (t(5, 2, 3), t(6, 3, 2)), "matmul/batch"),
        ("matmul", (t(), t(3)), "matmul/rank"),
        ("matmul", (t(2, 3), t(3, 4, dtype=FLOAT64)), "matmul/dtype"),
        ("matmul", (t(2, 3, dtype=BOOL), t(3, 4, dtype=BOOL)), "matmul/dtype"),
        ("mm", (t(1, 2, 3), t(3, 4)), "mm/rank"),
        ("bmm", (t(2, 3, 4), t(1, 4, 5)), "bmm/batch"),
        ("mv", (t(2, 3), t(4)), "mv/inner"),
        ("dot", (t(2), t(3)), "dot/inner"),
        ("addmm", (t(7), t(2, 3), t(3, 4)), "addmm/start"),
        ("Tensor.addmm_", (t(1), t(2, 3), t(3, 4)), "addmm/inplace"),
        ("addr", (t(2, 2, dtype=INT64), t(2, dtype=INT64), t(2, dtype=INT64)), None),
        ("linalg.multi_dot", ([t(2, 3)],), "multi_dot/xs"),
        ("linalg.multi_dot", ([t(2, 3), t(3), t(3, 2)],), "multi_dot/rank"),
        ("cross", (t(2, 4), t(2, 4)), "cross/size"),
        ("linalg.cross", (t(2, 3), t(3)), "cross/rank"),
    ],
)
def test_products_refuse_what_torch_refuses(name: str, args: tuple[Any, ...], why: str | None) -> None:
    outcome = run(name, *args)
    assert (outcome.refused.code if outcome.refused else None) == why


def test_addr_takes_no_fraction_of_whole_numbers() -> None:
    whole = [t(2, 2, dtype=INT64), t(2, dtype=INT64), t(2, dtype=INT64)]
    assert code("addr", *whole, alpha=0.5) == "addr/alpha"
    assert shape("addmv", t(2, dtype=INT64), t(2, 2, dtype=INT64), t(2, dtype=INT64), alpha=0.5) == (2,)


def test_outer_promotes_and_dot_does_not() -> None:
    assert dtype("outer", t(2), t(3, dtype=FLOAT64)) is FLOAT64
    assert code("dot", t(3), t(3, dtype=FLOAT64)) == "dot/dtype"


# --- einsum and tensordot -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "operands", "made"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)], (2, 4)),
        ("ij,jk", [(2, 3), (3, 4)], (2, 4)),
        ("i j , j k -> k i", [(2, 3), (3, 4)], (4, 2)),
        ("ii->i", [(3, 3)], (3,)),
        ("ii", [(3, 3)], ()),
        ("bA", [(2, 3)], (3, 2)),
        ("...ij,...jk->...ik", [(7, 2, 3), (3, 4)], (7, 2, 4)),
        ("i...j->ij", [(2, 9, 4)], (2, 4)),
        ("ij,ij->i", [(2, 1), (2, 3)], (2,)),
        ("i,->i", [(2,), ()], (2,)),
    ],
)
def test_einsum_reads_the_equation(equation: str, operands: list[tuple[int, ...]], made: tuple[int, ...]) -> None:
    xs = [t(*s) for s in operands]
    assert shape("einsum", equation, *xs) == made
    assert shape("einsum", equation, xs) == made


@pytest.mark.parametrize(
    ("equation", "operands", "why"),
    [
        ("ij,jk", [(2, 3), (4, 4)], "inner"),
        ("ij,jk", [(2, 3)], "operands"),
        ("ijk", [(2, 3)], "rank"),
        ("ii->i", [(1, 3)], "diagonal"),
        ("ij->ii", [(2, 3)], "equation"),
        ("i->ij", [(2,)], "equation"),
        ("i.j", [(2, 2)], "equation"),
        ("i1", [(2, 2)], "equation"),
        ("i->->i", [(2,)], "equation"),
    ],
)
def test_einsum_refuses_equations_that_do_not_fit(equation: str, operands: list[tuple[int, ...]], why: str) -> None:
    assert code("einsum", equation, *[t(*s) for s in operands]) == f"einsum/{why}"


def test_einsum_takes_lists_of_subscripts() -> None:
    assert shape("einsum", t(2, 3), [0, 1], t(3, 4), [1, 2], [0, 2]) == (2, 4)
    assert shape("einsum", t(2, 3), [30, 0]) == (3, 2)
    assert shape("einsum", t(2, 3), [..., 0]) == (2, 3)


def test_einsum_of_attention_stays_symbolic() -> None:
    outcome = run("einsum", "bhid,bhjd->bhij", t(B, 8, N, 64), t(B, 8, M, 64))
    assert tuple(outcome.outputs.shape) == (B, 8, N, M) and not outcome.requirements


def test_einsum_fixes_an_unknown_rank_by_its_subscripts() -> None:
    outcome = run("einsum", "ij,jk->ik", TensorType(unknown_shape("u"), FLOAT32), t(3, 4))
    assert len(outcome.outputs.shape) == 2 and outcome.outputs.shape[1] == 4
    assert "einsum/rank" in [r.code for r in outcome.requirements]


def test_einsum_sums_whole_numbers_into_int64() -> None:
    assert dtype("einsum", "ij->i", t(2, 3, dtype=INT32)) is INT64
    assert dtype("einsum", "ij->ji", t(2, 3, dtype=INT32)) is INT32


def test_tensordot_takes_a_number_or_two_lists() -> None:
    assert shape("tensordot", t(2, 3, 4), t(3, 4, 5), 2) == (2, 5)
    assert shape("tensordot", t(2, 3), t(3, 2), dims=([1], [0])) == (2, 2)
    assert shape("tensordot", t(2, 3), t(4), 0) == (2, 3, 4)
    assert code("tensordot", t(2, 3), t(3, 2), dims=([1, 0], [0])) == "tensordot/axes"
    assert code("tensordot", t(2, 3), t(4, 2), 1) == "tensordot/inner"


# --- layers -------------------------------------------------------------------------------------------------------------------


def test_linear_has_the_state_of_torch() -> None:
    layer = run("nn.Linear", 10, 5).outputs
    assert {k: tuple(v.shape) for k, v in layer.state().items()} == {"weight": (5, 10), "bias": (5,)}
    assert set(run("nn.Linear", 10, 5, bias=False).outputs.state()) == {"weight"}


def test_linear_holds_its_input_against_in_features() -> None:
    layer = run("nn.Linear", 10, 5).outputs
    assert tuple(call_module(layer, (t(B, N, 10),)).outputs.shape) == (B, N, 5)
    refused = call_module(layer, (t(2, 11),)).refused
    assert refused is not None and refused.code == "linear/features"


def test_lazy_linear_is_fixed_by_its_first_input() -> None:
    layer = run("nn.LazyLinear", 5).outputs
    assert tuple(call_module(layer, (t(2, 7),)).outputs.shape) == (2, 5)
    assert tuple(layer.state()["weight"].shape) == (5, 7)
    assert call_module(layer, (t(2, 8),)).refused is not None


def test_bilinear_does_not_broadcast() -> None:
    layer = run("nn.Bilinear", 3, 4, 5).outputs
    assert tuple(call_module(layer, (t(2, 3), t(2, 4))).outputs.shape) == (2, 5)
    refused = call_module(layer, (t(2, 3), t(1, 4))).refused
    assert refused is not None and refused.code == "bilinear/batch"


# --- reductions ---------------------------------------------------------------------------------------------------------------


def test_reductions_fold_axes_away() -> None:
    assert shape("sum", t(2, 3, 4), (0, -1)) == (3,)
    assert shape("Tensor.mean", t(B, N, 4), 1, True) == (B, 1, 4)
    assert shape("sum", t(2, 3), dim=()) == ()
    assert shape("sum", t(), 0) == ()
    assert shape("Tensor.sum", t(2, 3), axis=1, keepdims=True) == (2, 1)
    assert shape("any", t(2, 3), dim=()) == (2, 3)


def test_a_whole_reduction_of_unknown_rank_is_a_scalar() -> None:
    assert shape("Tensor.sum", TensorType(unknown_shape("u"), FLOAT32)) == ()


@pytest.mark.parametrize(
    ("name", "args", "made"),
    [
        ("sum", (t(2, dtype=INT32),), INT64),
        ("sum", (t(2, dtype=BOOL),), INT64),
        ("prod", (t(2, dtype=UINT8),), INT64),
        ("all", (t(2, dtype=UINT8),), UINT8),
        ("all", (t(2, dtype=FLOAT16),), BOOL),
        ("var", (t(2, dtype=COMPLEX64),), FLOAT32),
        ("argmax", (t(2),), INT64),
        ("logsumexp", (t(2, dtype=INT64), 0), FLOAT32),
        ("norm", (t(2, dtype=COMPLEX64),), FLOAT32),
    ],
)
def test_element_types_of_reductions(name: str, args: tuple[Any, ...], made: DType) -> None:
    assert dtype(name, *args) is made


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("mean", (t(2, dtype=INT64),), "mean/dtype"),
        ("var", (t(2, dtype=INT64),), "var/dtype"),
        ("argmax", (t(2, dtype=BOOL),), "argmax/dtype"),
        ("amax", (t(2, 0), 1), "amax/empty"),
        ("max", (t(0),), "amax/empty"),
        ("argmin", (t(2, 0), 1), "argmin/empty"),
        ("sum", (t(2, 3), (0, -2)), "sum/axis"),
        ("sum", (t(2, 3), 2), "sum/axis"),
        ("quantile", (t(3), 2.0), "quantile/q"),
        ("kthvalue", (t(3), 4), "kthvalue/k"),
        ("topk", (t(2, 3), 4), "topk/k"),
        ("diff", (t(),), "diff/rank"),
        ("bincount", (ints(1, -1),), "bincount/negative"),
        ("histc", (t(3), 0), "histc/bins"),
    ],
)
def test_reductions_refuse_what_torch_refuses(name: str, args: tuple[Any, ...], why: str) -> None:
    assert code(name, *args) == why


def test_an_empty_axis_that_is_not_reduced_is_fine() -> None:
    assert shape("amax", t(2, 0), 0) == (0,)


def test_max_has_three_overloads() -> None:
    assert shape("max", t(2, 3)) == ()
    values, indices = run("max", t(2, 3), 1).outputs
    assert (tuple(values.shape), indices.dtype) == ((2,), INT64)
    assert shape("max", t(2, 3), t(3)) == (2, 3)
    assert run("max", t(2, 3), 2.0).refused is not None


def test_var_takes_unbiased_and_correction() -> None:
    assert shape("var", t(2, 3), False) == ()
    assert shape("var", t(2, 3), 1, False, True) == (2, 1)
    assert shape("Tensor.std", t(2, 3), dim=1, correction=0) == (2,)


def test_topk_states_k_against_a_symbolic_axis() -> None:
    outcome = run("topk", t(B, N), 5)
    assert tuple(outcome.outputs[0].shape) == (B, 5)
    assert [r.code for r in outcome.requirements] == ["topk/k"]


def test_distinct_elements_are_bounded_by_their_number() -> None:
    (size,) = shape("unique", t(2, 3))
    assert bounds(size) == (1, 6)
    values, inverse, counts = run("unique", t(4, 3), return_inverse=True, return_counts=True, dim=0).outputs
    assert tuple(inverse.shape) == (4,) and values.shape[0] is counts.shape[0]


# --- exact contents -----------------------------------------------------------------------------------------------------------


def test_whole_numbers_are_summed_exactly() -> None:
    x = ints(3, 1, 2, 4, 5, 6, shape=(2, 3))
    assert run("sum", x, 0).outputs.contents == (7, 6, 8)
    assert run("prod", x).outputs.contents == (720,)
    assert run("amax", x, 1).outputs.contents == (3, 6)
    assert run("argmin", x, 1).outputs.contents == (1, 0)
    assert run("cumsum", x, 0).outputs.contents == (3, 1, 2, 7, 6, 8)
    assert run("cumprod", x, 1).outputs.contents == (3, 3, 6, 4, 20, 120)


def test_symbols_are_summed_too() -> None:
    assert run("sum", ints(N, 2, N)).outputs.contents == (2 * N + 2,)
    assert run("argmax", ints(N, 2)).outputs.contents is None


def test_sorted_contents_are_known_where_they_are_distinct() -> None:
    values, indices = run("sort", ints(3, 1, 2), descending=True).outputs
    assert (values.contents, indices.contents) == ((3, 2, 1), (0, 2, 1))
    values, indices = run("sort", ints(3, 1, 1)).outputs
    assert values.contents == (1, 1, 3) and indices.contents is None
    assert run("topk", ints(3, 1, 2), 2).outputs[0].contents == (3, 2)
