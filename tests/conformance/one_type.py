"""Calls in one element type of floats: tensors, weights and the types that a call names take it; what a library refuses in it is noted with its sentence."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tensorproof.engines.generate import calls
from tensorproof.engines.values.evaluate import contents_of
from tensorproof.runners.observed import Observed, Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tests.conformance.arguments import tensors
from tests.conformance.conform import shown
from tests.conformance.weighted_layers import Change, Weights, drawn_weights

FLOATS_BY_LABEL = {one.label: one for one in (DType.FLOAT64, DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)}
NAMED = 0.5
"""How often an element type that a call names is changed with those of its tensors."""
TURNS = 16
"""How often an operator's spellings are drawn anew while too few calls have the type."""
COMPLEX = "complex numbers come out, which have no bounds"
NO_KERNEL = "a graph takes it, and no kernel computes it"
SENTENCES = 4
"""How many different sentences of refusal are kept for an operator."""


def of_type(np: Any, tensor: TensorType, floats: DType, kinds: str = "f") -> TensorType:
    """A tensor of one of the kinds with another element type, and what it holds rounded to it."""
    if tensor.dtype is None or tensor.dtype.kind not in kinds or tensor.weak or tensor.dtype is floats:
        return tensor
    changed = tensor.but(dtype=floats)
    if tensor.contents is None:
        return changed
    with np.errstate(all="ignore"):
        held = contents_of(np, changed)
    return changed.but(contents=tuple(map(float, held.ravel()))) if np.isfinite(held).all() else tensor


def drawn_in(np: Any, drawn: calls.GeneratedCall, floats: DType | None, random: Random, again: bool, numbers: Change) -> tuple[calls.GeneratedCall, Weights]:
    """A call with numbers whose floats have the type; `again`: some of them alone. Where it has none, some of its whole numbers take the type."""
    if floats is None:
        return drawn_weights(drawn, numbers)
    named = named_types(drawn, floats, random)

    def changed(some: bool, kinds: str) -> tuple[calls.GeneratedCall, Weights]:
        return drawn_weights(named, lambda t: numbers(t if some and random.random() < 0.5 else of_type(np, t, floats, kinds)))

    call, weights = changed(again, "f")
    if has_type(call, floats) or call.outcome.refused is not None:
        return call, weights
    return changed(True, "fiub")


def named_types(drawn: calls.GeneratedCall, floats: DType, random: Random) -> calls.GeneratedCall:
    """The call with the element types of floats that it names changed too, at times."""
    if random.random() >= NAMED and next(tensors([drawn.args, drawn.kwargs]), None) is not None:
        return drawn

    def changed(value: Any) -> Any:
        if type(value) in (tuple, list):
            return type(value)(map(changed, value))
        return floats if isinstance(value, DType) and value.kind == "f" else value

    init = None if drawn.init is None else {k: changed(v) for k, v in drawn.init.items()}
    return replace(drawn, args=changed(drawn.args), kwargs={k: changed(v) for k, v in drawn.kwargs.items()}, init=init)


def has_type(call: calls.GeneratedCall, floats: DType) -> bool:
    """Whether tensors of the type go in or come out."""
    parts = [call.args, call.kwargs, *(one.results for one in call.outcome.applied), *(tuple(one.arguments.values()) for one in call.outcome.applied)]
    return any(tensor.dtype is floats and not tensor.weak for tensor in tensors(parts))


def note(record: dict[str, Any], call: calls.GeneratedCall, sentence: str) -> None:
    """A refusal, by the library's sentence."""
    refused = record.setdefault("refused", {})
    text = f"{call.name}: {sentence}"[:200]
    if text in refused or len(refused) < SENTENCES:
        refused[text] = refused.get(text, 0) + 1


def refused_by_us(record: dict[str, Any], call: calls.GeneratedCall, asked: Callable[[], Observed]) -> None:
    """A call that our own rules refuse: the library's sentence counts, and where it takes the element type all the same, that is noted. Without elements no
    kernel is asked."""
    if call.outcome.refused is None:
        return
    seen = asked()
    if seen.error or seen.aside or seen.inferred:
        note(record, call, seen.error or seen.aside or NO_KERNEL)
    elif call.outcome.refused.code.endswith("/dtype") and not without_elements(call, seen):
        record.setdefault("taken", []).append(f"{shown(call)}: {call.outcome.refused.message}"[:300])


def without_elements(call: calls.GeneratedCall, seen: Observed) -> bool:
    """Whether an argument, or what came out, has no elements."""
    return any(tensor.shape.numel == 0 for tensor in tensors([call.args, call.kwargs])) or (isinstance(seen.outputs, Seen) and 0 in (seen.outputs[0] or ()))


def unread(record: dict[str, Any], call: calls.GeneratedCall, outputs: Any) -> None:
    """Results that cannot be read: the library fails when a graph is run, or their numbers are complex."""
    for one in outputs if isinstance(outputs, (tuple, list)) and not isinstance(outputs, Seen) else (outputs,):
        if isinstance(one, Seen):
            try:
                if one.array().dtype.kind == "c":
                    note(record, call, COMPLEX)
            except Exception as error:
                note(record, call, f"{type(error).__name__}: {error}")


def why_few(record: dict[str, Any]) -> str:
    """Why an operator has few boxes in a type, by what was seen."""
    refused = record.get("refused", {})
    if refused:
        text = max(refused, key=refused.get)
        return f"refused {sum(refused.values())} times: {text}"
    if record.get("without") and not record.get("boxes"):
        return "no tensor of the type goes in or comes out"
    return ""
