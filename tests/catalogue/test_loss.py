"""Losses and embeddings: what comes out, what is refused, and what stays symbolic."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call, call_module
from tensorproof.terms.dtypes import BOOL, COMPLEX64, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, UINT8, DType
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

B, T, C = (symbol(name, 1) for name in "btc")


def t(*shape: Any, dtype: DType = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents)


def ints(*values: Any) -> TensorType:
    return t(len(values), dtype=INT64, contents=values)


def run(name: str, *args: Any, **kwargs: Any) -> Outcome:
    return call(f"torch.nn.functional.{name}", args, kwargs)


def good(outcome: Outcome) -> Any:
    assert outcome.refused is None and outcome.unknown is None, outcome
    return outcome.outputs


def loss(name: str, *args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], DType | None]:
    made = good(run(name, *args, **kwargs))
    return tuple(made.shape), made.dtype


def code(name: str, *args: Any, **kwargs: Any) -> str:
    outcome = run(name, *args, **kwargs)
    assert outcome.refused is not None, outcome
    return outcome.refused.code


INDEX, OTHER = t(B, dtype=INT64), t(T, dtype=INT64)


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "expected"),
    [
        ("mse_loss", (t(B, 10), t(B, 10)), {}, ((), FLOAT32)),
        ("mse_loss", (t(B, 10), t(10)), {"reduction": "none"}, ((B, 10), FLOAT32)),
        ("mse_loss", (t(B, 10), t(dtype=FLOAT64)), {}, ((), FLOAT64)),
        ("mse_loss", (t(3, dtype=INT64), t(3, dtype=INT64)), {"weight": t(3, dtype=INT32)}, ((), FLOAT32)),
        ("l1_loss", (t(3, dtype=INT32), t(3, dtype=INT64)), {"reduction": "sum"}, ((), INT64)),
        ("l1_loss", (t(3, dtype=COMPLEX64), t(3)), {"size_average": False}, ((), FLOAT32)),
        ("smooth_l1_loss", (t(3, dtype=INT32), t(3, dtype=INT32)), {"beta": 0.0, "reduce": False}, ((3,), INT32)),
        ("huber_loss", (t(3, dtype=FLOAT16), t(3, dtype=FLOAT64)), {}, ((), FLOAT16)),
        ("kl_div", (t(B, 5), t(B, 5)), {"reduction": "batchmean"}, ((), FLOAT32)),
        ("poisson_nll_loss", (t(3, dtype=INT32), t(3, dtype=FLOAT16)), {}, ((), FLOAT32)),
        ("gaussian_nll_loss", (t(B, 5), t(B, 5), t(B)), {"reduction": "none"}, ((B, 5), FLOAT32)),
        ("gaussian_nll_loss", (t(4, 5), t(4, 5), t(4, 1)), {}, ((), FLOAT32)),
        ("binary_cross_entropy_with_logits", (t(B, 1), t(B, 1, dtype=FLOAT16)), {}, ((), FLOAT16)),
        ("multilabel_soft_margin_loss", (t(B, C), t(B, C)), {"reduction": "none"}, ((B,), FLOAT32)),
        ("cosine_embedding_loss", (t(B, C), t(B, C), t(B)), {"reduction": "none"}, ((B,), FLOAT32)),
        ("triplet_margin_loss", (t(B, C), t(B, C), t(B, C)), {"reduction": "none", "swap": True}, ((B,), FLOAT32)),
        ("cross_entropy", (t(B, 10), INDEX), {}, ((), FLOAT32)),
        ("cross_entropy", (t(B, 10, T), t(B, T, dtype=INT64)), {"reduction": "none"}, ((B, T), FLOAT32)),
        ("cross_entropy", (t(B, 10, T), t(B, 10, T, dtype=FLOAT64)), {"reduction": "none"}, ((B, T), FLOAT64)),
        ("cross_entropy", (t(10), t(dtype=INT64)), {}, ((), FLOAT32)),
        ("cross_entropy", (t(2, 10), ints(3, -100)), {}, ((), FLOAT32)),
        ("nll_loss", (t(B, 10), t(B, dtype=UINT8)), {"reduction": "none"}, ((B,), FLOAT32)),
        ("multi_margin_loss", (t(B, 10), INDEX), {"reduction": "none"}, ((B,), FLOAT32)),
        ("ctc_loss", (t(T, B, C), t(B, 4, dtype=INT64), INDEX, INDEX), {"reduction": "none"}, ((B,), FLOAT32)),
        ("ctc_loss", (t(9, 2, 5), t(5, dtype=INT64), [9, 9], [2, 3]), {}, ((), FLOAT32)),
        ("linear_cross_entropy", (t(B, 16), t(10, 3, 16), t(B, 3, dtype=INT64)), {"reduction": "none"}, ((B, 3), FLOAT32)),
        ("embedding", (t(B, T, dtype=INT64), t(10, C)), {"padding_idx": -1}, ((B, T, C), FLOAT32)),
        ("embedding_bag", (t(B, T, dtype=INT64), t(10, C)), {}, ((B, C), FLOAT32)),
        ("embedding_bag", (t(T, dtype=INT64), t(10, C), INDEX), {"include_last_offset": True}, ((B - 1, C), FLOAT32)),
    ],
)
def test_shape_and_type_of_a_loss(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], expected: Any) -> None:
    assert loss(name, *args, **kwargs) == expected


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "expected"),
    [
        ("mse_loss", (t(3, 4), t(3, 5)), {}, "mse_loss/broadcast"),
        ("mse_loss", (t(3), t(3)), {"reduction": "average"}, "mse_loss/reduction"),
        ("mse_loss", (t(3, dtype=INT64), t(3, dtype=INT64)), {}, "mse_loss/dtype"),
        ("l1_loss", (t(3, dtype=INT32), t(3, dtype=INT64)), {}, "l1_loss/dtype"),
        ("huber_loss", (t(3), t(3)), {"delta": 0}, "huber_loss/delta"),
        ("binary_cross_entropy", (t(B, 1), t(B)), {}, "binary_cross_entropy/target"),
        ("binary_cross_entropy", (t(3), t(3, dtype=FLOAT64)), {}, "binary_cross_entropy/dtype"),
        ("binary_cross_entropy_with_logits", (t(3, 4), t(3, 4)), {"pos_weight": t(3)}, "binary_cross_entropy_with_logits/pos_weight"),
        ("soft_margin_loss", (t(1, 4), t(3, 4)), {}, "soft_margin_loss/broadcast"),
        ("gaussian_nll_loss", (t(4, 5), t(4, 5), t(4, 4)), {}, "gaussian_nll_loss/var"),
        ("margin_ranking_loss", (t(4, 5), t(4, 5), t(5)), {}, "margin_ranking_loss/rank"),
        ("triplet_margin_loss", (t(4, 5), t(4, 5), t(4, 5)), {"margin": -1.0}, "triplet_margin_loss/margin"),
        ("cross_entropy", (t(2, 3), t(2, 3, dtype=INT64)), {}, "cross_entropy/dtype"),
        ("cross_entropy", (t(2, 3), t(2)), {}, "cross_entropy/dtype"),
        ("cross_entropy", (t(2, 3), t(3, dtype=INT64)), {}, "cross_entropy/target"),
        ("cross_entropy", (t(2, 3), ints(0, 3)), {}, "cross_entropy/target"),
        ("cross_entropy", (t(2, 3), ints(0, 2)), {"weight": t(2)}, "cross_entropy/weight"),
        ("cross_entropy", (t(2, 3), t(2, 3)), {"ignore_index": 1}, "cross_entropy/ignore_index"),
        ("cross_entropy", (t(2, 3), ints(0, 1)), {"label_smoothing": 1.5}, "cross_entropy/label_smoothing"),
        ("nll_loss", (t(2, 3, 4), t(2, 4, dtype=UINT8)), {}, "nll_loss/dtype"),
        ("ctc_loss", (t(9, 2, 5), t(6, dtype=INT64), [9, 9], [2, 3]), {}, "ctc_loss/target"),
        ("ctc_loss", (t(9, 2, 5), t(2, 3, dtype=INT64), [9, 10], [2, 3]), {}, "ctc_loss/lengths"),
        ("embedding", (t(2), t(10, 3)), {}, "embedding/dtype"),
        ("embedding", (ints(0, 10), t(10, 3)), {}, "embedding/index"),
        ("embedding", (ints(0), t(10, 3)), {"padding_idx": 10}, "embedding/padding_idx"),
        ("embedding_bag", (ints(0), t(10, 3)), {}, "embedding_bag/offsets"),
        ("embedding_bag", (t(2, 2, dtype=INT64), t(10, 3)), {"per_sample_weights": t(2, 2)}, "embedding_bag/mode"),
    ],
)
def test_a_loss_refuses(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], expected: str) -> None:
    assert code(name, *args, **kwargs) == expected


def test_a_batch_that_may_differ_is_a_requirement() -> None:
    outcome = run("cross_entropy", t(B, 10), OTHER)
    assert [r.code for r in outcome.requirements] == ["cross_entropy/target"]


def test_a_mean_is_a_scalar_of_any_rank() -> None:
    for name, target in (("cross_entropy", INDEX), ("mse_loss", t(B))):
        assert good(run(name, TensorType(unknown_shape("u")), target)).shape == ()


def test_embeddings_of_an_unknown_rank_keep_their_length() -> None:
    made = good(run("embedding", TensorType(unknown_shape("u"), INT64), t(10, 3)))
    assert made.shape[-1] == 3 and not made.shape.known


def test_torch_functions_reduce_nothing_unless_asked() -> None:
    assert good(call("torch.kl_div", (t(3), t(3)))).shape == (3,)
    assert good(call("aten.kl_div.default", (t(3), t(3)))).shape == ()


def test_class_weights_are_buffers() -> None:
    layer = good(call("torch.nn.CrossEntropyLoss", (t(10),)))
    assert list(layer.state()) == ["weight"] and list(layer.parameters) == []
    assert good(call_module(layer, (t(B, 10), INDEX))).shape == ()
    refused = call_module(layer, (t(B, 9), INDEX)).refused
    assert refused is not None and refused.code == "cross_entropy/weight"


def test_adaptive_softmax_has_a_head_and_tails() -> None:
    layer = good(call("torch.nn.AdaptiveLogSoftmaxWithLoss", (16, 100, [10, 50])))
    assert {n: tuple(p.shape) for n, p in layer.state().items()} == {
        "head.weight": (12, 16), "tail.0.0.weight": (4, 16), "tail.0.1.weight": (40, 4), "tail.1.0.weight": (1, 16), "tail.1.1.weight": (50, 1),
    }  # fmt: skip
    assert [m.shape for m in good(call_module(layer, (t(B, 16), INDEX)))] == [(B,), ()]
    assert call("torch.nn.AdaptiveLogSoftmaxWithLoss", (16, 100, [50, 10])).refused is not None


def test_a_pretrained_table_is_the_weight() -> None:
    layer = good(call("torch.nn.Embedding.from_pretrained", (t(10, 3, dtype=FLOAT16),)))
    assert good(call_module(layer, (t(B, dtype=INT32),))).dtype is FLOAT16
    assert call_module(layer, (t(B, dtype=BOOL),)).refused is not None
