"""Recurrent layers, packed sequences, attention and transformers: shapes, states, masks and parameter names."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call, call_module
from tensorproof.bindings.modules import Module
from tensorproof.terms.dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, INT64, DType
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

B, T, S = (symbol(name, 1) for name in "bts")
RNN = "torch.nn.utils.rnn."


def t(*shape: Any, dtype: DType = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents)


def good(outcome: Outcome) -> Any:
    assert outcome.refused is None and outcome.unknown is None, outcome
    return outcome.outputs


def layer(name: str, *args: Any, **kwargs: Any) -> Module:
    return good(call(f"torch.nn.{name}", args, kwargs))


def shapes(value: Any) -> Any:
    return tuple(value.shape) if isinstance(value, TensorType) else tuple(map(shapes, value)) if isinstance(value, tuple) else value


def code(outcome: Outcome) -> str:
    assert outcome.refused is not None, outcome
    return outcome.refused.code


def test_an_lstm_with_two_directions_and_projections() -> None:
    lstm = layer("LSTM", 3, 5, num_layers=2, bidirectional=True, proj_size=2, batch_first=True)
    assert shapes(good(call_module(lstm, (t(B, T, 3),)))) == ((B, T, 4), ((4, B, 2), (4, B, 5)))
    assert shapes(good(call_module(lstm, (t(T, 3),)))) == ((T, 4), ((4, 2), (4, 5)))
    names = list(lstm.state())
    assert names[:6] == ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "weight_hr_l0", "weight_ih_l0_reverse"]
    assert tuple(lstm.parameters["weight_ih_l1"].shape) == (20, 4)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((t(B, T, 4),), "lstm/features"),
        ((t(2, 0, 3),), "lstm/empty"),
        ((t(2, 4, 3, dtype=FLOAT64),), "lstm/dtype"),
        ((t(2, 4, 3), t(1, 2, 5)), "lstm/state"),
        ((t(2, 4, 3), (t(1, 4, 5), t(1, 4, 5))), "lstm/state"),
        ((t(2, 4, 3), (t(1, 5), t(1, 5))), "lstm/state"),
        ((t(2, 4, 3, 3),), "lstm/rank"),
    ],
)
def test_an_lstm_refuses(args: tuple[Any, ...], expected: str) -> None:
    assert code(call_module(layer("LSTM", 3, 5, batch_first=True), args)) == expected


@pytest.mark.parametrize("wrong", [{"proj_size": 0}, {"bias": 1}, {"dropout": 2}, {"num_layers": 0}])
def test_a_gru_that_cannot_be_made(wrong: dict[str, Any]) -> None:
    assert call("torch.nn.GRU", (3, 5), wrong).refused is not None


def test_cells_take_one_step() -> None:
    assert shapes(good(call_module(layer("LSTMCell", 3, 5), (t(B, 3), (t(B, 5), t(B, 5)))))) == ((B, 5), (B, 5))
    assert shapes(good(call_module(layer("GRUCell", 3, 5), (t(3),)))) == (5,)
    assert code(call_module(layer("RNNCell", 3, 5), (t(2, 3), t(3, 5)))) == "rnn_cell/batch"


def test_a_packed_sequence_goes_through_a_layer_and_back() -> None:
    packed = good(call(RNN + "pack_padded_sequence", (t(4, 2, 3), [4, 2])))
    assert shapes(packed[:2]) == ((6, 3), (4,)) and packed[1].contents == (2, 2, 1, 1)
    output, last = good(call_module(layer("GRU", 3, 5), (packed,)))
    assert shapes(last) == (1, 2, 5)
    padded, lengths = good(call(RNN + "pad_packed_sequence", (output,), {"batch_first": True, "total_length": 7}))
    assert shapes(padded) == (2, 7, 5) and lengths.contents == (4, 2)


def test_a_packed_sequence_of_unknown_lengths_keeps_its_batch() -> None:
    packed = good(call(RNN + "pack_padded_sequence", (t(B, T, 3), t(B, dtype=INT64)), {"batch_first": True}))
    output, last = good(call_module(layer("GRU", 3, 5), (packed,)))
    assert shapes(last) == (1, B, 5)
    assert shapes(good(call(RNN + "pad_packed_sequence", (output,))))[0][1:] == (B, 5)


def test_lengths_must_fall() -> None:
    assert code(call(RNN + "pack_padded_sequence", (t(4, 2, 3), [2, 4]))) == "pack_padded_sequence/sorted"
    assert code(call(RNN + "pack_padded_sequence", (t(4, 2, 3), [4, 2, 1]))) == "pack_padded_sequence/lengths"


def test_padding_makes_the_longest() -> None:
    assert shapes(good(call(RNN + "pad_sequence", ([t(3, 7), t(5, 7)],), {"batch_first": True}))) == (2, 5, 7)
    assert code(call(RNN + "pad_sequence", ([t(3, 7), t(5, 6)],))) == "pad_sequence/trailing"


def sdpa(*args: Any, **kwargs: Any) -> Outcome:
    return call("torch.nn.functional.scaled_dot_product_attention", args, kwargs)


def test_scaled_dot_products() -> None:
    assert shapes(good(sdpa(t(B, 8, T, 64), t(B, 8, S, 64), t(B, 8, S, 32), t(T, S)))) == (B, 8, T, 32)
    assert shapes(good(sdpa(t(B, 8, T, 64), t(B, 2, S, 64), t(B, 2, S, 64), enable_gqa=True))) == (B, 8, T, 64)
    assert code(sdpa(t(2, 8, 4, 64), t(2, 3, 6, 64), t(2, 3, 6, 64), enable_gqa=True)) == "scaled_dot_product_attention/heads"
    assert code(sdpa(t(2, 8, 4, 64), t(2, 8, 6, 64), t(2, 8, 6, 64), t(6, 4))) == "scaled_dot_product_attention/mask"
    assert code(sdpa(t(4, 64), t(6, 64), t(6, 64), t(4, 6), is_causal=True)) == "scaled_dot_product_attention/causal"
    assert code(sdpa(t(4, 64), t(6, 64, dtype=FLOAT16), t(6, 64))) == "scaled_dot_product_attention/dtype"


def test_multi_head_attention() -> None:
    layer_ = layer("MultiheadAttention", 64, 8, batch_first=True, kdim=16, vdim=24, add_bias_kv=True)
    q, k, v = t(B, T, 64), t(B, S, 16), t(B, S, 24)
    assert shapes(good(call_module(layer_, (q, k, v)))) == ((B, T, 64), (B, T, S + 1))
    assert shapes(good(call_module(layer_, (q, k, v), {"average_attn_weights": False}))) == ((B, T, 64), (B, 8, T, S + 1))
    assert good(call_module(layer_, (q, k, v), {"need_weights": False}))[1] is None
    assert "k_proj_weight" in layer_.state() and "in_proj_weight" not in layer_.state()
    assert code(call_module(layer_, (q, k, v), {"attn_mask": t(S, T + S)})) == "multi_head_attention/mask"
    assert code(call_module(layer_, (t(2, 4, 64), t(3, 6, 16), t(3, 6, 24)))) == "multi_head_attention/batch"
    assert call("torch.nn.MultiheadAttention", (64, 7)).refused is not None


def test_a_transformer_encoder() -> None:
    one = layer("TransformerEncoderLayer", 64, 8, 128, batch_first=True)
    stack = layer("TransformerEncoder", one, 2)
    assert next(iter(stack.state())) == "layers.0.self_attn.in_proj_weight" and len(stack.state()) == 24
    x = t(B, T, 64)
    assert shapes(good(call_module(stack, (x, t(T, T)), {"src_key_padding_mask": t(B, T, dtype=BOOL)}))) == (B, T, 64)
    assert code(call_module(stack, (t(B, T, 32),))) == "transformer_encoder_layer/features"
    assert code(call_module(stack, (x,), {"is_causal": True})) == "transformer_encoder_layer/causal"


def test_a_whole_transformer() -> None:
    whole = layer("Transformer", 64, 8, 1, 1, 128)
    assert shapes(good(call_module(whole, (t(S, B, 64), t(T, B, 64))))) == (T, B, 64)
    assert {"encoder.norm.weight", "decoder.layers.0.multihead_attn.out_proj.bias"} <= set(whole.state())
    assert code(call_module(whole, (t(5, 3, 64), t(4, 2, 64)))) == "transformer_decoder_layer/batch"
