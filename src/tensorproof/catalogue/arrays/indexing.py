"""Indexing: `x[...]` in every form, gather and its relatives, positions of elements.

What stands between the brackets arrives here as ints, symbols, slices, None, Ellipsis, bools and tensors; lists are the binding's to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.facts import mixes, selects
from tensorproof.ops.families import replaced
from tensorproof.ops.inputs import Axis, Bool, Index, Tensor, is_size
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import cast, known, positions, selected, sliced, small, span, true_count, view, whole
from tensorproof.terms.dtypes import BOOL, INDEX, INT64, UINT8
from tensorproof.terms.ints import Dim, Term
from tensorproof.terms.predicates import conj, disj, eq, ge, le, lt
from tensorproof.terms.shapes import Shape, broadcast
from tensorproof.terms.strides import row_major
from tensorproof.terms.tensor import UNKNOWN_STRIDES, Start, TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import written_places
else:
    written_places = later("catalogue.arrays.formulas.written_places")

X = Tensor("x")
MASKS = (BOOL, UINT8)


def check_positions(c: Call, index: TensorType, n: Dim, about: tuple[str, ...], least: Dim | None = None) -> None:
    """Positions that are known must lie inside an axis of size n."""
    if not index.contents:
        return
    held = [v for v in index.contents if is_size(v)]
    known_ones = [v for v in held if type(v) is int]
    ends = {min(known_ones), max(known_ones)} if known_ones else set[int]()
    places: list[Dim] = [*sorted(ends), *[v for v in held if isinstance(v, Term)][:16]]
    for at in places:
        holds = conj(le(-n if least is None else least, at), lt(at, n))
        c.require("range", holds, f"index {at!r} is out of range for an axis of size {n!r}", about)


class Picked:
    """One index tensor, or a mask, with the axes that it takes."""

    __slots__ = ("axes", "contents", "index", "shape")

    def __init__(self, axes: tuple[int, ...], shape: Shape, contents: list[tuple[int, ...]] | None, index: TensorType | None = None) -> None:
        self.axes = axes
        self.shape = shape
        self.index = index
        """The positions, when this is no mask."""
        self.contents = contents
        """For each element its position along every axis taken."""


def picked(c: Call, x: TensorType, dim: int, item: TensorType) -> Picked:
    if item.dtype is not None and item.dtype not in MASKS and item.dtype not in INDEX and c.option("index_types"):
        raise c.refuse("dtype", f"an index must be int64, int32, bool or uint8, not {item.dtype!r}", "index")
    if item.dtype is not None and (item.dtype.is_float or item.dtype.is_complex):
        raise c.refuse("dtype", f"an index must be whole numbers or truth values, not {item.dtype!r}", "index")
    if item.dtype is BOOL or (item.dtype is UINT8 and c.option("uint8_masks")):
        for k, n in enumerate(item.shape):
            c.equal("mask", n, x.shape[dim + k], f"the mask has size {{a}}, axis {dim + k} of x has size {{b}}", ("index", "x"))
        places = None
        if whole(item.contents) and item.shape.concrete:
            steps = row_major(item.shape)
            at = [i for i, v in enumerate(item.contents or ()) if v]
            places = [tuple((i // s) % n for s, n in zip(steps, item.shape)) for i in at]
        return Picked(tuple(range(dim, dim + len(item.shape))), Shape((true_count(c, item),)), places)
    n = x.shape[dim]
    places = [(v % n if n else 0,) for v in item.contents or ()] if whole(item.contents) and type(n) is int else None
    return Picked((dim,), item.shape, places, item)


def indexed(c: Call, x: TensorType, items: tuple[Any, ...]) -> TensorType:
    """x[items]."""
    if not x.shape.known:
        raise c.give_up("the rank of x is not known")
    if c["numbers_join"] and any(isinstance(i, TensorType) and len(i.shape) for i in items):
        items = tuple(TensorType(Shape(), INT64, contents=(i,)) if is_size(i) else i for i in items)
    used = sum(_width(c, i) for i in items)
    c.require("rank", used <= len(x.shape), f"{used} indices are too many for {x.shape!r}", ("index", "x"))
    left = len(x.shape) - used
    dim = 0
    waiting: list[tuple[int, TensorType]] = []
    for item in items:
        if item is Ellipsis:
            dim, left = dim + left, 0
        elif item is None or isinstance(item, bool):
            x = _with_axis(x, dim)
            if item is not None:
                waiting.append((dim, TensorType(Shape((1,)), BOOL, contents=(item,))))
            dim += 1
        elif isinstance(item, slice):
            x = _sliced(c, x, dim, item)
            dim += 1
        elif isinstance(item, TensorType):
            if _is_number(c, item):
                x = selected(c, x, dim, item.contents[0]) if item.contents is not None else _some(x, dim)
                continue
            if len(item.shape) == 0 and item.dtype in MASKS:
                x = _with_axis(x, dim)
                item = item.but(shape=Shape((1,)))
            waiting.append((dim, item))
            dim += max(1, len(item.shape)) if item.dtype in MASKS else 1
        elif is_size(item):
            x = selected(c, x, dim, item)
        else:
            raise c.refuse("index", f"{item!r} cannot stand between the brackets", "index")
    tensors = [picked(c, x, d, item) for d, item in waiting]
    return _taken(c, x, tensors) if tensors else x


def _is_number(c: Call, item: TensorType) -> bool:
    """Whether an index tensor of rank 0 selects one position, as a number does."""
    return len(item.shape) == 0 and item.dtype not in MASKS and item.dtype is not None and item.dtype.is_integer and not c["numbers_join"]


def _sliced(c: Call, x: TensorType, dim: int, item: slice) -> TensorType:
    step = 1 if item.step is None else item.step
    forward = c.option("forward_slices") or not isinstance(step, int)
    c.require("step", ge(step, 1) if forward else step != 0, f"the step of a slice must be positive, and is {step!r}", "index")
    first, length = span(x.shape[dim], item.start, item.stop, step)
    return x if first == 0 and length == x.shape[dim] and step == 1 else sliced(x, dim, first, length, step)


def _width(c: Call, item: object) -> int:
    """How many axes an index uses up."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, TensorType):
        if not item.shape.known:
            raise c.give_up("the rank of an index is not known")
        return len(item.shape) if item.dtype in MASKS else 1
    return 1


def _with_axis(x: TensorType, dim: int) -> TensorType:
    return view(x, lambda axes: ([*axes[:dim], (1, axes[dim][0] * axes[dim][1] if dim < len(axes) else 1), *axes[dim:]], 0))


def _some(x: TensorType, dim: int) -> TensorType:
    """One position of an axis, it is unknown which."""
    return view(x.but(contents=None), lambda axes: (axes[:dim] + axes[dim + 1 :], 0)).but(start=Start(None))


def _taken(c: Call, x: TensorType, tensors: list[Picked]) -> TensorType:
    """x at the places that index tensors name together; their axes come first unless they stand side by side."""

    def stated(holds: Any, a: Dim, b: Dim) -> None:
        c.require("broadcast", holds, f"the index tensors have sizes {a!r} and {b!r}, which do not broadcast", "index")

    together = broadcast([t.shape for t in tensors], stated)
    gone = [a for t in tensors for a in t.axes]
    first = min(gone) if max(gone) - min(gone) + 1 == len(gone) else 0
    rest = [i for i in range(len(x.shape)) if i not in gone]
    before = [i for i in rest if i < first]
    after = [i for i in rest if i >= first]
    shape = Shape((*(x.shape[i] for i in before), *together, *(x.shape[i] for i in after)))
    for t in tensors:
        n = x.shape[t.axes[0]] if t.axes else 1
        if t.index is not None and together.numel != 0 and (shape.numel != 0 or n == 0):
            check_positions(c, t.index, n, ("index", "x"))
    contents = None
    if known(x) and small(shape) and x.contents is not None and all(t.contents is not None for t in tensors):
        contents = _elements_taken(x, tensors, together, before, after)
    return x.but(shape=shape, contents=contents, strides=None if x.strides is None else UNKNOWN_STRIDES, weak=False)


def _elements_taken(x: TensorType, tensors: list[Picked], together: Shape, before: list[int], after: list[int]) -> tuple[Any, ...]:
    """The elements at the places that index tensors name, for each position along the axes before and after them."""
    steps: Any = row_major(x.shape)
    places = [0] * int(together.numel)  # type: ignore[arg-type]
    for t in tensors:
        own: list[Any] = [0 if n == 1 else s for n, s in zip(t.shape, row_major(t.shape))]
        spread = positions(together, [0] * (len(together) - len(own)) + own)
        for k, at in enumerate(spread):
            places[k] += sum(p * steps[a] for p, a in zip((t.contents or [])[at], t.axes))
    lead = positions([x.shape[i] for i in before], [steps[i] for i in before])
    tail = positions([x.shape[i] for i in after], [steps[i] for i in after])
    held: Any = x.contents
    return tuple(held[p + q + r] for p in lead for q in places for r in tail)


def getitem_rule(c: Call) -> TensorType:
    c.copied = any(isinstance(i, bool | list) or (isinstance(i, TensorType) and (len(i.shape) > 0 or i.dtype in MASKS)) for i in c["index"])
    return indexed(c, c.tensor("x"), c["index"])


NUMBERS_JOIN = Bool("numbers_join", False)
GETITEM = Op(
    "getitem",
    (X,),
    (Index(), NUMBERS_JOIN),
    getitem_rule,
    Like("x"),
    data_dependent=True,
    aliases="x",
    values=selects("index"),
    doc="x[index]; `numbers_join`: a number beside index tensors is one of them.",
    gradient="x<index?,other? index-",
    evaluate=written_places.getitem,
)


def setitem_rule(c: Call) -> TensorType:
    x, value = c.tensor("x"), c["value"]
    plain = x.but(strides=None, dtype=INT64, contents=tuple(range(int(x.shape.numel))) if small(x.shape) else None)  # type: ignore[arg-type]
    region = indexed(c, plain, c["index"])
    tensors = [i for i in c["index"] if (isinstance(i, TensorType) and (len(i.shape) or i.dtype in MASKS)) or isinstance(i, bool)]
    fits_region(c, region.shape, value.shape)
    if c.option("like_x") and not value.weak and x.dtype is not None and value.dtype is not None:
        one_mask = len(tensors) == 1 and isinstance(tensors[0], TensorType) and tensors[0].dtype in MASKS and value.shape.numel == 1  # as masked_fill
        fits = not tensors or x.dtype is value.dtype or one_mask
        c.require("dtype", fits, f"values of {value.dtype!r} cannot be put into {x.dtype!r} by index tensors", ("value", "x"))
    mixed = value.weak and value.dtype is not None and value.dtype.is_complex and x.dtype is not None and not x.dtype.is_complex
    c.require(
        "dtype",
        not mixed,
        "a complex number cannot be put into real ones",
        ("value", "x"),
    )
    return x.but(contents=written(x, region, value))


def fits_region(c: Call, region: Shape, value: Shape) -> None:
    """The value must broadcast to the region; leading axes of size 1 do not count."""
    if not value.known:
        raise c.give_up("the rank of the value is not known")
    extra = len(value) - len(region)
    for n in value[: max(0, extra)]:
        c.require("value", eq(n, 1), f"a value of shape {value!r} cannot be assigned to a region of shape {region!r}", ("value", "index"))
    for n, m in zip(reversed(value), reversed(region)):
        c.require("value", disj(eq(n, m), eq(n, 1)), f"a value of shape {value!r} cannot be assigned to a region of shape {region!r}", ("value", "index"))


def written(x: TensorType, region: TensorType, value: TensorType) -> tuple[Any, ...] | None:
    """The contents of x with the region (which holds positions) overwritten; None when not all is known."""
    put = cast(value.contents, x.dtype)
    if x.contents is None or region.contents is None or put is None or not value.shape.concrete:
        return None
    if len(put) == 1:
        put = put * len(region.contents)
    elif len(put) != len(region.contents):
        return None
    made = list(x.contents)
    for at, one in zip(region.contents, put):
        made[at] = one
    return tuple(made)


SETITEM = Op(
    "setitem", (X, Tensor("value", scalar=True, held=True)), (Index(), NUMBERS_JOIN), setitem_rule, data_dependent=True, writes=("x",),
    values=mixes("value x", "index"), doc="x[index] = value.",
    gradient="x< value< y< index-", overlaps=True,
    evaluate=written_places.setitem,
)  # fmt: skip


def additem_rule(c: Call) -> TensorType:
    return setitem_rule(c).but(contents=None)


ADDITEM = Op(
    "additem", (X, Tensor("value", scalar=True)), (Index(), NUMBERS_JOIN), additem_rule, data_dependent=True, writes=("x",),
    doc="x with value added at index, as often as a place is named.", gradient="x< value< y< index-", overlaps=True, evaluate=written_places.additem,
)  # fmt: skip

# --- along one axis --------------------------------------------------------------------------------------------------------------


def index_select_rule(c: Call) -> TensorType:
    x, dim, index = c.tensor("x"), c["dim"], c.tensor("index")
    c.require("rank", len(index.shape) <= 1, f"the index must be a vector, and is {index.shape!r}", "index")
    n = index.shape.numel
    check_positions(c, index, x.shape[dim] if len(x.shape) else 1, ("index", "x"), least=0 if c.option("from_zero") else None)
    if not len(x.shape):
        c.require("index", eq(n, 1), f"a tensor without axes has one element, and the index names {n!r}", ("index", "x"))
        return x.but(weak=False)
    made = _taken(c, x, [picked(c, x, dim, index.but(shape=Shape((n,))))])
    return made.but(strides=None)


INDEX_SELECT = Op(
    "index_select",
    (X, Tensor("index", "...", INDEX, values="index:dim")),
    (Axis("dim"),),
    index_select_rule,
    values=selects("index"),
    doc="Positions of one axis, in any order.",
    evaluate=lambda np, a: np.take(a["x"], np.asarray(a["index"]).reshape(-1), axis=a["dim"]) if a["x"].shape else a["x"],
)


def same_rank(c: Call, *names: str) -> None:
    """torch: a tensor without axes counts as one of one axis."""
    ranks = [max(1, c.rank(n)) for n in names]
    c.require("rank", len(set(ranks)) == 1, f"{' and '.join(names)} must have the same number of dimensions", names)


def gather_rule(c: Call) -> TensorType:
    x, dim, index = c.tensor("x"), c["dim"], c.tensor("index")
    if index.shape.numel == 0:
        return x.but(shape=index.shape, contents=None, strides=None)
    same_rank(c, "x", "index")
    for i, (n, m) in enumerate(zip(index.shape, x.shape)):
        if i != dim:
            c.require("size", le(n, m), f"axis {i} of the index is {n!r}, more than the {m!r} of x", ("index", "x"))
    check_positions(c, index, x.shape[dim] if len(x.shape) else 1, ("index", "x"), least=0)
    contents = None
    if known(x) and x.contents is not None and known(index) and whole(index.contents) and len(x.shape) and len(index.shape):
        steps: Any = row_major(x.shape)
        base = positions(index.shape, [0 if i == dim else s for i, s in enumerate(steps)])
        contents = tuple(x.contents[p + k * steps[dim]] for p, k in zip(base, index.contents or ()))
    return x.but(shape=index.shape, contents=contents, strides=None, weak=False)


GATHER = Op(
    "gather", (X, Tensor("index", "...", INDEX, values="index:dim")), (Axis("dim"),), gather_rule,
    values=selects("index"), doc="For each place of the index, the element of x at that position along one axis.",
    evaluate=written_places.gather,
)  # fmt: skip


def take_along_rule(c: Call) -> TensorType:
    x, dim, index = c.tensor("x"), c["dim"], c.tensor("index")
    if dim is None:
        x, index, dim = x.but(shape=Shape((x.shape.numel,))), index.but(shape=Shape((index.shape.numel,))), 0
    c.require("rank", len(x.shape) == len(index.shape), "x and index must have the same number of dimensions", ("x", "index"))
    lead = c.broadcast(replaced(x.shape, dim, 1), replaced(index.shape, dim, 1), about=("x", "index"))
    if not c.option("remainder") or c["dim"] is None:
        check_positions(c, index, x.shape[dim], ("index", "x"))
    return x.but(shape=replaced(lead, dim, index.shape[dim]), contents=None, strides=None)


TAKE_ALONG = Op(
    "take_along_dim",
    (X, Tensor("index", "...", frozenset({INT64}), values="place:dim")),
    (Axis("dim", None, optional=True),),
    take_along_rule,
    values=selects("index"),
    evaluate=written_places.take_along,
)


def take_rule(c: Call) -> TensorType:
    x, index = c.tensor("x"), c.tensor("index")
    n = x.shape.numel
    c.require("empty", disj(ge(n, 1), eq(index.shape.numel, 0)), "nothing can be taken from a tensor without elements", ("x", "index"))
    check_positions(c, index, n, ("index", "x"))
    contents = tuple(x.contents[k] for k in index.contents or ()) if known(x) and x.contents is not None and whole(index.contents) else None
    return x.but(shape=index.shape, contents=contents, strides=None)


TAKE = Op(
    "take",
    (X, Tensor("index", "...", frozenset({INT64}), values="place:numel")),
    (),
    take_rule,
    values=selects("index"),
    doc="Elements by their flat position.",
    evaluate=lambda np, a: a["x"].reshape(-1)[np.asarray(a["index"])],
)
