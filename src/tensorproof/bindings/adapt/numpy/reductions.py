"""NumPy's reductions, scans and sorts, with its own element types. Statistics are in `statistics`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import dtype_of, flattened, selecting, written
from tensorproof.bindings.adapters import Run, Value, array_like, takes, tensor_in
from tensorproof.ops.inputs import Number, is_number, is_size
from tensorproof.terms import BOOL, FLOAT64, INT64, DType, TensorType, conj, disj, eq, ge, lt


def no_list(a: dict[str, Value], run: Run) -> None:
    """NumPy takes a tuple of axes, and no list."""
    if isinstance(a.get("dim"), list):
        raise run.refuse("axis", f"several axes are given as a tuple, not as the list {a['dim']!r}", ("dim",))


def word(run: Run, a: dict[str, Value], name: str, options: tuple[Any, ...]) -> None:
    if name in a and a[name] not in options:
        raise run.refuse(name, f"{name} must be one of {', '.join(map(repr, options))}, and is {a[name]!r}", (name,))


_NEUTRAL = {"sum": 0, "nansum": 0, "count_nonzero": 0, "prod": 1, "any": False, "all": True, "nanmean": float("nan")}


def _only(x: TensorType, neutral: Value, a: dict[str, Value], run: Run) -> TensorType:
    """x with `neutral` in the places that the mask `where` leaves out."""
    mask = a.get("where")
    if not isinstance(mask, TensorType):
        return x
    return run.typed("where", x.dtype, condition=selecting(mask, run), x=x, y=neutral)


def _without_nan(x: TensorType, neutral: float, run: Run) -> TensorType:
    """x with `neutral` in place of each NaN."""
    other = neutral if x.dtype is None or x.dtype.kind in "fc" else 0
    return run.typed("where", x.dtype, condition=run("isnan", x=x), x=other, y=x)


def _over_axes(a: dict[str, Value], run: Run) -> dict[str, Any]:
    """A reduction over no axis is one over a new axis of one element."""
    if a["dim"] not in ((), []):
        return a
    return {**a, "x": run("unsqueeze", x=a["x"], dim=-1), "dim": (-1,), "keepdim": False}


def _masked_mean(a: dict[str, Any], run: Run, keepdim: bool) -> tuple[TensorType, TensorType]:
    """The mean of what a mask selects, and how many elements it selects."""
    x, dtype = a["x"], dtype_of(a) or _averaged(a["x"])
    total = run("sum", x=_only(x, 0, a, run), dim=a["dim"], keepdim=keepdim, dtype=dtype)
    mask = run("expand", x=selecting(a["where"], run), size=tuple(x.shape))
    count = run("count_nonzero", x=mask, dim=a["dim"], keepdim=keepdim)
    return run.typed("div", dtype, x=total, y=count), count


def _averaged(x: TensorType) -> DType | None:
    return FLOAT64 if x.dtype is not None and x.dtype.kind in "iub" else x.dtype


def reduced(a: dict[str, Any], run: Run) -> Value:
    no_list(a, run)
    x: TensorType = a["x"]
    name = run.row.name.rpartition(".")[2]
    asked = a.get("dtype")
    if name == "nanmean" and asked is not None and x.dtype is not None and x.dtype.kind in "fc" and asked.kind not in "fc":
        raise run.refuse("dtype", f"the mean of {x.dtype!r} is not a {asked!r}", ("x", "dtype"))
    if name == "ptp" and x.dtype is BOOL:
        raise run.refuse("dtype", "the extent of truth values is not defined: NumPy does not subtract them", ("x",))
    a = _over_axes(a, run)
    if run.row.op in ("amax", "amin", "nanmax", "nanmin"):
        return written(_extreme(a, run), a, run)
    if run.row.op == "mean" and isinstance(a.get("where"), TensorType):
        return written(_masked_mean(a, run, a["keepdim"])[0], a, run)
    x = _only(a["x"], _NEUTRAL.get(run.row.op), a, run)
    made = run.one({**a, "x": _without_nan(x, 1, run) if name == "nanprod" else x})
    if run.row.op in ("sum", "prod", "nansum") and a.get("initial") is not None:
        made = run.typed("mul" if run.row.op == "prod" else "add", made.dtype, x=made, y=a["initial"])
    return written(made, a, run)


def _extreme(a: dict[str, Any], run: Run) -> TensorType:
    """The greatest or the least element; `initial` is one more of them."""
    x, initial, op = a["x"], a.get("initial"), run.row.op
    if isinstance(a.get("where"), TensorType):
        run.require("initial", initial is not None, "what a mask selects may be nothing: give initial too", ("where",))
        x = _only(x, initial, a, run)
    if is_number(initial) and x.shape.known and len(x.shape):  # it stands before the elements, of which there may be none
        dim = a["dim"]
        axes = range(len(x.shape)) if dim is None else [d % len(x.shape) for d in (dim if isinstance(dim, tuple) else (dim,))]
        x = run.typed("pad", x.dtype, x=x, padding=_before(axes, len(x.shape)), value=initial)
        return _one(run(op, x=x, dim=dim, keepdim=a["keepdim"]))
    made = run(op, x=x, dim=a["dim"], keepdim=a["keepdim"])
    if initial is None:
        return _one(made)
    return _one(run.typed("fmax" if op == "nanmax" else "fmin" if op == "nanmin" else "maximum" if op == "amax" else "minimum", made.dtype, x=made, y=initial))


def _one(made: Value) -> TensorType:
    assert isinstance(made, TensorType)
    return made


def _before(axes: Any, rank: int) -> tuple[int, ...]:
    """The padding of one element before each of these axes, in pairs from the last axis on."""
    return tuple(n for i in reversed(range(rank)) for n in ((1, 0) if i in axes else (0, 0)))


@takes(Number("ddof", 0), Number("correction", None, optional=True))
def spread(a: dict[str, Value], run: Run) -> Value:
    no_list(a, run)
    if a.get("correction") is not None and a["ddof"] != 0:
        raise run.refuse("correction", "ddof and correction say the same thing: give one of them", ("ddof", "correction"))
    correction = a["ddof"] if a.get("correction") is None else a["correction"]
    a = _over_axes(a, run)
    asked = dtype_of(a)
    x = a["x"] if asked is None or asked is tensor_in(a, "x").dtype else run("cast", x=a["x"], dtype=asked)
    if isinstance(a.get("where"), TensorType):
        return written(_masked_spread({**a, "x": x}, correction, run), a, run)
    options = {"x": x, "dim": a["dim"], "keepdim": a["keepdim"], "correction": correction}
    return written(run(run.row.op, **options) if asked is None else run.typed(run.row.op, asked, **options), a, run)


def _masked_spread(a: dict[str, Any], correction: Value, run: Run) -> TensorType:
    """The variance, or the standard deviation, of what a mask selects."""
    middle, _ = _masked_mean(a, run, True)
    apart = run("sub", x=a["x"], y=middle)
    if apart.dtype is not None and apart.dtype.is_complex:
        apart = run("abs", x=apart)
    total = run("sum", x=_only(run("square", x=apart), 0, a, run), dim=a["dim"], keepdim=a["keepdim"])
    count = _masked_mean(a, run, a["keepdim"])[1]
    made = run.typed("div", total.dtype, x=total, y=run("sub", x=count, y=correction))
    return _one(run("sqrt", x=made) if run.row.op.endswith("std") else made)


def arg(a: dict[str, Any], run: Run) -> Value:
    if isinstance(a["dim"], (tuple, list)):
        raise run.refuse("axis", "one axis is searched, not several", ("dim",))
    if run.row.name.rpartition(".")[2].startswith("nan"):
        far = float("-inf") if run.row.op == "argmax" else float("inf")
        a = {**a, "x": _without_nan(a["x"], far, run)}
    return written(run.default(a), a, run)


def cumulative(a: dict[str, Any], run: Run) -> Value:
    x, dim = (flattened(tensor_in(a, "x"), run), 0) if a["dim"] is None else (a["x"], a["dim"])
    if x.shape.known and len(x.shape) == 0:
        x = run("reshape", x=x, size=(1,))
    if run.row.name.rpartition(".")[2].startswith("nan"):
        x = _without_nan(x, 0 if run.row.op == "cumsum" else 1, run)
    return written(run(run.row.op, x=x, dim=dim, dtype=a.get("dtype")), a, run)


def ediff1d(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    if x.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x",))
    made = run("diff", x=flattened(x, run), n=1, dim=0)
    if a["to_begin"] is None and a["to_end"] is None:
        return made
    parts = (_vector(a["to_begin"], x.dtype, run), made, _vector(a["to_end"], x.dtype, run))
    return run.typed("cat", x.dtype, xs=tuple(p for p in parts if p is not None), dim=0)


def _vector(value: Value, dtype: DType | None, run: Run) -> TensorType | None:
    """Numbers, an array or a list as a vector."""
    if value is None:
        return None
    if is_number(value):
        return _one(run("full", size=(1,), value=value, dtype=dtype))
    found = value if isinstance(value, TensorType) else array_like("numpy", value)
    if found is None:
        raise run.give_up("what is put at an end is not known")
    return flattened(found if isinstance(value, TensorType) else run("constant", data=found, dtype=dtype), run)


def sorted(a: dict[str, Any], run: Run) -> TensorType:
    """NumPy orders complex numbers too, by their real parts first."""
    x = a["x"] if a["dim"] is not None else flattened(tensor_in(a, "x"), run)
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number cannot be sorted", ("x",))
    return run.typed("sort", x.dtype, INT64, x=x, dim=0 if a["dim"] is None else a["dim"])[0]


def argsorted(a: dict[str, Value], run: Run) -> TensorType:
    given = tensor_in(a, "x")
    x = given if a["dim"] is not None and len(given.shape) else flattened(given, run)
    return run.typed("argsort", INT64, x=x, dim=0 if a["dim"] is None else a["dim"])


def partitioned(a: dict[str, Any], run: Run) -> TensorType:
    """The element kth where it stands in order, with the lesser ones before it."""
    places = run.row.op == "argpartition"
    given = tensor_in(a, "x")
    x = given if a["dim"] is not None and (len(given.shape) or not places) else flattened(given, run)
    if len(x.shape) == 0:
        raise run.refuse("sort/rank", "a number cannot be sorted", ("x",))
    dim = 0 if a["dim"] is None else a["dim"]
    if isinstance(a["kth"], (TensorType, list, tuple)):
        raise run.give_up("several elements are put in their places")
    made = run.typed(run.row.op, INT64 if places else x.dtype, x=x, dim=dim, kth=a["kth"])
    size = made.shape[dim]
    for k in a["kth"] if isinstance(a["kth"], (tuple, list)) else (a["kth"],):
        if is_size(k):
            fits = disj(eq(size, 0), conj(lt(k, size), ge(k, 0 - size)))
            run.require("argsort/kth" if places else "sort/kth", fits, f"element {k!r} does not exist on an axis of {size!r}", ("kth", "x"))
    return made


def unique(a: dict[str, Value], run: Run) -> Value:
    """The values, then where each stands first, where each element stands among them, and how many there are of each."""
    names = ("return_index", "return_inverse", "return_counts")
    made = run("unique", x=a["x"], dim=a["dim"], sorted=bool(a["sorted"]), empty_slices=True, **{n: bool(a[n]) for n in names})
    return tuple(made) if isinstance(made, tuple) else made
