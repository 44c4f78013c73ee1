"""Keras's attention, composed of products, masks and a softmax; what must fit is checked first."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.layers import computed
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Module, Run, Value, computed_in, module_in, tensor_in
from tensorproof.terms import BOOL, FLOAT16, Shape, TensorType, broadcast, disj, eq


def attention(a: dict[str, Any], run: Run) -> Value:
    xs = tuple(a["xs"])
    if len(xs) not in (2, 3):
        raise run.refuse("dot_attention/inputs", f"query, value and perhaps key are wanted, and {len(xs)} inputs are given", ("xs",))
    score = a.get("score", "concat")
    query, value, key = xs[0], xs[1], xs[2] if len(xs) == 3 else xs[1]
    _fit(run, query, value, key, score)
    held = {n: computed(a, run, t) for n, t in module_in(a).parameters.items()}
    m = Steps(run, computed_in(module_in(a)))
    with m.settled():
        scores = _scores(m, query, key, score, held)
        weights = m("softmax", _masked(m, scores, a.get("mask"), a.get("use_causal_mask")), dim=-1)
        made = m("matmul", weights, value)
        own = _of_query(a.get("mask"))
        if own is not None:
            made = run.typed("where", m.dtype, condition=run("unsqueeze", x=own, dim=-1), x=made, y=0)
    return (made, weights) if a.get("return_scores") else made


def _fit(run: Run, query: TensorType, value: TensorType, key: TensorType, score: str) -> None:
    if any(not t.shape.known or len(t.shape) < 2 for t in (query, value, key)):
        raise run.give_up("a query, value or key without steps")

    def together(code: str, about: tuple[str, ...], *shapes: Shape) -> Shape:
        def stated(holds: Value, n: Value, m: Value) -> None:
            run.require(f"dot_attention/{code}", holds, f"sizes {n!r} and {m!r} do not broadcast: they must be equal, or one of them 1", about)

        return broadcast(list(shapes), stated)

    lead = together("batch", ("query", "key"), Shape(query.shape[:-2]), Shape(key.shape[:-2]))
    if score == "dot":
        n, k = query.shape[-1], key.shape[-1]
        run.require("dot_attention/features", eq(n, k), f"query has {n!r} features and key {k!r}", ("query", "key"))
    else:
        together("features", ("query", "key"), Shape(query.shape[-1:]), Shape(key.shape[-1:]))
    n, k = key.shape[-2], value.shape[-2]
    run.require("dot_attention/length", eq(n, k), f"key has {n!r} steps and value {k!r}", ("key", "value"))
    together("batch", ("query", "value"), lead, Shape(value.shape[:-2]))


def _scores(m: Steps, query: TensorType, key: TensorType, score: str, held: dict[str, TensorType]) -> TensorType:
    run, scale = m.run, held.get("scale")
    if score == "dot":
        made: TensorType = m("matmul", query, run("transpose", x=key, dim0=-2, dim1=-1))
        return made if scale is None else m("mul", made, scale)
    both = m("add", run("unsqueeze", x=query, dim=-2), run("unsqueeze", x=key, dim=-3))
    weight = held.get("concat_score_weight")
    if weight is None:  # the additive layer weighs the features
        curve = m("tanh", both)
        return m("sum", curve if scale is None else m("mul", curve, scale), dim=-1)
    curve = m("tanh", both if scale is None else m("mul", both, scale))
    return m("mul", m("sum", curve, dim=-1), weight)


def _of_query(mask: Value) -> TensorType | None:
    return mask[0] if isinstance(mask, (tuple, list)) and mask and isinstance(mask[0], TensorType) else None


def _masked(m: Steps, scores: TensorType, mask: Value, causal: Value) -> TensorType:
    """Scores far below the others where a value does not count."""
    run = m.run
    values = mask[1] if isinstance(mask, (tuple, list)) and len(mask) > 1 and isinstance(mask[1], TensorType) else None
    kept = None if values is None else run("unsqueeze", x=values, dim=-2) if len(values.shape) == 2 else values
    if causal is True:
        order = run.typed("tril", BOOL, x=run("full", size=tuple(scores.shape[-2:]), value=1, dtype=BOOL))
        kept = order if kept is None else run.typed("logical_and", BOOL, x=kept, y=order)
    if kept is None:
        return scores
    low = m("sub", scores, 65504.0 if m.dtype is FLOAT16 else 1e9)
    return run.typed("where", m.dtype, condition=kept, x=scores, y=low)


def _along_time(axes: Value) -> bool:
    """Whether attention is along the axis between the batch and the features, as it is where no axes are given."""
    return axes is None or (tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)) in ((1,), (-2,))


def multi_head(a: dict[str, Any], run: Run) -> Any:
    module = module_in(a)
    query, value = tensor_in(a, "query"), tensor_in(a, "value")
    key = value if a["key"] is None else a["key"]
    if not _along_time(a.get("attention_axes")):
        raise run.give_up("attention_axes is not modelled")
    _heads_fit(run, module, query, key, value)
    held = {n: computed(a, run, t) for n, t in module.parameters.items()}
    m = Steps(run, computed_in(module))
    width = held["query/kernel"].shape[-1]
    scores_shape = Shape((query.shape[0], held["query/kernel"].shape[1], query.shape[1], key.shape[1]))
    _mask_fits(a, run, scores_shape)
    with m.settled():
        mask = _mask(a, run, scores_shape)
        q, k, v = (_projected(m, x, held, name) for name, x in (("query", query), ("key", key), ("value", value)))
        repeats = q.shape[2] // k.shape[2] if k.shape[2] != q.shape[2] else 1
        if repeats != 1:  # a head of key and value serves several of the query
            k, v = (run("repeat_axes", x=t, factors=(1, 1, repeats, 1)) for t in (k, v))
        q, k, v = (run("permute", x=t, dim=(0, 2, 1, 3)) for t in (q, k, v))
        share = width**-0.5 if isinstance(width, int) else run.typed("rsqrt", m.dtype, x=width)
        scores = m("matmul", m("mul", q, share), run("transpose", x=k, dim0=-2, dim1=-1))
        weights = _weights(m, scores, mask, bool(a.get("return_scores") or a.get("dropout")))
        made = run("permute", x=m("matmul", weights, v), dim=(0, 2, 1, 3))
        if "gate/kernel" in held:
            made = m("mul", made, m("sigmoid", _projected(m, query, held, "gate")))
        made = run.typed("tensordot", m.dtype, x=made, y=held["attention_output/kernel"], dim=(2, 3), dim2=(0, 1))
        if "attention_output/bias" in held:
            made = m("add", made, held["attention_output/bias"])
    return (made, weights) if a.get("return_scores") else made


def _projected(m: Steps, x: TensorType, held: dict[str, TensorType], name: str) -> TensorType:
    """(batch, steps, features) to (batch, steps, heads, width)."""
    made = m.run.typed("tensordot", m.dtype, x=x, y=held[f"{name}/kernel"], dim=(2,), dim2=(0,))
    bias = held.get(f"{name}/bias")
    return made if bias is None else m("add", made, bias)


def _weights(m: Steps, scores: TensorType, mask: TensorType | None, clear: bool) -> TensorType:
    """A softmax of the scores; `clear`: a row without any place that counts is 0, and not even."""
    if mask is None:
        return m("softmax", scores, dim=-1)
    run = m.run
    low = run.typed("where", m.dtype, condition=mask, x=scores, y=-3e4 if m.dtype is FLOAT16 else -1e9)
    made = m("softmax", low, dim=-1)
    return run.typed("where", m.dtype, condition=mask, x=made, y=0) if clear else made


def _heads_fit(run: Run, module: Module, query: TensorType, key: TensorType, value: TensorType) -> None:
    code = "dot_attention/"
    for name, x in (("query", query), ("key", key), ("value", value)):
        kernel = module.parameters[f"{name}/kernel"]
        message = f"the layer was made for {kernel.shape[0]!r} features of {name} and it has {x.shape[-1]!r}"
        run.require(code + "features", eq(x.shape[-1], kernel.shape[0]), message, (name,))
    if not len(query.shape) == len(value.shape) == len(key.shape) == 3:
        if len(query.shape) < 3 or len(value.shape) < 3 or len(key.shape) < 3:
            message = f"query, value and key have a batch axis, steps and features, and are {query.shape!r}, {value.shape!r} and {key.shape!r}"
            raise run.refuse(code + "rank", message, ("query",))
        raise run.give_up("attention over more than one axis is not modelled")
    for word, i, about in (("batch", 0, "query"), ("length", 1, "value")):
        other = value if i else query
        message = f"axis {i} of key is {key.shape[i]!r} and of {about} {other.shape[i]!r}"
        run.require(code + word, eq(key.shape[i], other.shape[i]), message, ("key", about))
    message = f"the batches of query and value have {query.shape[0]!r} and {value.shape[0]!r} elements"
    run.require(code + "batch", eq(value.shape[0], query.shape[0]), message, ("query", "value"))


def _of_steps(a: dict[str, Value], run: Run) -> list[TensorType]:
    """The masks of the steps as (batch, targets, 1) and (batch, 1, sources)."""
    made: list[TensorType] = []
    for name, axis in (("query_mask", -1), ("value_mask", -2), ("key_mask", -2)):
        mask = a.get(name)
        if isinstance(mask, TensorType) and mask.shape.known and len(mask.shape) == 2:
            made.append(run("unsqueeze", x=mask, dim=axis))
    return made


def _mask_fits(a: dict[str, Value], run: Run, scores: Shape) -> None:
    """The masks must broadcast against each other and then against the scores (batch, heads, targets, sources)."""
    found: list[Shape] = []
    given = a.get("attention_mask")
    if isinstance(given, TensorType) and given.shape.known:
        found.append(given.shape)
    for name, lead in (("query_mask", True), ("value_mask", False), ("key_mask", False)):
        mask = a.get(name)
        if isinstance(mask, TensorType) and mask.shape.known and len(mask.shape) == 2:
            found.append(Shape((mask.shape[0], mask.shape[1], 1) if lead else (mask.shape[0], 1, mask.shape[1])))
    if a.get("use_causal_mask"):
        found.append(Shape((1, scores[2], scores[3])))
    if not found:
        return

    def stated(holds: Value, n: Value, m: Value) -> None:
        message = f"sizes {n!r} and {m!r} of masks do not broadcast: they must be equal, or one of them 1"
        run.require("dot_attention/mask", holds, message, ("attention_mask",))

    whole = broadcast(found, stated)
    if len(whole) > 4:
        raise run.refuse("dot_attention/mask", f"a mask {whole!r} does not fit scores {scores!r}", ("attention_mask",))
    while len(whole) < 4:
        whole = Shape((*whole[:-2], 1, *whole[-2:])) if len(whole) >= 2 else Shape((1, *whole))
    for got, want in zip(whole, scores):
        fits = disj(eq(got, want), eq(got, 1), eq(want, 1))
        message = f"a mask {found[0]!r} does not fit the scores {scores!r} of {scores[2]!r} by {scores[3]!r} steps"
        run.require("dot_attention/mask", fits, message, ("attention_mask",))


def _mask(a: dict[str, Value], run: Run, scores: Shape) -> TensorType | None:
    given = a.get("attention_mask")
    found = [given] if isinstance(given, TensorType) and given.shape.known else []
    found += _of_steps(a, run)
    if a.get("use_causal_mask") is True:
        found.append(run.typed("tril", BOOL, x=run("full", size=(1, scores[2], scores[3]), value=1, dtype=BOOL)))
    if not found:
        return None
    whole = found[0] if found[0].dtype is BOOL else run("cast", x=found[0], dtype=BOOL)
    for one in found[1:]:
        whole = run.typed("logical_and", BOOL, x=whole, y=one)
    while 2 <= len(whole.shape) < 4:
        whole = run("unsqueeze", x=whole, dim=-3)
    return whole


def grouped(a: dict[str, Value], run: Run) -> Value:
    """As multi-head attention; every head of key and value serves several of the query."""
    n, k = tensor_in(a, "query").shape[-1], tensor_in(a, "value").shape[-1]
    run.require("dot_attention/features", eq(n, k), f"query has {n!r} features and value {k!r}", ("query", "value"))
    return multi_head(a, run)
