"""torch.distributions: batch and event shapes, and the shapes of samples and of log-probabilities."""

from __future__ import annotations

import ast
from functools import partial
from math import inf
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, bind, signatures
from tensorproof.libraries.domains import autograd, bounds, index_limits, matrices
from tensorproof.libraries.domains.value_ranges import judge
from tensorproof.libraries.results.facts import facts
from tensorproof.terms import BY_LABEL, DType, Shape, TensorType, Term, Truth, broadcast, conj, disj, eq
from tensorproof.values import MISSING, Args, Choice, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

BATCH: Key[Shape] = slot("batch")
EVENT: Key[Shape] = slot("event")
DTYPE: Key[DType | None] = slot("dtype")
HELD: Key[tuple[TensorType, ...]] = slot("held")
"""The tensors that a distribution has as parameters, which gradients go back to."""
HOME = "torch.distributions."
FLOAT, WHOLE = BY_LABEL["float32"], BY_LABEL["int64"]
_SAID = {name: said.split() for name, said in facts("torch/distributions").items()}
_SCALAR, _VECTOR = (tuple(name for name, said in _SAID.items() if said[0] == form) for form in ("number", "vector"))
_POSITIVE = frozenset(["scale", "rate", "concentration", "concentration0", "concentration1", "df", "df1", "df2", "temperature", "alpha", "cov_diag"])
"""Parameters that must be positive."""


def _checked(m: Machine, name: str, found: dict[str, Any], off: bool, node: ast.AST) -> None:
    """What a distribution demands of its parameters, unless `validate_args=False` is said."""
    if off:
        return
    for word, value in found.items():
        if word in _POSITIVE or word == "probs":
            most = 1.0 if word == "probs" and "probs" in _SAID.get(name, ()) else inf
            judge(m, value, word, 0.0, most, node, "distribution/range", "ValueError", HOME + name, word != "probs")
    if name == "MultivariateNormal":
        for word in ("covariance_matrix", "precision_matrix"):
            matrices.demand(m, found.get(word), True, node, HOME + name, "distribution/definite", "ValueError")
    if name == "Uniform":
        low, high = bounds.of(found.get("low")), bounds.of(found.get("high"))
        if low is not None and high is not None and low[0] >= high[1]:
            raise m.raised("ValueError", f"Uniform needs a low below its high, and has {low[0]:g} and {high[1]:g}", node, "distribution/range")
        if low is not None and high is not None and low[1] >= high[0]:
            m.gap(HOME + name, node, "whether low is below high is not known")


def _common(m: Machine, shapes: list[Shape], what: str, node: ast.AST) -> Shape:
    def need(truth: Any, a: Value, b: Value) -> None:
        m.require("distribution/broadcast", truth, f"{what} do not fit together: {' and '.join(map(repr, shapes))}", node)

    return broadcast(shapes, need)


def _shape(value: Value) -> Shape | None:
    if isinstance(value, TensorType):
        return value.shape if value.shape.known else None
    return Shape(()) if isinstance(value, (int, float, Term)) else None


def _made(m: Machine, kind: str, batch: Any, event: Any, dtype: Value, held: Any, **more: Value) -> Model:
    tensors = tuple(autograd.each(tuple(held)))
    return Model(HOME + kind, m.heap.space({"batch": Shape(batch), "event": Shape(event), "dtype": dtype, "held": tensors, **more}))


def _held(me: Model) -> list[TensorType]:
    held: tuple[TensorType, ...] = me.space[HELD]
    return list(held)


def _from(m: Machine, me: Model, word: str, result: TensorType, node: ast.AST, *more: Value, sure: bool = True) -> Value:
    """What is computed from the parameters of a distribution."""
    return autograd.computed(m, word, result, [*_held(me), *autograd.each(more)], [], True if sure else None, node, sure)


def _type(values: list[Value]) -> Value:
    return next((v.dtype for v in values if isinstance(v, TensorType) and v.dtype is not None and v.dtype.is_float), FLOAT)


def _given(m: Machine, name: str, args: Args, kwargs: Kwargs, node: ast.AST) -> tuple[dict[str, Value], bool]:
    """The parameters of a distribution, and whether they are unchecked."""
    found = {k: v for k, v in bind(m, HOME + name, args, kwargs, node).all().items() if v is not None}
    unchecked = found.pop("validate_args", None) is False
    sure = not any(isinstance(found.get(word), Unknown) for word in ("probs", "logits"))
    if "probs" in signatures.names(HOME + name) and sure and ("probs" in found) == ("logits" in found):
        raise m.raised("ValueError", f"{name} takes either probs or logits", node, "distribution/arguments")
    return found, unchecked


def _scalar(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found, unchecked = _given(m, name, args, kwargs, node)
    _checked(m, name, found, unchecked, node)
    picked = next(((k, v) for k, v in found.items() if isinstance(v, Choice)), None)
    if picked is not None:
        key, value = picked
        then, other = {**found, key: value.then}, {**found, key: value.other}
        return m.branching.choose(value.condition, lambda: _scalar(name, m, (), then, node), lambda: _scalar(name, m, (), other, node))
    values = [v for k, v in found.items() if k != "temperature"]
    shapes = [_shape(v) for v in values]
    if any(s is None for s in shapes):
        return m.gap(HOME + name, node, "a parameter is not known")
    batch = _common(m, [s for s in shapes if s is not None], f"the parameters of {name}", node)
    ends = [bounds.of(found.get(word)) for word in ("low", "high")] if name == "Uniform" else [None]
    sure = None if any(end is None or end[0] != end[1] for end in ends) else tuple(end[0] for end in ends if end is not None)
    return _made(m, name, batch, (), _type(values), values, ends=sure, unchecked=unchecked)


def _vector(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found, unchecked = _given(m, name, args, kwargs, node)
    _checked(m, name, found, unchecked, node)
    values = [v for k, v in found.items() if k not in ("temperature", "total_count")]
    shape = _shape(values[0]) if values else None
    if shape is None:
        return m.gap(HOME + name, node, "a parameter is not known")
    if len(shape) < 1:
        raise m.raised("ValueError", f"the parameter of {name} needs at least one axis", node, "distribution/arguments")
    batch, event = Shape(shape[:-1]), Shape(shape[-1:])
    fits: Truth = True
    for other in values[1:]:
        theirs = _shape(other)
        if name == "MultivariateNormal" and theirs is not None:
            if len(theirs) < 2:
                raise m.raised("ValueError", f"{name} needs a matrix, this has shape {theirs!r}", node, "distribution/arguments")
            m.require("distribution/broadcast", eq(theirs[-1], theirs[-2]), f"{name} needs square matrices, this has shape {theirs!r}", node)
            fits = conj(fits, disj(eq(theirs[-1], event[0]), eq(event[0], 1)))
            batch, event = _common(m, [batch, Shape(theirs[:-2])], f"the parameters of {name}", node), Shape(theirs[-1:])
    if name == "Categorical":
        return _made(m, name, batch, (), WHOLE, values, classes=event[0], unchecked=unchecked)
    return _made(m, name, batch, event, _type(values), values, fits=fits)


def _independent(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    base, count = args[0] if args else kwargs.get("base_distribution"), args[1] if len(args) > 1 else kwargs.get("reinterpreted_batch_ndims")
    if not isinstance(base, Model) or not isinstance(count, int):
        return m.gap(HOME + "Independent", node, "the distribution is not known")
    batch = base.space[BATCH]
    if count > len(batch):
        raise m.raised("ValueError", f"Independent takes {count} axes of a batch shape {batch!r}", node, "distribution/arguments")
    cut = len(batch) - count
    return _made(m, "Independent", batch[:cut], (*batch[cut:], *base.space[EVENT]), base.space[DTYPE], base.space[HELD], base_dist=base)


def _transformed(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    base = args[0] if args else kwargs.get("base_distribution")
    if not isinstance(base, Model):
        return m.gap(HOME + "TransformedDistribution", node, "the distribution is not known")
    return _made(m, "TransformedDistribution", base.space[BATCH], base.space[EVENT], base.space[DTYPE], base.space[HELD], base_dist=base)


def _mixture(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    parts = args[1] if len(args) > 1 else kwargs.get("component_distribution")
    if not isinstance(parts, Model) or not parts.space[BATCH]:
        return m.gap(HOME + "MixtureSameFamily", node, "the distribution is not known")
    mixing = args[0] if args else kwargs.get("mixture_distribution")
    held = (*parts.space[HELD], *(mixing.space[HELD] if isinstance(mixing, Model) else ()))
    return _made(m, "MixtureSameFamily", parts.space[BATCH][:-1], parts.space[EVENT], parts.space[DTYPE], held)


def _divergence(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    p, q = (args[i] if len(args) > i else kwargs.get("pq"[i]) for i in range(2))
    if not isinstance(p, Model) or not isinstance(q, Model):
        return m.gap(HOME + "kl_divergence", node, "a distribution is not known")
    if len(p.space[EVENT]) != len(q.space[EVENT]):
        raise m.raised("ValueError", f"events of {p.space[EVENT]!r} and {q.space[EVENT]!r} have no divergence", node, "distribution/event")
    if p.kind != q.kind:
        m.gap(HOME + "kl_divergence", node, "whether torch implements it for two kinds of distributions is not known")
    shape = _common(m, [p.space[BATCH], q.space[BATCH]], "the batch shapes of two distributions", node)
    return _from(m, p, "kl_divergence", TensorType(shape, FLOAT if p.space[DTYPE] is WHOLE else p.space[DTYPE]), node, q.space[HELD])


_NOT_REPARAMETERIZED = frozenset(
    ["Poisson", "VonMises", "Bernoulli", "Geometric", "Binomial", "NegativeBinomial", "Categorical", "OneHotCategorical", "Multinomial", "MixtureSameFamily"]
)
"""Distributions whose samples are no function of their parameters that has a gradient."""


def _reparameterized(me: Model) -> bool:
    base = me.space.get("base_dist")
    return _reparameterized(base) if isinstance(base, Model) else me.kind.rpartition(".")[2] not in _NOT_REPARAMETERIZED


def _rsample(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A sample as a function of the parameters."""
    if not _reparameterized(me):
        raise m.raised("NotImplementedError", f"{me.kind.rpartition('.')[2]} has no rsample: take sample, and the log_prob of it", node)
    made = _shaped_sample(m, me, args, kwargs, node)  # whether its graph saves anything depends on which parameters require a gradient
    return autograd.computed(m, "rsample", made, _held(me), [], None, node) if isinstance(made, TensorType) else made


def _sample(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A sample without a graph."""
    made = _shaped_sample(m, me, args, kwargs, node)
    return autograd.computed(m, "sample", made, [], [], False, node) if isinstance(made, TensorType) else made


def _whole(me: Model) -> tuple[Value, ...]:
    return (*me.space[BATCH], *me.space[EVENT])


def _demand_fit(m: Machine, me: Model, node: ast.AST) -> None:
    fits: Any = me.space.get("fits", True)
    m.demand("RuntimeError", fits, "the loc and the matrix of the distribution do not fit", node, "distribution/broadcast")


def _shaped_sample(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    _demand_fit(m, me, node)
    given = args[0] if args else kwargs.get("sample_shape", ())
    extra = m.iterate(given, node) if isinstance(given, (tuple, List)) else None
    if extra is None:
        if isinstance(given, int):
            raise m.raised("TypeError", "sample takes a tuple of sizes, not a number", node, "call/arguments")
        return m.gap("sample", node, "the sample shape is not known")
    made = TensorType(Shape((*extra, *_whole(me))), me.space[DTYPE])
    classes = me.space.get("classes")
    if isinstance(classes, (int, Term)):
        index_limits.note(m, made, (0, classes), possible=True)
    return made


def _log_prob(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = args[0] if args else kwargs.get("value")
    if isinstance(value, Choice):
        return m.branching.choose(value.condition, lambda: _log_prob(m, me, (value.then,), {}, node), lambda: _log_prob(m, me, (value.other,), {}, node))
    if isinstance(value, (int, float)):
        raise m.raised("ValueError", "log_prob takes a tensor, not a number", node, "distribution/value")
    if not isinstance(value, TensorType) or not value.shape.known:
        return m.gap("log_prob", node, "the value is not known")
    _demand_fit(m, me, node)
    _supported(m, me, value, node)
    shape = _common(m, [value.shape, Shape(_whole(me))], "a value and a distribution's batch and event", node)
    made = TensorType(Shape(shape[: len(shape) - len(me.space[EVENT])]), FLOAT if me.space[DTYPE] is WHOLE else me.space[DTYPE])
    smooth = me.kind != HOME + "Uniform" or autograd.of(m, value).requires is False
    return _from(m, me, "log_prob", made, node, value, sure=smooth)


def _supported(m: Machine, me: Model, value: TensorType, node: ast.AST) -> None:
    """A value whose probability is asked for must be one that can be drawn."""
    name = me.kind.rpartition(".")[2]
    if me.space.get("unchecked"):
        return
    classes, ends = me.space.get("classes"), me.space.get("ends")
    if name == "Categorical" and isinstance(classes, int):
        low, high, whole = 0.0, classes - 1.0, True
    elif name == "Uniform" and isinstance(ends, tuple):
        (low, high), whole = ends, False
    elif ends_of := [float(word) for word in _SAID.get(name, ()) if word[0].isdigit() or word == "inf"]:
        (low, high), whole = ends_of, "whole" in _SAID[name]
    else:
        return
    fits = judge(m, value, "the value", low, high, node, "distribution/support", "ValueError", me.kind + ".log_prob")
    found = bounds.of(value)
    if fits and whole and found is not None and value.dtype is not None and value.dtype.is_float and not _are_whole(value):
        if value.facts is not None and value.facts.drawn is not None:
            raise m.raised("ValueError", f"the values of {name} are whole numbers, and these were drawn from an interval", node, "distribution/support")
        m.gap(me.kind + ".log_prob", node, "whether the values are whole numbers is not known")


def _are_whole(value: TensorType) -> bool:
    if value.contents is not None:
        return all(isinstance(v, (int, Term)) or (isinstance(v, float) and v.is_integer()) for v in value.contents)
    return value.facts is not None and (value.facts.span is not None or value.facts.limit is not None or value.facts.whole)


def _entropy(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _from(m, me, "entropy", TensorType(me.space[BATCH], FLOAT if me.space[DTYPE] is WHOLE else me.space[DTYPE]), node)


def _expand(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    sizes = m.iterate(args[0], node)
    return m.gap("expand", node) if sizes is None else Model(me.kind, m.heap.space({**me.space, "batch": Shape(sizes)}))


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Any:
    floats = FLOAT if me.space[DTYPE] is WHOLE else me.space[DTYPE]
    if name in ("mean", "variance", "stddev", "mode", "loc", "scale"):
        return _from(m, me, name, TensorType(Shape(_whole(me)), floats), node, sure=False)
    if name in ("probs", "logits"):
        made = TensorType(Shape((*_whole(me), me.space["classes"]) if "classes" in me.space else _whole(me)), floats)
        return autograd.computed(m, name, made, _held(me), [], None, node, len(me.space[HELD]) == 1)
    if name in ("batch_shape", "event_shape"):
        sizes = me.space[BATCH if name == "batch_shape" else EVENT]
        return tuple(sizes)
    if name in ("has_rsample", "support", "arg_constraints"):
        return Unknown(name)
    if name in ("low", "high", "rate", "concentration", "covariance_matrix") and name != "covariance_matrix":
        return _from(m, me, name, TensorType(Shape(_whole(me)), floats), node, sure=False)
    return MISSING


METHODS: dict[str, Any] = {
    "sample": _sample, "rsample": _rsample,
    "sample_n": lambda m, me, a, k, n: TensorType(Shape((a[0], *_whole(me))), me.space[DTYPE]),
    "log_prob": _log_prob, "entropy": _entropy, "perplexity": _entropy, "cdf": _log_prob,
    "icdf": _log_prob, "expand": _expand,
}  # fmt: skip
_FREE = ("Independent", "TransformedDistribution", "MixtureSameFamily")
FUNCTIONS: dict[str, Run] = {
    **{HOME + n: partial(_scalar, n) for n in _SCALAR}, **{HOME + n: partial(_vector, n) for n in _VECTOR},
    HOME + "Independent": _independent, HOME + "TransformedDistribution": _transformed, HOME + "MixtureSameFamily": _mixture,
    HOME + "kl_divergence": _divergence, HOME + "kl.kl_divergence": _divergence, HOME + "independent.Independent": _independent,
}  # fmt: skip
FUNCTIONS |= {f"{HOME}{n.lower()}.{n}": FUNCTIONS[HOME + n] for n in (*_SCALAR, *_VECTOR)}
FUNCTIONS |= {HOME + f"multivariate_normal.{n}": FUNCTIONS[HOME + n] for n in ("MultivariateNormal",)}
for _transform in ("AffineTransform", "ExpTransform", "SigmoidTransform", "TanhTransform", "ComposeTransform", "StickBreakingTransform"):
    FUNCTIONS[HOME + _transform] = FUNCTIONS[f"{HOME}transforms.{_transform}"] = lambda m, a, k, n: Model("object", m.heap.space())
KINDS = {HOME + n: KindModel(METHODS, _attribute, bases=(HOME + "Distribution", HOME + "distribution.Distribution")) for n in (*_SCALAR, *_VECTOR, *_FREE)}
CLASSES = {HOME + "Distribution": ClassModel(HOME + "Distribution", closed=False)}
