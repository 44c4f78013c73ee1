"""Autograd as a domain: what each applied operator does to who requires a gradient, to the graph, and to the versions of memory.

A transfer function over applied operators (`applied`, `finished`); the facts live with the tensors (`terms/gradient.py`). What the backward function of an
operator saves is a fact of its spelling (`bindings/derivatives.py`). `libraries/backward.py` walks the graph.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.derivatives import derivative
from tensorproof.bindings.rows import rows
from tensorproof.libraries.domains import devices, overlaps
from tensorproof.libraries.domains.gradient_states import each as each
from tensorproof.libraries.domains.gradient_states import fresh as fresh
from tensorproof.libraries.domains.gradient_states import is_float as is_float
from tensorproof.libraries.domains.gradient_states import of as of
from tensorproof.libraries.domains.gradient_states import refuse_inference, saved
from tensorproof.libraries.torch.modes import modes
from tensorproof.ops.applied import Applied
from tensorproof.ops.storage import is_compact
from tensorproof.terms.gradient import NO, WHOLE, Gradient, Node, Saved, Version
from tensorproof.terms.tensor import Outputs, Storage, TensorType
from tensorproof.values import Args, Kwargs, Layer, List, Machine, Value


def observed(m: Machine, name: str, outcome: Outcome, args: Args, kwargs: Kwargs, node: ast.AST, layer: Layer | None) -> Value:
    """The results of an operator as objects of the program."""
    if name.startswith("numpy."):
        refuse_arrays(m, name, {str(at): tuple(v.items) for at, v in enumerate(args) if isinstance(v, List)}, node)
    result = devices.applied(m, name, outcome, applied(m, name, outcome, kwargs, node, layer), node, layer)
    made = m.memory.called(name, result, outcome, args, kwargs)
    if outcome.written:
        finished(m, name, outcome, node, layer)
    return made


def applied(m: Machine, name: str, outcome: Outcome, kwargs: Kwargs, node: ast.AST, layer: Layer | None) -> Value:
    """The results of an operator with their autograd states; refuses what autograd refuses before it runs."""
    result = outcome.outputs
    if name.startswith("numpy."):
        refuse_arrays(m, name, outcome.bound, node)
        return result
    if not name.startswith("torch"):
        return result
    word = name.rpartition(".")[2]
    bound: dict[str, Value] = outcome.bound
    if word == "numpy" and m.session.recording and any(t.grad is not None and of(m, t).requires is None for t in each(bound.get("x"))):
        m.gap("Tensor.numpy", node, "whether the tensor requires a gradient is not known")
    written = [t for value in outcome.written for t in each(value)]
    if not written and word.endswith("_") and not word.endswith("__"):
        written = each(bound.get("x"))
    out = each(kwargs["out"]) if "out" in kwargs else []
    if word in ("requires_grad_", "detach_"):
        return result.but(grad=_marked(m, written[0], word == "requires_grad_" and bound.get("on", True) is not False, word, node)) if written else result
    facts = derivative(name)
    inputs = _inputs(m, facts, bound, layer, outcome.applied)
    enabled = modes(m).grad
    requires = _any(g.requires for _, _, g in inputs)
    if enabled and any(g.each and g.requires and _is_stale(m, t, g) for _, t, g in inputs):
        words = f"{word} takes one of several views that one call gave, whose base was changed in place since then: change a clone(), or work out of place"
        raise m.raised("RuntimeError", words, node, "inplace/views")
    if out and enabled and (requires or any(of(m, t).requires for t in out)):
        words = f"{word} with out= does not support gradients, and an argument requires one: use it without out=, or under torch.no_grad()"
        raise m.raised("RuntimeError", words, node, "inplace/out")
    for one in out:
        overlaps.refuse_shared(m, one, word, bound, outcome.applied, node)
    if written:
        _refuse_in_place(m, written[0], enabled, _any((requires, of(m, written[0]).requires)), word, bound, outcome.applied, node)
    wanted = requires if enabled else False if enabled is False else _weaker(requires)
    view = outcome.applied[-1].op.view if outcome.applied else ""
    return _with_states(m, name, result, bound, inputs, facts, wanted, node, written, view)


def _is_stale(m: Machine, t: TensorType, state: Gradient) -> bool:
    """Whether surely the graph of what a tensor is a view of has changed since it was made."""
    made = m.memory.labelled(t).grad
    return made is not None and made.base is not None and made.shown is not None and state.shown is not made.shown and made.shown.requires is True


def _any(states: Any) -> bool | None:
    """True where one is, False where all are."""
    unknown = False
    for one in states:
        if one:
            return True
        unknown = unknown or one is None
    return None if unknown else False


def _weaker(state: bool | None) -> bool | None:
    return None if state else state


_TENSORS = frozenset((TensorType, tuple, list))
"""What may be a tensor, or hold some."""
_PLAIN = frozenset((int, float, bool, str, type(None)))


def _inputs(m: Machine, facts: Any, bound: dict[str, Any], layer: Layer | None, ran: list[Applied]) -> list[tuple[str, TensorType, Gradient]]:
    """The inputs through which a gradient may pass, by our names. A list where an operator takes one tensor is read as numbers."""
    held = layer.module.parameters if layer is not None and layer.module is not None else {}
    found: list[tuple[str, TensorType, Gradient]] = []
    for which, value in bound.items():
        kind = value.__class__
        if kind not in _TENSORS or (kind is not TensorType and _PLAIN.issuperset(map(type, value))):
            continue
        if kind is not TensorType and ran and _as_numbers(value, ran[-1].arguments.get(which)):
            continue
        named = "params" if which in held and which not in ("weight", "bias") else which
        if (facts is not None and facts.get(named, ()) is None) or which.startswith("_"):
            continue
        tried = facts is None or named in facts
        for t in (value,) if kind is TensorType else each(value):
            if t.framework == "torch" and not t.weak and is_float(t) is not False:
                g = of(m, t)
                found.append((named, t, g if tried else g.but(requires=_weaker(g.requires))))
    return found


def _as_numbers(given: Any, taken: Any) -> bool:
    """Whether an operator takes one tensor of the numbers in a list."""
    return isinstance(taken, TensorType) and all(t is not taken for t in each(given))


def _with_states(
    m: Machine, name: str, result: Value, bound: Kwargs, inputs: Any, facts: Any, requires: bool | None, node: ast.AST, written: Any, view: str
) -> Value:
    line = getattr(node, "lineno", 0)
    word, enabled = name.rpartition(".")[2], modes(m).grad
    made: list[Node] = []

    def graph() -> Node:
        if not made:
            parents = [g for _, _, g in inputs if g.requires is not False]
            parents += [g for g in (of(m, t) for t in written[:1]) if g.requires is not False and g not in parents]
            made.append(Node(name, tuple(parents), (), False, m.heap.space({"freed": WHOLE}), line))
        return made[0]

    def state(t: TensorType, source: TensorType | None) -> TensorType:
        real = is_float(t)
        wanted = requires if real else False if real is False else _weaker(requires)
        if bound.get("requires_grad") is True and t.requires_grad:
            return t.but(grad=fresh(m, True), parameter=False)
        link: dict[str, Any] = {}
        own = m.heap.space({"grad": NO})
        node: Node | None = None
        if source is not None and t.base is not None:
            before = of(m, source)
            link["inference"] = before.inference
            link |= {"base": before.base if before.base is not None else source, "shown": before.shown if before.base is not None else before}
            cell = before.cell
            link["each"] = view == "each" or before.each
            if enabled is False and real and before.requires is not False:  # a leaf that requires a gradient, and cannot be written
                link["each"], wanted = True, before.requires
            else:
                node = graph() if wanted is not False else None
        else:
            cell = own
            given = bound.get("x")
            if word == "detach" and isinstance(given, TensorType):
                cell = of(m, given).cell
            else:
                own["version"] = Version()
            link["inference"] = modes(m).inference
            node = graph() if wanted is not False else None
        found = Gradient(wanted, node is None if wanted is not None else None, cell, own, node, **link)
        base = t.base if t.base is not None or t.weak else Storage(own)
        return t.but(grad=found, requires_grad=wanted is True, parameter=False, base=base)

    if written:
        held = written[0]
        return result.but(grad=of(m, held), requires_grad=held.requires_grad, parameter=held.parameter) if isinstance(result, TensorType) else result
    source = bound.get("x")
    passes = facts is None or facts.get("x", ()) is not None
    results = _mapped(result, lambda t: t if view == "itself" and _is_same(t, source) else state(t, _shown(view, t, source) if passes else None))
    if made:
        made[0].saved, made[0].keeps, made[0].again = saved(m, facts, bound, inputs, each(results), line, name)
        if m.model_state.get("inference"):
            refuse_inference(m, made[0], bound, node)
    return results


def unbound(row: Value) -> None:
    """A row of a tensor that the program goes through."""
    if isinstance(row, TensorType) and row.grad is not None:
        row.grad.each = True


def _mapped(value: Any, change: Any) -> Value:
    if isinstance(value, TensorType):
        return change(value) if value.framework == "torch" else value
    if isinstance(value, Outputs):
        return value.like([_mapped(v, change) for v in value])
    return type(value)(_mapped(v, change) for v in value) if type(value) in (tuple, list) else value


def _shown(view: str, t: TensorType, source: Value) -> TensorType | None:
    """The tensor that a result surely is a view of, for autograd."""
    if t.base is None or not isinstance(source, TensorType):
        return None
    return source if view in ("always", "each") or (view == "compact" and is_compact(source)) or (view == "itself" and t.strides == source.strides) else None


def _is_same(t: TensorType, source: Value) -> bool:
    """Whether a result is the very tensor that was given: `x.to(its own device)`."""
    if t.base is None or not isinstance(source, TensorType) or t.grad is None:
        return False
    return t.dtype is source.dtype and t.shape == source.shape and (t.device or "cpu") == (source.device or "cpu") and t.strides == source.strides


def _refuse_in_place(
    m: Machine, target: TensorType, enabled: bool | None, requires: bool | None, word: str, bound: Kwargs, ran: list[Applied], node: ast.AST
) -> None:
    g = of(m, target)
    if in_place(word):
        if target.strides is not None:
            overlaps.refuse_repeated(m, target, word, ran, node)
        overlaps.refuse_shared(m, target, word, bound, ran, node)
    if g.inference and not modes(m).inference:
        words = "an inference tensor cannot be changed in place outside of torch.inference_mode(): make a clone() first"
        raise m.raised("RuntimeError", words, node, "inplace/inference")
    if g.requires and ran and ran[-1].op.name == "resize":
        raise m.raised("RuntimeError", f"{word} takes no tensor that requires a gradient: use detach()", node, "inplace/leaf")
    if not enabled or requires is not True:
        return
    if g.each:
        kind = "one of several views that one call gave" if g.node is not None else "a view that was made without gradients"
        words = f"{word} writes into {kind}, and gradients are recorded: make a clone(), or work out of place"
        raise m.raised("RuntimeError", words, node, "inplace/views")
    if g.requires and g.leaf and g.base is None:
        words = f"{word} writes into a leaf that requires a gradient: write under torch.no_grad(), or into a clone()"
        raise m.raised("RuntimeError", words, node, "inplace/leaf")
    if g.base is not None:
        base = of(m, g.base)
        if base.requires and base.leaf:
            words = f"{word} writes into a view of a leaf that requires a gradient: write under torch.no_grad(), or into a clone()"
            raise m.raised("RuntimeError", words, node, "inplace/leaf")


def finished(m: Machine, name: str, outcome: Outcome, node: ast.AST, layer: Layer | None) -> None:
    """After an operator has run: memory that it wrote into has another version, and takes part in the graph of what was written."""
    if not name.startswith("torch"):
        return
    word = name.rpartition(".")[2]
    given = outcome.bound.get("inplace")
    if not in_place(word) and not (isinstance(given, (int, float)) and given):
        return
    last = outcome.applied[-1].op if outcome.applied else None
    dropped = last is not None and last.random and outcome.applied[-1].arguments.get("training") is True and outcome.applied[-1].arguments.get("p") != 0
    if last is not None and last.aliases and not dropped and (last.view == "itself" or word == "detach_"):  # neither its elements nor its shape have changed
        return
    facts = derivative(name)
    for target in (t for value in outcome.written for t in each(value)):
        _wrote(m, name, target, outcome, facts, node, layer)


def in_place(word: str) -> bool:
    """Whether what a call wrote counts as a change: running statistics do not."""
    return word == "__setitem__" or word.startswith("__i") or word.endswith("_")


def _wrote(m: Machine, name: str, target: TensorType, outcome: Outcome, facts: Any, node: ast.AST, layer: Layer | None) -> None:
    before = of(m, target)
    m.heap.set(before.cell, "version", Version())
    enabled = modes(m).grad
    inputs = [(w, t, g) for w, t, g in _inputs(m, facts, outcome.bound, layer, outcome.applied) if t is not target]
    others = _any(g.requires for _, _, g in inputs)
    requires = _any((before.requires, others))
    if requires is False or enabled is False or (others is False and before.leaf):
        return
    if enabled is None:
        requires = _weaker(requires)
    line = getattr(node, "lineno", 0)
    made = Node(name, (before, *(g for _, _, g in inputs if g.requires is not False)), (), False, m.heap.space({"freed": WHOLE}), line)
    after = before.but(requires=requires, leaf=not requires if requires is not None else None, node=made, base=None, shown=None)
    kept = {k: (v if not isinstance(v, TensorType) or v is not target else None) for k, v in outcome.bound.items()}
    asked = [*inputs, *((w, t, before) for w, t in outcome.bound.items() if t is target and facts is not None and facts.get(w))]
    made.saved, made.keeps, made.again = saved(m, facts, kept, asked, [target.but(grad=after)], line, name)
    _becomes(m, target, after)
    if before.base is not None:
        base = of(m, before.base)
        whole = Node("CopySlices", (base, after), (), False, m.heap.space({"freed": WHOLE}), line)
        _becomes(m, before.base, base.but(requires=_any((base.requires, requires)), leaf=False if requires else None, node=whole))


def _becomes(m: Machine, target: TensorType, state: Gradient) -> None:
    now = m.memory.current(target)
    m.memory.relabel(target, now.but(grad=state, requires_grad=state.requires is True))


def wrote(m: Machine, target: TensorType, sure: bool = True) -> None:
    """A library wrote into a tensor, whatever the mode: an optimizer's step."""
    cell = of(m, target).cell
    made = Version()
    m.heap.set(cell, "version", made if sure else made.joined(cell["version"]))


def _marked(m: Machine, target: TensorType, on: bool, word: str, node: ast.AST) -> Gradient:
    """requires_grad_, `requires_grad = …` and detach_."""
    g = of(m, target)
    if word == "detach_":
        if g.base is not None:
            raise m.raised("RuntimeError", "detach_() takes no view: use detach()", node, "inplace/views")
        return g.but(requires=False, leaf=True, node=None, base=None, shown=None)
    if on and is_float(target) is False:
        words = f"only tensors of floating point and complex type can require gradients, and this is {target.dtype!r}"
        raise m.raised("RuntimeError", words, node, "requires_grad/dtype")
    if not on and g.leaf is False and g.requires:
        words = "requires_grad can be turned off on leaves only, and this tensor was computed: use detach()"
        raise m.raised("RuntimeError", words, node, "requires_grad/leaf")
    if on and g.inference:
        raise m.raised("RuntimeError", "an inference tensor cannot require a gradient outside of torch.inference_mode()", node, "requires_grad/inference")
    if g.leaf is not True:
        return g.but(requires=on if g.leaf is False else (True if on else None))
    return g.but(requires=on)


def mark(m: Machine, target: TensorType, on: bool, node: ast.AST) -> None:
    """`t.requires_grad = on`."""
    g = _marked(m, target, on, "requires_grad", node)
    m.memory.relabel(target, m.memory.current(target).but(requires_grad=g.requires is True, grad=g))


def copied(m: Machine, t: TensorType, node: ast.AST, pickled: bool = False) -> TensorType:
    """copy.deepcopy of a tensor: leaves only; what is pickled becomes one."""
    g, now = of(m, t), m.memory.current(t)
    if g.leaf is False and g.requires and not pickled:
        raise m.raised("RuntimeError", "deepcopy takes leaves only, and this tensor was computed: use detach() or clone()", node, "deepcopy/leaf")
    return now.but(base=None, grad=None if now.grad is None else fresh(m, g.requires, g.leaf or pickled))


def detached(m: Machine, t: TensorType) -> TensorType:
    """A tensor in the same memory that no gradient passes through."""
    now, g = m.memory.current(t), of(m, t)
    plain = g.but(requires=False, leaf=True, node=None, base=None, shown=None, own=m.heap.space({"grad": NO}))
    return m.memory.shows(m.memory.sharing(now.but(requires_grad=False, parameter=False, grad=plain), now), t)


def computed(
    m: Machine, name: str, result: Value, inputs: Sequence[TensorType | Gradient], saved: list[TensorType], keeps: bool | None, node: ast.AST,
    sure: bool = True, requires: bool | None = None,
) -> Value:  # fmt: skip
    """The results of something that is no operator, as a function of its inputs: a node of the graph that keeps what is saved."""
    states = [t if isinstance(t, Gradient) else of(m, t) for t in inputs if isinstance(t, Gradient) or is_float(t) is not False]
    requires = requires or _any(g.requires for g in states)
    enabled = modes(m).grad
    requires = requires if enabled and sure else False if enabled is False else _weaker(requires)
    line = getattr(node, "lineno", 0)
    made = Node(name, tuple(g for g in states if g.requires is not False), (), keeps, m.heap.space({"freed": WHOLE}), line)
    made.saved = tuple(Saved(of(m, t), True, f"what {name} saved", line) for t in saved)

    def state(t: TensorType) -> TensorType:
        wanted = requires if is_float(t) else False
        kept = fresh(m, wanted, not wanted if wanted is not None else None, node=made if wanted is not False else None)
        return t.but(grad=kept, requires_grad=wanted is True, parameter=False)

    return m.memory.made(_mapped(result, state))


def refuse_arrays(m: Machine, name: str, bound: Kwargs, node: ast.AST) -> None:
    """NumPy takes a tensor of torch by `numpy()`, which refuses one that requires a gradient."""
    held = [t for value in bound.values() for t in each(value)] if not name.startswith("numpy.ndarray.") else []
    if held and m.session.recording and any(of(m, t).requires for t in held) and not any(row.delegates for row in rows(name)):
        words = "NumPy cannot take a tensor that requires a gradient: use tensor.detach()"
        raise m.raised("RuntimeError", words, node, "numpy/grad")
