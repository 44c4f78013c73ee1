"""einops: rearrange, reduce, repeat, einsum, pack and unpack, parse_shape, and the layers. Sizes stay symbolic."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries.einops.patterns import ELLIPSIS, BadPattern, Side, check_names, number_of, parse, parse_side
from tensorproof.libraries.model import KindModel, Run
from tensorproof.terms import Dim, Shape, TensorType, Term, eq, floordiv, mod, product
from tensorproof.values import Args, Choice, Dict, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

SIZES: Key[dict[str, Value]] = slot("sizes")
_METHODS = ("min", "max", "sum", "mean", "prod", "any", "all")


def _bad(m: Machine, pattern: str, why: str, node: ast.AST) -> Exception:
    return m.raised("EinopsError", f"the pattern '{pattern}' is wrong: {why}", node, "einops/pattern")


def _transform(m: Machine, operation: str, x: Value, pattern: Value, sizes: Kwargs, how: Value, node: ast.AST) -> Value:
    if isinstance(x, Choice):
        then, other = x.then, x.other
        return m.branching.choose(
            x.condition, lambda: _transform(m, operation, then, pattern, sizes, how, node), lambda: _transform(m, operation, other, pattern, sizes, how, node)
        )
    if isinstance(x, (List, tuple)):
        listed = list(x.items if isinstance(x, List) else x)
        if not listed:
            raise m.raised("TypeError", f"{operation} gets an empty list", node, "einops/input")
        x = m.spelling("torch.stack", (List(m.heap.row(listed)),), {}, node)
    if not isinstance(pattern, str):
        return m.gap(f"einops.{operation}", node, "the pattern is not known")
    if not isinstance(x, TensorType):
        return m.gap(f"einops.{operation}", node, "the tensor is not known")
    try:
        left, right = parse(pattern)
        check_names(operation, left, right, set(sizes))
    except BadPattern as bad:
        raise _bad(m, pattern, str(bad), node) from None
    if not x.shape.known:
        return m.gap(f"einops.{operation}", node, "the rank of the tensor is not known")
    if any(not isinstance(v, (int, Term)) for v in sizes.values()):
        return m.gap(f"einops.{operation}", node, "a size is not known")
    found, exact = _sizes(m, pattern, left, tuple(x.shape), dict(sizes), node)
    for axis in right.axes:
        if number_of(axis) is not None:
            found[axis] = (number_of(axis),)
        elif axis not in found:
            found[axis] = (sizes[axis],)
    return _carried_out(m, operation, x, left, right, found, exact, how, node)


def _sizes(m: Machine, pattern: str, left: Side, shape: tuple[Any, ...], given: dict[str, Value], node: ast.AST) -> tuple[dict[str, tuple[Value, ...]], bool]:
    """The sizes of the axes on the left; whether all of them follow without a division that leaves a question."""
    groups = list(left.groups)
    least = len([g for g in groups if g != (ELLIPSIS,)])
    found: dict[str, tuple[Value, ...]] = {}
    shown = "(" + ", ".join(map(repr, shape)) + ")"
    if (ELLIPSIS,) in groups:
        if len(shape) < least:
            raise m.raised("EinopsError", f"the pattern '{pattern}' needs at least {least} axes, the tensor has shape {shown}", node, "einops/rank")
        at, extra = groups.index((ELLIPSIS,)), len(shape) - least
        found[ELLIPSIS] = shape[at : at + extra]
        groups[at : at + 1] = [None] * extra  # type: ignore[list-item]
    elif len(shape) != least:
        raise m.raised("EinopsError", f"the pattern '{pattern}' needs {least} axes, the tensor has shape {shown}", node, "einops/rank")
    exact = True
    for group, size in zip(groups, shape):
        if group is None:
            continue
        known: list[Any] = []
        open_: list[str] = []
        for axis in group:
            number = number_of(axis)
            value = number if number is not None else given.get(axis)
            if value is None:
                open_.append(axis)
            else:
                known.append(value)
                found[axis] = (value,)
        whole = product(known)
        text = " ".join(a if number_of(a) is None else str(number_of(a)) for a in group) or "1"
        if len(open_) > 1:
            raise _bad(m, pattern, f"the sizes of {' and '.join(open_)} in ({text}) cannot be inferred: give all but one", node)
        if not open_:
            message = f"the axes ({text}) of '{pattern}' make {whole!r}, the tensor has {size!r} there: its shape is {shown}"
            m.demand("EinopsError", eq(size, whole), message, node, "einops/size")
            continue
        if known:
            if isinstance(whole, int) and whole < 1:
                raise m.raised("EinopsError", f"the axes ({text}) of '{pattern}' have the size {whole}", node, "einops/size")
            divides = eq(mod(size, whole), 0)
            message = f"the axis ({text}) of '{pattern}' has {size!r} elements, which {whole!r} does not divide: the tensor's shape is {shown}"
            m.demand("EinopsError", divides, message, node, "einops/divides")
            exact = exact and divides is True
        found[open_[0]] = (floordiv(size, whole) if known else size,)
    return found, exact


def _carried_out(
    m: Machine, operation: str, x: TensorType, left: Side, right: Side, found: dict[str, tuple[Value, ...]], exact: bool, how: Value, node: ast.AST
) -> Value:
    """Split, order, reduce, repeat and join the axes, as einops does: by the operators of the tensor's framework where they are torch's."""
    joined = _joined_sizes(right, found)
    dtype = _reduced_type(m, x, how, node) if operation == "reduce" else x.dtype
    if x.framework != "torch" or not exact:
        return TensorType(Shape(joined), dtype, framework=x.framework, requires_grad=x.requires_grad)
    kept = [a for a in right.axes if a in left.axes]
    gone = [a for a in left.axes if a not in kept]
    y = _split_and_ordered(m, x, left, [*kept, *gone], found, node)
    if isinstance(y, Unknown):
        return y
    if operation == "reduce":
        y = TensorType(Shape(s for a in kept for s in found[a]), dtype, requires_grad=y.requires_grad) if gone else y.but(dtype=dtype)
    if operation == "repeat" and len(kept) != len(right.axes):
        ones = [s for a in right.axes for s in (found[a] if a in left.axes else (1,))]
        y = m.spelling("torch.Tensor.reshape", (y, *ones), {}, node)
        y = m.spelling("torch.Tensor.expand", (y, *(s for a in right.axes for s in found[a])), {}, node)
    if isinstance(y, Unknown) or tuple(y.shape) == tuple(joined):
        return y
    return m.spelling("torch.Tensor.reshape", (y, *joined) if joined else (y, ()), {}, node)


def _joined_sizes(right: Side, found: dict[str, tuple[Any, ...]]) -> list[Value]:
    """The sizes of the result: a group in parentheses is one axis."""
    sizes: list[Value] = []
    for group, whole in zip(right.groups, right.composed):
        sizes.extend(found[ELLIPSIS] if group == (ELLIPSIS,) and not whole else (product(s for a in group for s in found[a]),))
    return sizes


def _split_and_ordered(m: Machine, x: TensorType, left: Side, wanted: list[str], found: dict[str, tuple[Value, ...]], node: ast.AST) -> Any:
    """The tensor with an axis for each name on the left, in the wanted order of the names."""
    split = [s for a in left.axes for s in found[a]]
    places: dict[str, range] = {}
    start = 0
    for axis in left.axes:
        places[axis] = range(start, start + len(found[axis]))
        start += len(found[axis])
    y = x if tuple(split) == tuple(x.shape) else m.spelling("torch.Tensor.reshape", (x, *split), {}, node)
    order = [i for a in wanted for i in places[a]]
    return y if order == sorted(order) else m.spelling("torch.Tensor.permute", (y, *order), {}, node)


def _reduced_type(m: Machine, x: TensorType, how: Value, node: ast.AST) -> Any:
    from tensorproof.terms.dtypes import BY_LABEL

    if not isinstance(how, str):
        return x.dtype
    if how not in _METHODS:
        raise m.raised("EinopsError", f"einops has no reduction {how!r}: it has {', '.join(_METHODS)}", node, "einops/reduction")
    if how in ("any", "all"):
        return BY_LABEL["bool"]
    if how == "mean" and x.dtype is not None and not x.dtype.is_float and not x.dtype.is_complex:
        raise m.raised("NotImplementedError", f"a mean needs floating-point numbers, the tensor is {x.dtype.label}", node, "einops/reduction")
    if how in ("sum", "prod") and x.framework == "torch" and x.dtype is not None and x.dtype.kind in "iub":
        return BY_LABEL["int64"]
    return x.dtype


def _without_reduction(word: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, pattern, sizes = _named(args, kwargs, 2)
    return _transform(m, word, x, pattern, sizes, None, node)


def _reduce(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    sizes = dict(kwargs)
    how = args[2] if len(args) > 2 else sizes.pop("reduction", None)
    if how is None:
        raise m.raised("TypeError", "reduce needs a reduction", node, "call/arguments")
    x, pattern, sizes = _named(args[:2], sizes, 2)
    return _transform(m, "reduce", x, pattern, sizes, how, node)


def _named(args: Args, kwargs: Kwargs, count: int) -> tuple[Value, Value, dict[str, Value]]:
    sizes = dict(kwargs)
    x = args[0] if args else sizes.pop("tensor", Unknown("nothing"))
    pattern = args[1] if len(args) > 1 else sizes.pop("pattern", None)
    return x, pattern, sizes


def _einsum(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if len(args) < 2 or isinstance(args[-1], TensorType):
        raise m.raised("ValueError", "einops.einsum takes tensors and then, as its last argument, the pattern", node, "einops/pattern")
    tensors, pattern = args[:-1], args[-1]
    if not isinstance(pattern, str):
        return m.gap("einops.einsum", node, "the pattern is not known")
    if "->" not in pattern:
        raise m.raised("ValueError", f"the pattern '{pattern}' has no -> and no axes of the result", node, "einops/pattern")
    if "(" in pattern:
        raise m.raised("NotImplementedError", f"einsum takes no parentheses, and the pattern is '{pattern}'", node, "einops/pattern")
    letters: dict[str, str] = {}
    alphabet = iter("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    sides = []
    left, _, right = pattern.partition("->")
    try:
        for part in (*left.split(","), right):
            axes = parse_side(part.replace(" ... ", " ... ")) if "..." in part else _plain_side(part)
            for axis in axes.axes:
                if axis != ELLIPSIS and axis not in letters:
                    letters[axis] = next(alphabet)
            sides.append("".join("..." if axis == ELLIPSIS else letters[axis] for axis in axes.axes))
    except BadPattern as bad:
        raise _bad(m, pattern, str(bad), node) from None
    home = "numpy.einsum" if any(isinstance(t, TensorType) and t.framework == "numpy" for t in tensors) else "torch.einsum"
    return m.spelling(home, (f"{','.join(sides[:-1])}->{sides[-1]}", *tensors), {}, node)


def _plain_side(text: str) -> Side:
    """A side of an einsum, where an axis may stand twice (the diagonal)."""
    for word in text.split():
        parse_side(word)
    return Side(tuple((w,) for w in text.split()), ())


def _pack_parts(m: Machine, pattern: Any, node: ast.AST) -> tuple[int, int]:
    """How many axes stand before and after the star."""
    words = pattern.split()
    if words.count("*") != 1:
        raise _bad(m, pattern, "pack and unpack need one *", node)
    return words.index("*"), len(words) - words.index("*") - 1


def _pack(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, pattern = args[0] if args else kwargs.get("tensors"), args[1] if len(args) > 1 else kwargs.get("pattern")
    tensors = m.iterate(given, node)
    if tensors is None or not isinstance(pattern, str) or any(not isinstance(t, TensorType) or not t.shape.known for t in tensors):
        return m.gap("einops.pack", node, "the tensors are not known")
    before, after = _pack_parts(m, pattern, node)
    flat, shapes = [], []
    for t in tensors:
        if len(t.shape) < before + after:
            raise m.raised("EinopsError", f"'{pattern}' needs at least {before + after} axes, a tensor has shape {t.shape!r}", node, "einops/rank")
        middle = tuple(t.shape[before : len(t.shape) - after])
        shapes.append(middle)
        flat.append(t.sized(Shape((*t.shape[:before], product(middle), *t.shape[len(t.shape) - after :])), strides=None))
    packed = m.spelling("torch.cat", (List(m.heap.row(flat)), before), {}, node)
    return packed, List(m.heap.row(shapes))


def _unpack(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, pattern = args[0] if args else kwargs.get("tensor"), args[2] if len(args) > 2 else kwargs.get("pattern")
    shapes = m.iterate(args[1] if len(args) > 1 else kwargs.get("packed_shapes"), node)
    if not isinstance(x, TensorType) or not x.shape.known or not isinstance(pattern, str) or shapes is None:
        return m.gap("einops.unpack", node, "the tensor is not known")
    before, after = _pack_parts(m, pattern, node)
    if len(x.shape) != before + after + 1:
        raise m.raised("EinopsError", f"'{pattern}' needs {before + after + 1} axes, the tensor has shape {x.shape!r}", node, "einops/rank")
    parts = [tuple(m.iterate(s, node) or ()) for s in shapes]
    total: Dim = 0
    made = []
    rest = [i for i, p in enumerate(parts) if -1 in p]
    for p in parts:
        total = total + product(s for s in p if s != -1) if -1 not in p else total
    if len(rest) > 1:
        raise m.raised("EinopsError", "unpack takes one -1", node, "einops/pattern")
    if not rest:
        m.require("einops/size", eq(total, x.shape[before]), f"the parts make {total!r} elements, the tensor has shape {x.shape!r}", node)
    for p in parts:
        sizes = tuple(floordiv(x.shape[before] - total, product(v for v in p if v != -1)) if s == -1 else s for s in p)
        made.append(x.sized(Shape((*x.shape[:before], *sizes, *x.shape[before + 1 :])), strides=None))
    return List(m.heap.row(made))


def _parse_shape(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, pattern = args[0], args[1] if len(args) > 1 else kwargs.get("pattern")
    if not isinstance(x, TensorType) or not x.shape.known or not isinstance(pattern, str):
        return m.gap("einops.parse_shape", node, "the tensor is not known")
    words = pattern.split()
    if len(words) != len(x.shape):
        raise m.raised("RuntimeError", f"'{pattern}' names {len(words)} axes, the tensor has shape {x.shape!r}", node, "einops/rank")
    return Dict(m.heap.entries({w: s for w, s in zip(words, x.shape) if w != "_"}))


def _layer(operation: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    sizes = dict(kwargs)
    pattern = args[0] if args else sizes.pop("pattern", None)
    how = (args[1] if len(args) > 1 else sizes.pop("reduction", None)) if operation == "reduce" else None
    if isinstance(pattern, str):
        try:
            left, right = parse(pattern)
            check_names(operation, left, right, set(sizes))
            for group in left.groups:
                unknown = [axis for axis in group if axis not in sizes and axis != ELLIPSIS and number_of(axis) is None]
                if len(unknown) > 1:
                    raise BadPattern(f"the sizes of {' and '.join(unknown)} cannot be inferred from one axis")
        except BadPattern as bad:
            raise _bad(m, pattern, str(bad), node) from None
    space = m.heap.space({"pattern": pattern, "sizes": m.heap.space(sizes), "how": how})
    return Model(f"einops.layers.torch.{operation.title()}", space, m.user_span(node))


def _call(operation: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x = args[0] if args else next(iter(kwargs.values()))
    sizes = me.space[SIZES]
    _look_up(m, me.space["pattern"], x, node)
    return _transform(m, operation, x, me.space["pattern"], dict(sizes), me.space["how"], node)


def _look_up(m: Machine, pattern: Value, x: Value, node: ast.AST) -> None:
    """A layer keeps what it does by the number of axes that its pattern takes."""
    if not isinstance(pattern, str) or not isinstance(x, TensorType) or not x.shape.known:
        return
    groups = parse(pattern)[0].groups
    least = len([g for g in groups if g != (ELLIPSIS,)])
    if len(x.shape) < least or ((ELLIPSIS,) not in groups and len(x.shape) != least):
        raise m.raised("KeyError", f"the layer's pattern '{pattern}' does not take {len(x.shape)} axes: the tensor has shape {x.shape!r}", node, "einops/rank")


FUNCTIONS: dict[str, Run] = {
    "einops.rearrange": partial(_without_reduction, "rearrange"), "einops.reduce": _reduce, "einops.repeat": partial(_without_reduction, "repeat"),
    "einops.einsum": _einsum, "einops.pack": _pack,
    "einops.unpack": _unpack, "einops.parse_shape": _parse_shape, "einops.layers.torch.Rearrange": partial(_layer, "rearrange"),
    "einops.layers.torch.Reduce": partial(_layer, "reduce"), "einops.asnumpy": lambda m, a, k, n: m.spelling("torch.Tensor.numpy", (a[0],), {}, n),
}  # fmt: skip
FUNCTIONS |= {name.replace("einops.", "einops.einops.", 1): run for name, run in FUNCTIONS.items() if "layers" not in name}
KINDS = {f"einops.layers.torch.{w.title()}": KindModel(call=partial(_call, w), bases=("torch.nn.Module",), open=True) for w in ("rearrange", "reduce")}
