"""How torch spells indexing: what may stand between the brackets, the many relatives of scatter, and embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.bindings.adapt.torch.creation import exact
from tensorproof.bindings.adapters import Module, Ragged, Refused, Requirement, Run, Session, Value, array_like, tensor_in
from tensorproof.ops.inputs import as_size, is_size
from tensorproof.ops.storage import cast, whole
from tensorproof.terms import BOOL, FLOAT32, INT32, INT64, UNKNOWN_STRIDES, DType, Shape, TensorType, conj, disj, eq, ge

Arguments = dict[str, Any]


def items(index: Value, run: Run) -> tuple[Any, ...]:
    """What stands between the brackets, lists turned into tensors."""
    if isinstance(index, list) and len(index) < 32 and any(i is None or i is Ellipsis or isinstance(i, (slice, list, tuple, TensorType)) for i in index):
        index = tuple(index)  # torch reads such a list as a tuple
    return tuple(item(i, run) for i in (index if isinstance(index, tuple) else (index,)))


def item(one: Value, run: Run) -> Value:
    if isinstance(one, slice):
        return slice(bound(one.start, run), bound(one.stop, run), bound(one.step, run))
    if isinstance(one, range):
        one = list(one)
    if isinstance(one, (list, tuple)):
        try:
            made = array_like("torch", one)
        except Ragged:
            raise run.refuse("index", "the lists of an index have unequal lengths", ("index",)) from None
        if made is None:
            raise run.give_up("a list in the index holds what is not known")
        if made.dtype is not None and made.dtype.is_float:  # an empty list, or numbers that torch cuts
            made = made.but(dtype=INT64, contents=cast(made.contents, INT64))
        return made
    if isinstance(one, (float, str, complex)):
        raise run.refuse("index", f"{one!r} cannot be an index", ("index",))
    return one


def bound(value: Value, run: Run) -> Value:
    """An end of a slice."""
    value = as_size(value)
    if value is None or is_size(value):
        return value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, TensorType):
        if value.dtype is not None and not value.dtype.is_integer:
            raise run.refuse("index", f"an end of a slice must be a whole number, not {value!r}", ("index",))
        return run.fresh("end")
    raise run.refuse("index", f"an end of a slice must be a whole number, not {value!r}", ("index",))


def getitem(a: Arguments, run: Run) -> TensorType:
    return run("getitem", x=a["x"], index=items(a["index"], run))


def setitem(a: Arguments, run: Run) -> Value:
    value = a["value"]
    if a["index"] is False:
        return a["x"]
    if a["index"] is True:
        a = {**a, "index": None}
    if isinstance(value, (list, tuple)):
        raise run.refuse("call/arguments", "a list cannot be assigned to the items of a tensor: write torch.tensor(…)", ("value",))
    if isinstance(value, TensorType) and value.framework == "numpy":
        number = value.shape.known and not value.shape
        if not value.shape.known or value.dtype is None:
            raise run.give_up("whether the value is an array or a number is not known")
        if not number or value.dtype.label in ("float32", "float16", "bool"):
            what = f"a number of NumPy's {value.dtype.label}" if number else "a NumPy array"
            raise run.refuse("call/arguments", f"{what} cannot be assigned to the items of a tensor: write torch.as_tensor(…)", ("value",))
        value = value.but(weak=True, framework="torch")
    return run("setitem", x=a["x"], value=value, index=items(a["index"], run))


def from_list(a: Arguments, run: Run) -> TensorType:
    """aten.index and _unsafe_index: a list of index tensors, None for a whole axis."""
    return run("getitem", x=a["x"], index=_listed(a, run, masks="unsafe" not in run.name))


def _listed(a: Arguments, run: Run, masks: bool = True) -> tuple[Any, ...]:
    """The list as it would stand between brackets. Only ATen's own operators take None in it."""
    index = tuple(a["index"])
    plain = not run.name.startswith("aten.")
    if not any(isinstance(i, TensorType) for i in index) or any(not isinstance(i, TensorType) and (plain or i is not None) for i in index):
        raise run.refuse("index", "the indices must be tensors", ("index",))
    if not masks and any(isinstance(i, TensorType) and i.dtype not in (None, INT32, INT64) for i in index):
        raise run.refuse("index", "the indices must be int32 or int64", ("index",))
    return tuple(slice(None) if i is None else i for i in index)


def index_put(a: Arguments, run: Run) -> TensorType:
    x, value, index = tensor_in(a, "x"), tensor_in(a, "value"), _listed(a, run)
    masked = len(index) == 1 and index[0].dtype is BOOL and value.shape.numel == 1 and not a.get("accumulate")  # as masked_fill has it
    if not masked:
        _fits(x, value, run("getitem", x=x, index=index), run)
    return run("additem" if a.get("accumulate") else "setitem", x=x, value=value, index=index)


def _fits(x: TensorType, value: TensorType, place: TensorType, run: Run) -> None:
    """Values put into a place have its element type and not more axes than it."""
    if x.dtype is not None and value.dtype is not None and x.dtype is not value.dtype:
        raise run.refuse("dtype", f"values of {value.dtype!r} cannot be put into {x.dtype!r}", ("value", "x"))
    if value.shape.known and place.shape.known:
        run.require("value", len(value.shape) <= len(place.shape), f"values of {value.shape!r} do not expand to {place.shape!r}", ("value",))


def nonzero(a: Arguments, run: Run) -> Value:
    x = tensor_in(a, "x")
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    if not a.get("as_tuple"):
        return run("nonzero", x=x)
    if not len(x.shape):
        x = run("reshape", x=x, size=(1,))
    if not whole(x.contents):
        return run("where_true", condition=x)
    found: TensorType = run("nonzero", x=x)
    rank = len(x.shape)
    columns = [None if found.contents is None else found.contents[i::rank] for i in range(rank)]
    return tuple(found.but(shape=Shape(found.shape[:1]), contents=c, strides=None) for c in columns)


def unravel_index(a: Arguments, run: Run) -> Value:
    size = a["size"]
    sizes = (size,) if is_size(size) else size.contents if isinstance(size, TensorType) else tuple(size)
    if sizes is None:
        raise run.give_up("the shape is not known")
    x = tensor_in(a, "x")
    for n in sizes:
        run.require("size", ge(n, 0), f"sizes must not be negative, and are {sizes!r}", ("size",))
        some = disj(eq(x.shape.numel, 0), ge(n, 1)) if x.shape.known else True
        run.require("size", some, f"indices {x.shape!r} do not lie in {sizes!r}, which has no element", ("x", "size"))
    return run("unravel_index", x=x, size=sizes)


def any_index(a: Arguments) -> Arguments:
    """torch does not look at the element type of an index without elements."""
    index = tensor_in(a, "index")
    return {**a, "index": index.but(dtype=INT64) if index.shape.numel == 0 else index}


def any_if_empty(a: Arguments, run: Run) -> Value:
    return run.default(any_index(a))


def gather(a: Arguments, run: Run) -> Value:
    return exact(any_index(a), run)


def masked_index(a: Arguments, run: Run) -> TensorType:
    """Places outside the mask may be anything, so the positions are not looked at."""
    index = tuple(i if isinstance(i, slice) else i.but(contents=None) for i in _listed(a, run, masks=False))
    return run("getitem", x=tensor_in(a, "x").but(contents=None), index=index)


def masked_put(a: Arguments, run: Run) -> TensorType:
    x, value = tensor_in(a, "x"), tensor_in(a, "value")
    place = masked_index(a, run)
    _fits(x, value, place, run)
    if eq(place.shape.numel, 0) is True:
        return x.but(contents=None, strides=x.strides and UNKNOWN_STRIDES)
    for p, q in zip(reversed(value.shape), reversed(place.shape)):
        run.require("value", disj(eq(p, q), eq(p, 1)), f"values of {value.shape!r} do not expand to {place.shape!r}", ("value",))
    return x.but(contents=None, strides=x.strides and UNKNOWN_STRIDES)


MODES = ("sum", "mean", "max")


def bag(a: dict[str, Value], run: Run) -> Value:
    """Old code gives the table first."""
    index, weight = tensor_in(a, "index"), tensor_in(a, "weight")
    if weight.dtype is INT64 and index.dtype is not None and index.dtype.is_float:
        a["index"], a["weight"] = weight, index
    return run.default(a)


def numbered(a: dict[str, Any], run: Run) -> Value:
    """The mode as a number; padding_idx = -1 is none."""
    mode, padding = a["mode"], a.get("padding_idx")
    if tensor_in(a, "index").shape.known and len(tensor_in(a, "index").shape) == 2:
        raise run.give_up("indices of rank 2 are for torch.nn.functional.embedding_bag")
    run.require("mode", isinstance(mode, int) and 0 <= mode < 3, f"mode must be 0, 1 or 2, and is {mode!r}", ("mode",))
    return run.default({**a, "mode": MODES[mode], "padding_idx": None if padding == -1 and run.name.startswith("aten._") else padding})


def table(module: Module, names: Mapping[str, Any], session: Session) -> None:
    """The table of embeddings: made, or given to the constructor."""
    rows, length, given = names["V"], names["D"], names.get("_weight")
    if isinstance(given, TensorType):
        shape = given.shape
        holds = len(shape) == 2 and conj(eq(shape[0], rows), eq(shape[1], length))
        if holds is False:
            raise Refused(Requirement("embedding/weight", False, f"the given table must have shape ({rows!r}, {length!r}), and has {shape!r}", ("_weight",)))
        module.parameters["weight"] = given.but(contents=None, requires_grad=True)
        return
    dtype = names["dtype"] if isinstance(names.get("dtype"), DType) else FLOAT32
    module.parameters["weight"] = TensorType(Shape((rows, length)), dtype, requires_grad=True)


def pretrained(module: Module, names: Mapping[str, Any], session: Session) -> None:
    given = names["weight"]
    if not isinstance(given, TensorType) or (given.shape.known and len(given.shape) != 2):
        raise Refused(Requirement("embedding/weight", False, "the given table must be a tensor of rank 2", ("embeddings",)))
    module.parameters["weight"] = given.but(contents=None, requires_grad=not names["freeze"])
