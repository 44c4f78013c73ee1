"""How torch spells losses: reductions as words, as numbers and by two retired flags; lengths as lists; class weights as buffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.bindings.adapters import GiveUp, Module, Refused, Requirement, Session, Value, takes, taking, tensor_in
from tensorproof.bindings.call import Run, call_module
from tensorproof.catalogue.networks.loss import ANY_NUMBER
from tensorproof.ops.inputs import Choice, Tensor, is_size
from tensorproof.terms import Dim, Operand, Shape, TensorType, Truth, broadcast, conj, dataclass, eq, negate, product, promote
from tensorproof.terms.dtypes import FLOAT32, INDEX, INT64, INTS, DType

WORDS = ("none", "mean", "sum")


def worded(a: dict[str, Value]) -> dict[str, Any]:
    """The reduction as a word."""
    average, reduce, given = a.get("size_average"), a.get("reduce"), a.get("reduction")
    if average is not None or reduce is not None:
        keep, mean = reduce is not False, average is not False
        given = ("mean" if mean else "sum") if keep else "none"
    elif isinstance(given, int):
        if not 0 <= given < len(WORDS):
            raise GiveUp(f"a reduction of {given} is not defined, though torch takes it")
        given = WORDS[given]
    return {**a, "reduction": given}


def legacy(a: dict[str, Value], run: Run) -> Value:
    return run.default(worded(a))


NUMBERED = Choice("reduction", (0, 1, 2))


numbered = taking(legacy, NUMBERED)


def numbered_bce(a: dict[str, Value], run: Run) -> Value:
    """ATen leaves it to its kernel to fit the target to x, which broadcasts."""
    x, target = tensor_in(a, "x").shape, tensor_in(a, "target").shape
    if x.concrete and target.concrete and x != target and all(p == q or 1 in (p, q) for p, q in zip(reversed(target), reversed(x))):
        raise run.give_up("what ATen makes of a target that broadcasts with the input")
    return run.default(worded(a))


def expanded(a: dict[str, Value], run: Run) -> Value:
    """These expand both tensors first, so that a scalar counts as a full tensor in type promotion."""
    x, target = tensor_in(a, "x").shape, tensor_in(a, "target").shape
    if x.known and target.known:
        if not len(target) and len(x):
            a["target"] = run("expand", x=a["target"], size=(1,) * len(x))
        elif not len(x) and len(target) and a.get("weight") is None:
            a["x"] = run("expand", x=a["x"], size=(1,) * len(target))
    return run.default(worded(a))


def smooth_l1(a: dict[str, Value], run: Run) -> Value:
    """With beta = 0 it is the absolute error, which takes other element types."""
    if a.get("beta") != 0:
        return expanded(a, run)
    a = worded(a)
    return run("l1_loss", x=a["x"], target=a["target"], reduction=a["reduction"])


def equal_sizes(run: Run, x: TensorType, target: TensorType) -> None:
    if x.shape.known and target.shape.known:
        message = f"target must have the shape {x.shape!r} of x, and has {target.shape!r}"
        run.require("target", len(x.shape) == len(target.shape), message, ("target", "x"))
        run.require("target", conj(*(eq(m, n) for m, n in zip(x.shape, target.shape))), message, ("target", "x"))


def with_logits(a: dict[str, Value], run: Run) -> Value:
    equal_sizes(run, tensor_in(a, "x"), tensor_in(a, "target"))
    return legacy(a, run)


def gaussian(a: dict[str, Value], run: Run) -> Value:
    var = a["var"]
    if not isinstance(var, TensorType):
        if not isinstance(var, float) or var < 0:
            raise run.refuse("var", f"var must be a tensor or a float that is not negative, and is {var!r}", ("var",))
        dtype = tensor_in(a, "x").dtype
        kept = dtype is not None and (dtype.is_float or dtype.is_complex)
        a["var"] = TensorType(tensor_in(a, "x").shape, dtype if kept else FLOAT32)
    elif any(isinstance(v, (int, float)) and v < 0 for v in var.contents or ()):
        raise run.refuse("var", "var holds a negative number", ("var",))
    return run.default(worded(a))


def ranking(a: dict[str, Any], run: Run) -> Value:
    shapes = [a[n].shape for n in ("x", "y", "target")]
    if all(s.known for s in shapes):
        shown = ", ".join(map(repr, shapes))
        run.require("rank", len({len(s) for s in shapes}) == 1, f"the three tensors must have the same rank: they are {shown}", ("x", "y", "target"))
    return legacy(a, run)


def triplet(a: dict[str, Any], run: Run) -> Value:
    margin = a["margin"]
    run.require("margin", not isinstance(margin, (int, float)) or margin > 0, f"margin must be positive, and is {margin!r}", ("margin",))
    if a.get("distance_function") is None:
        return legacy(a, run)
    ranks = {len(a[n].shape) for n in ("anchor", "positive", "negative")}
    run.require("rank", len(ranks) == 1, "anchor, positive and negative must have the same number of dimensions", ("anchor", "positive", "negative"))
    if not isinstance(a["distance_function"], Module):
        raise run.give_up("what distance_function makes is not known")
    return _by_distance(a, run)


def _by_distance(a: dict[str, Any], run: Run) -> TensorType:
    """The triplet loss with a distance that is a layer."""
    pairs = [("anchor", "positive"), ("anchor", "negative"), *([("positive", "negative")] if a["swap"] else [])]
    made: list[TensorType] = []
    for one, other in pairs:
        outcome = call_module(a["distance_function"], (a[one], a[other]), {}, run.session)
        if outcome.refused is not None:
            raise Refused(outcome.refused)
        if not isinstance(outcome.outputs, TensorType):
            raise run.give_up(outcome.unknown or "distance_function makes no tensor")
        made.append(outcome.outputs)

    def stated(holds: Truth, m: Dim, n: Dim) -> None:
        run.require("broadcast", holds, f"the distances have sizes {m!r} and {n!r}, which do not broadcast", ("positive", "negative"))

    shape = broadcast([m.shape for m in made], stated)
    known = [Operand(m.dtype) for m in made if m.dtype is not None]
    dtype = promote("torch", known) if len(known) == len(made) else None
    run.require("reduction", a["reduction"] in WORDS, f"reduction must be one of {WORDS}, and is {a['reduction']!r}", ("reduction",))
    return TensorType(shape if a["reduction"] == "none" else Shape(), dtype)


@dataclass(frozen=True, slots=True)
class Lengths(Tensor):
    """A tensor of lengths, or a list of them."""

    def takes(self, value: Value) -> bool:
        return isinstance(value, TensorType) or (isinstance(value, (list, tuple)) and all(is_size(v) for v in value))


LENGTHS = (
    Tensor("target", "N S | S", ANY_NUMBER), Lengths("input_lengths", "N | ...", INTS, values="index:T"),
    Lengths("target_lengths", "N | ...", INTS, values="index:S"),
)  # fmt: skip


@takes(*LENGTHS)
def ctc(a: dict[str, Any], run: Run) -> Value:
    names = ("input_lengths", "target_lengths")
    alike = isinstance(a[names[0]], TensorType) == isinstance(a[names[1]], TensorType)
    run.require("lengths", alike, "input_lengths and target_lengths must be two tensors or two lists", names)
    for name in names:
        if not isinstance(a[name], TensorType):
            a[name] = TensorType(Shape((len(a[name]),)), INT64, contents=tuple(a[name]))
    return legacy(a, run)


ctc_forward = taking(ctc, Tensor("target", "N S | S", INDEX, values="index:C"), *LENGTHS[1:])
numbered_ctc = taking(ctc, *LENGTHS, NUMBERED)


def linear_cross_entropy(a: dict[str, Any], run: Run) -> TensorType:
    """Cross entropy of a linear map of x; the classes are the first axis of its weight."""
    x, weight, bias, target = tensor_in(a, "x"), tensor_in(a, "linear_weight"), a.get("linear_bias"), tensor_in(a, "target")
    xs, ws = x.shape, weight.shape
    if not (xs.known and ws.known and target.shape.known and (bias is None or bias.shape.known)):
        raise run.give_up("the rank of an input is not known")
    run.require("rank", len(xs) in (1, 2), f"x must have rank 1 or 2, and is {xs!r}", ("x",))
    run.require("rank", len(ws) >= 2, f"linear_weight must have rank 2 or more, and is {ws!r}", ("linear_weight",))
    run.require("features", eq(xs[-1], ws[-1]), f"x has {xs[-1]!r} features and linear_weight takes {ws[-1]!r}", ("x", "linear_weight"))
    run.require("rank", len(ws) == 2 or len(xs) == 2, f"linear_weight {ws!r} makes several losses for each row, so x must have rows, and is {xs!r}", ("x",))
    outputs = ws[:-1]
    if bias is not None:
        message = f"linear_bias must have shape {Shape(outputs)!r}, and has {bias.shape!r}"
        run.require("bias", len(bias.shape) == len(outputs), message, ("linear_bias",))
        run.require("bias", conj(*(eq(m, n) for m, n in zip(bias.shape, outputs))), message, ("linear_bias",))
    count: Dim = product(outputs)
    flat = bias if bias is None or len(outputs) == 1 else run("reshape", x=bias, size=(count,))
    rows = weight if len(outputs) == 1 else run("reshape", x=weight, size=(count, ws[-1]))
    logits = run("linear", x=x, weight=rows, bias=flat)
    if len(outputs) > 1:
        logits = run("reshape", x=logits, size=(*xs[:-1], *outputs))
    ignored = a.get("ignore_index")
    if len(target.shape) == len(logits.shape) and ignored is not None:
        alike = conj(*(eq(m, n) for m, n in zip(target.shape, logits.shape)))
        run.require("ignore_index", negate(alike), "ignore_index has no meaning for class probabilities", ("ignore_index",))
    return run(
        "cross_entropy", x=logits, target=target, weight=a.get("class_weight"), reduction=a["reduction"], label_smoothing=a["label_smoothing"],
        ignore_index=-100 if ignored is None else ignored,
    )  # fmt: skip


def buffers(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """Weights given to the constructor are kept as buffers."""
    for name in ("weight", "pos_weight"):
        if isinstance(names.get(name), TensorType):
            module.buffers[name] = names[name]


def linear_cross_entropy_layer(module: Module, names: Mapping[str, Any], session: Session) -> None:
    classes, given = names["num_classes"], names.get("class_weight")
    dtype = names["dtype"] if isinstance(names.get("dtype"), DType) else FLOAT32
    outputs = product((classes, *names["out_features"]))
    if given is not None:
        if len(given.shape) != 1 or eq(given.shape[0], classes) is False:
            raise Refused(Requirement("cross_entropy/weight", False, f"weight must have shape ({classes!r},), and has {given.shape!r}", ("weight",)))
        module.buffers["weight"] = given
    module.parameters["linear.weight"] = TensorType(Shape((outputs, names["in_features"])), dtype, requires_grad=True)
    if names["bias"]:
        module.parameters["linear.bias"] = TensorType(Shape((outputs,)), dtype, requires_grad=True)


def linear_cross_entropy_call(a: dict[str, Any], run: Run) -> TensorType:
    outputs = (a["num_classes"], *a["out_features"])
    bias = a.get("linear.bias")
    a["linear_weight"] = tensor_in(a, "linear.weight").but(shape=Shape((*outputs, a["in_features"])))
    a["linear_bias"] = None if bias is None else bias.but(shape=Shape(outputs))
    return linear_cross_entropy(a, run)


def adaptive_layer(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """A head over the frequent classes and the clusters, and two maps for each cluster."""
    features, classes, cutoffs = names["features"], names["classes"], list(names["cutoffs"])
    ends: list[Dim] = [*cutoffs, classes]
    whole = all(isinstance(e, int) and not isinstance(e, bool) for e in cutoffs)
    known = [e for e in ends if isinstance(e, int)]
    rising = len(known) < len(ends) or (sorted(set(known)) == known and known[0] > 0)
    if not cutoffs or not whole or not rising:
        message = f"cutoffs must rise from above 0 to below {classes!r}, and are {cutoffs}"
        raise Refused(Requirement("adaptive_log_softmax_with_loss/cutoffs", False, message, ("cutoffs",)))
    dtype = names["dtype"] if isinstance(names.get("dtype"), DType) else FLOAT32

    def put(name: str, *shape: Dim) -> None:
        module.parameters[name] = TensorType(Shape(shape), dtype, requires_grad=True)

    put("head.weight", cutoffs[0] + len(cutoffs), features)
    if names["head_bias"]:
        put("head.bias", cutoffs[0] + len(cutoffs))
    for i in range(len(cutoffs)):
        hidden = features // names["div_value"] ** (i + 1)
        hidden = int(hidden) if isinstance(hidden, float) else hidden
        put(f"tail.{i}.0.weight", hidden, features)
        put(f"tail.{i}.1.weight", ends[i + 1] - ends[i], hidden)


def adaptive(a: dict[str, Any], run: Run) -> Value:
    tails = tuple(a[f"tail.{i}.{j}.weight"] for i in range(len(a["cutoffs"])) for j in (0, 1))
    return run.default({**a, "weight": a["head.weight"], "bias": a.get("head.bias"), "tails": tails})
