"""tf.GradientTape: a gradient has the shape of what it is taken by; tf.gradients and tf.hessians likewise."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import KindModel, argument, mapped, tensors_in
from tensorproof.libraries.tensorflow import histories, own_gradients
from tensorproof.libraries.tensorflow.histories import Token
from tensorproof.libraries.tensorflow.traced import TRACED
from tensorproof.terms import History, Shape, TensorType, Term, conj, eq
from tensorproof.values import Args, Dict, Instance, Iterator, Key, Kwargs, Layer, List, Machine, Model, Unknown, Value, slot

TOKEN: Key[Token] = slot("token")
WATCHED: Key[tuple[TensorType, ...]] = slot("watched")
AUTOMATIC: Key[bool] = slot("automatic")
_TAPE: Key[Model] = slot("tape")
TAPE = "tf.GradientTape"
STOPPED = "tf.GradientTape.stop_recording"


def _tape(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    persistent = argument(args, kwargs, 0, "persistent", False)
    automatic = argument(args, kwargs, 1, "watch_accessed_variables", True) is not False
    held = {"persistent": persistent, "used": False, "watched": (), "recording": None, "automatic": automatic, "token": Token(), "unsure": False}
    return Model(TAPE, m.heap.space(held))


def _watch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    given = argument(args, kwargs, 0, "tensor")
    found = tensors_in(given)
    if not found and isinstance(given, (int, float)):
        raise m.raised("ValueError", "only tensors can be watched", node, "tape/watch")
    if any(t.framework == "numpy" for t in found):
        raise m.raised("ValueError", "only tensors can be watched, this is an array", node, "tape/watch")
    for t in found:
        past = histories.of_variable(t) if t.parameter else t.history
        kept = () if past is None or past is histories.CONSTANT else (past,)
        if t.parameter and past is not None:
            histories.put(t, History(past.parents, past.tapes | {me.space[TOKEN].number}, past.unsure))
        elif t.dtype is None or t.dtype.kind in "fc":
            histories.put(t, History(kept, frozenset({me.space[TOKEN].number}) | (past.tapes if past is not None else frozenset())))
    m.heap.set(me.space, WATCHED, (*me.space[WATCHED], *found))


def _begin(m: Machine, me: Model, node: ast.AST) -> None:
    if me.space["used"] is True and me.space["persistent"] is False:
        raise m.raised("RuntimeError", "a tape that is not persistent gives gradients once", node, "tape/persistent")
    m.heap.set(me.space, "used", True)


def _connected(me: Model, source: TensorType) -> bool:
    """Whether a source may have a gradient: a constant that was not watched has none, nor have whole numbers."""
    if source.dtype is not None and source.dtype.kind not in "fc":
        return False
    return source.contents is None or any(source is w for w in me.space[WATCHED])


def _made_here(node: ast.AST, at: int, word: str, value: Value) -> bool:
    """Whether an argument is a tensor that its own expression makes: arithmetic, an index that only tensors take, a call of tf."""
    if not isinstance(node, ast.Call) or not isinstance(value, TensorType):
        return False
    said = node.args[at] if len(node.args) > at else next((k.value for k in node.keywords if k.arg == word), None)
    match said:
        case ast.BinOp() | ast.UnaryOp():
            return True
        case ast.Subscript(slice=part):
            parts = part.elts if isinstance(part, ast.Tuple) else [part]
            return any(isinstance(p, ast.Constant) and p.value in (None, ...) for p in parts) or (
                len(parts) > 1 and any(isinstance(p, ast.Slice) for p in parts)
            )
        case ast.Call(func=ast.Attribute(value=ast.Name(id="tf"), attr=name)):
            return name.islower()
        case _:
            return False


def _only(me: Model, target: Value, sources: Value) -> bool:
    """Whether all targets are variables, or watched, and no source is among them: nothing was computed, and target and sources may be swapped."""
    targets, found = tensors_in(target), tensors_in(sources)
    leaves = all(t.parameter or any(t is w for w in me.space[WATCHED]) for t in targets)
    return bool(targets) and bool(found) and leaves and not any(s is t or s.parameter for s in found for t in targets)


def _reached(me: Model, node: ast.AST, target: Value) -> bool:
    """Whether a tape has seen how its target was made: not what is made after it was left, and no gradient is taken of whole numbers."""
    if isinstance(target, TensorType) and target.dtype is not None and target.dtype.kind not in "fc":
        return False
    return me.space["recording"] is not False or not _made_here(node, 0, "target", target)


def gradient_of(t: TensorType) -> TensorType:
    return t.but(parameter=False, requires_grad=False, contents=None, framework="tf", history=None)


def _gives_zeros(m: Machine, unconnected: Value, node: ast.AST) -> bool:
    """What stands for a gradient that there is not: None, or zeros."""
    if isinstance(unconnected, str) and unconnected not in ("none", "zero"):
        raise m.raised("ValueError", f"unconnected_gradients is 'none' or 'zero', and not {unconnected!r}", node)
    return bool(unconnected != "none")


def _gradient(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    target, sources = argument(args, kwargs, 0, "target"), argument(args, kwargs, 1, "sources")
    _begin(m, me, node)
    zero = _gives_zeros(m, argument(args, kwargs, 3, "unconnected_gradients", "none"), node)
    given = argument(args, kwargs, 2, "output_gradients")
    if isinstance(given, TensorType) and isinstance(target, TensorType) and given.shape.known and target.shape.known:
        agree = conj(*(eq(a, b) for a, b in zip(given.shape, target.shape))) if len(given.shape) == len(target.shape) else False
        m.require("gradient/output", agree, f"output_gradients of shape {given.shape!r} must have the target's shape {target.shape!r}", node)
    _tracked(m, target, "target", node)
    _tracked(m, sources, "sources", node)
    reached = _reached(me, node, target) and not _made_here(node, 1, "sources", sources) and not _only(me, target, sources)
    targets = tensors_in(target)
    if reached:
        own_gradients.derive(m, me.space[TOKEN].number, me.space[AUTOMATIC], targets, tensors_in(sources), node)

    def of(t: TensorType) -> TensorType | None:
        if zero or (reached and _connected(me, t) and _recorded_by(me, targets, t)):
            graph = m.model_state.get(TRACED)
            return gradient_of(t).but(graph=graph, history=None if m.model_state.get(histories.TAPES) else histories.CONSTANT)
        return None

    return _recorded(m, target, sources, like_sources(m, sources, of, node))


def _tracked(m: Machine, value: Value, word: str, node: ast.AST) -> None:
    """A tape knows tensors and variables alone: no arrays, numbers or texts, and not None."""
    match value:
        case tuple() | List() | Dict():
            for one in value if isinstance(value, tuple) else value.items.values() if isinstance(value, Dict) else value.items:
                _tracked(m, one, word, node)
        case None | str():
            raise m.raised("TypeError", f"the {word} of a gradient are tensors and variables, not {value!r}", node, f"tape/{word}")
        case int() | float() | Term():
            raise m.raised("AttributeError", f"the {word} of a gradient are tensors and variables, not a number", node, f"tape/{word}")
        case Unknown() if value.number:
            raise m.raised("AttributeError", f"the {word} of a gradient are tensors and variables, not a number", node, f"tape/{word}")
        case TensorType() if value.framework == "numpy":
            raise m.raised("AttributeError", f"the {word} of a gradient are tensors and variables, not an array of NumPy", node, f"tape/{word}")
        case _:
            return


def _recorded_by(me: Model, targets: list[TensorType], source: TensorType) -> bool:
    """Whether the tape may have recorded how one of the targets comes from a source."""
    if me.space["unsure"] or not targets:
        return True
    return any(histories.reaches(me.space[TOKEN].number, me.space[AUTOMATIC], t, source) for t in targets)


def _recorded(m: Machine, target: Value, sources: Value, made: Value) -> Value:
    if m.path.program is not None:
        m.path.program.differentiated(tensors_in(target), tensors_in(sources), tensors_in(made))
    return made


def like_sources(m: Machine, sources: Value, act: Any, node: ast.AST) -> Value:
    """Gradients in the structure of what they are taken by."""
    match sources:
        case Unknown():
            return sources
        case Iterator():
            return List(m.heap.row(like_sources(m, v, act, node) for v in m.iterate(sources, node) or ()))
        case Layer() | Instance() | Model() | None:
            if isinstance(sources, Model) and isinstance(sources.space.get("tensor"), TensorType):
                return act(sources.space["tensor"])
            if isinstance(sources, Model) and sources.kind not in ("quiet",):
                return m.gap("GradientTape.gradient", node, "by something that is not known")
            raise m.raised("ValueError", "gradients are taken by tensors and variables: write model.trainable_variables", node, "tape/sources")
        case tuple() | List() | Dict() | TensorType():
            return mapped(m, sources, act)
        case _:
            return m.gap("GradientTape.gradient", node, "by something that is not known")


def _jacobian(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    target, sources = argument(args, kwargs, 0, "target"), argument(args, kwargs, 1, "sources")
    _begin(m, me, node)
    if not isinstance(target, TensorType) or not target.shape.known:
        return m.gap("GradientTape.jacobian", node, "of something that is not known")
    return _recorded(m, target, sources, like_sources(m, sources, lambda t: gradient_of(t).but(shape=Shape((*target.shape, *t.shape))), node))


def _batch_jacobian(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    target, source = argument(args, kwargs, 0, "target"), argument(args, kwargs, 1, "source")
    _begin(m, me, node)
    if not isinstance(target, TensorType) or not isinstance(source, TensorType) or not target.shape.known or not source.shape.known:
        return m.gap("GradientTape.batch_jacobian", node, "of something that is not known")
    if not len(target.shape) or not len(source.shape):
        raise m.raised("ValueError", "batch_jacobian needs a batch axis in both", node, "tape/batch")
    m.demand("ValueError", eq(target.shape[0], source.shape[0]), f"the batches of {target.shape!r} and {source.shape!r} differ", node, "tape/batch")
    return _recorded(m, target, source, gradient_of(source).but(shape=Shape((*target.shape, *source.shape[1:]))))


def _enter(m: Machine, me: Model, node: ast.AST) -> Value:
    m.heap.set(me.space, "recording", True)
    m.model_state[histories.TAPES] = (*m.model_state.get(histories.TAPES, ()), me.space[TOKEN].number)
    return me


def _leave(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    m.heap.set(me.space, "recording", False)
    m.model_state[histories.TAPES] = tuple(t for t in m.model_state.get(histories.TAPES, ()) if t != me.space[TOKEN].number)
    return False


def _unsure(m: Machine, me: Model, args: Value, kwargs: Value, node: ast.AST) -> None:
    """What the tape holds is not followed from here on."""
    m.heap.set(me.space, "unsure", True)


def _stop(m: Machine, me: Model, node: ast.AST) -> Value:
    _leave(m, me.space[_TAPE], None, node)
    return me


def _go_on(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    _enter(m, me.space[_TAPE], node)
    return False


FUNCTIONS: dict[str, Any] = {"tf.GradientTape": _tape, "tf.autodiff.GradientTape": _tape}
KINDS: dict[str, KindModel] = {
    STOPPED: KindModel(enter=_stop, leave=_go_on),
    TAPE: KindModel(
        {
            "watch": _watch, "gradient": _gradient, "jacobian": _jacobian, "batch_jacobian": _batch_jacobian, "reset": _unsure,
            "stop_recording": lambda m, me, a, k, n: Model(STOPPED, m.heap.space({"tape": me})),
            "_push_tape": _unsure, "_pop_tape": _unsure,
        },
        enter=_enter, leave=_leave,
    ),
}  # fmt: skip
