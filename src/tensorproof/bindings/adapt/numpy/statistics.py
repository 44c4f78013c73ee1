"""NumPy's statistics: averages, quantiles, sorted search, histograms, covariance, integrals, convolutions of vectors."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import tensor, written
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapt.numpy.shapes import of_rank
from tensorproof.bindings.adapters import Run, Value, array_like, tensor_in
from tensorproof.ops.inputs import is_number, is_size
from tensorproof.terms import BOOL, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT64, DType, Operand, Shape, TensorType, Term, disj, eq, ge, le, lt, promote


def bincount(a: dict[str, Value], run: Run) -> TensorType:
    """Weights are added up as float64."""
    weight = a["weight"]
    if isinstance(weight, TensorType) and weight.dtype is FLOAT32:
        weight = run("cast", x=weight, dtype=FLOAT64)
    return run("bincount", x=a["x"], weight=weight, minlength=a["minlength"])


def average(a: dict[str, Value], run: Run) -> Value:
    x = tensor_in(a, "x")
    made = run("mean", x=x, dim=a["dim"], keepdim=a["keepdim"])
    if not a["returned"]:
        return made
    each = x.shape.numel // made.shape.numel if x.shape.known and x.shape.concrete and made.shape.numel != 0 else None
    if not isinstance(each, int):
        raise run.give_up("the number of elements that are averaged is not known")
    return (made, run("full_like", x=made, value=float(each)))


def weighted_average(a: dict[str, Value], run: Run) -> Value:
    """The sum of the products over the sum of the weights."""
    x, w = tensor_in(a, "x"), tensor_in(a, "weights")
    axes = a["dim"] if isinstance(a["dim"], (tuple, list)) else (a["dim"],)
    same, missing = len(w.shape) == len(x.shape), " without their axis" if a["dim"] is None else f" along {a['dim']!r}"
    if not same and (a["dim"] is None or len(w.shape) != len(axes)):
        raise run.refuse("weights", f"weights {w.shape!r} do not fit x {x.shape!r}{missing}", ("weights", "x"))
    against = x.shape if same else [x.shape[i] for i in axes]
    for n, m in zip(w.shape, against):
        run.require("weights", eq(n, m), f"weights {w.shape!r} do not fit x {x.shape!r}{missing}", ("weights", "x"))
    dtype = _common(x.dtype, w.dtype)
    if not same:
        w = _laid(w, axes, len(x.shape), run)
    total = run("sum", x=run.typed("mul", dtype, x=x, y=w), dim=a["dim"], keepdim=a["keepdim"])
    share = run("sum", x=w, dim=a["dim"], keepdim=a["keepdim"], dtype=dtype)
    made = run.typed("div", dtype, x=total, y=share)
    return (made, run("expand", x=share, size=tuple(made.shape))) if a["returned"] else made


def _common(x: DType | None, w: DType | None) -> DType | None:
    if x is None or w is None:
        return None
    return promote("numpy", [Operand(x), Operand(w)] + ([Operand(FLOAT64)] if x.kind in "iub" else []))


def _laid(w: TensorType, axes: Any, rank: int, run: Run) -> TensorType:
    """Weights along these axes of an array of that rank."""
    at = [axis % rank for axis in axes]
    order = tuple(i for i, _ in sorted(enumerate(at), key=lambda pair: pair[1]))
    moved = w if order == tuple(range(len(order))) else run("permute", x=w, dim=order)
    sizes = iter(moved.shape)
    return run("reshape", x=moved, size=tuple(next(sizes) if i in at else 1 for i in range(rank)))


def middle(a: dict[str, Value], run: Run) -> Value:
    """The median: the mean of the two middle elements where their number is even. Whole numbers become float64."""
    dtype = tensor_in(a, "x").dtype
    return written(_quantile(a, 0.5, dtype if dtype is None or dtype.kind in "fc" else FLOAT64, run), a, run)


def quantile(a: dict[str, Any], run: Run) -> Value:
    x: TensorType = a["x"]
    if x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "complex numbers have no order", ("x",))
    q = tensor(a["q"])
    if x.dtype is BOOL and q.dtype is not None and q.dtype.kind in "iub":
        raise run.give_up("whole fractions of truth values")
    if x.dtype is BOOL:
        raise run.refuse("dtype", "quantiles of truth values are not defined: NumPy does not subtract them", ("x",))
    if q.dtype is not None and q.dtype.is_complex:
        raise run.refuse("dtype", "the fractions must be real", ("q",))
    if a["weights"] is not None:
        raise run.give_up("weighted quantiles")
    dtype = None
    if x.dtype is not None and (q.dtype is None or q.dtype.kind not in "iub"):  # NumPy's own rule for whole fractions is erratic
        dtype = promote("numpy", [Operand(FLOAT64 if x.dtype.kind in "iu" else x.dtype), Operand(q.dtype or FLOAT64, q.weak)])
    share = a["q"]
    if run.row.name.endswith("percentile"):
        divided = q.dtype if q.dtype is not None and q.dtype.is_float else FLOAT64
        share = share / 100 if isinstance(share, (int, float)) else run.typed("div", divided, x=q, y=100)
    return written(_quantile(a, share, dtype, run), a, run)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(a: dict[str, Any], q: Any, dtype: DType | None, run: Run) -> TensorType:
    """Quantiles over one axis, several or all, with the axes of q first."""
    x, dim, method = a["x"], a["dim"], a.get("method", "linear")
    axes = tuple(dim) if isinstance(dim, (tuple, list)) else None if dim is None else (dim,)
    if axes and not len(x.shape):
        raise run.refuse("axis", f"axis {dim!r} is out of range for a number", ("dim", "x"))
    shape = tuple(tensor(q).shape)
    joined, axis = (x, axes[0] if axes else None) if axes is None or len(axes) == 1 else (_joined(x, axes, run), -1)
    share = run("reshape", x=q, size=(q.shape.numel,)) if len(shape) > 1 else q
    rule = {"interpolation": method} if method in _INTERPOLATIONS else {"method": method}
    made = run.typed(run.row.op, dtype, x=joined, q=share, dim=axis, keepdim=bool(a["keepdim"]) and joined is x, empty_is_nan=True, **rule)
    rest = tuple(made.shape[min(len(shape), 1) :])
    if a["keepdim"] and joined is not x:
        gone = {i % len(x.shape) for i in axes or ()}
        rest = tuple(1 if i in gone else n for i, n in enumerate(x.shape))
    if (*shape, *rest) != tuple(made.shape):
        made = run("reshape", x=made, size=(*shape, *rest))
    assert isinstance(made, TensorType)
    return made


def _joined(x: TensorType, axes: tuple[int, ...], run: Run) -> TensorType:
    """x with several of its axes made one, at the end."""
    rank = len(x.shape)
    for axis in axes:
        if not -rank <= axis < rank:
            raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim", "x"))
    gone = [i % rank for i in axes]
    if len(set(gone)) != len(gone):
        raise run.refuse("axis", f"an axis is named twice in {axes!r}", ("dim",))
    kept = [i for i in range(rank) if i not in gone]
    moved = run("permute", x=x, dim=(*kept, *gone))
    return run("reshape", x=moved, size=(*(x.shape[i] for i in kept), Shape(x.shape[i] for i in gone).numel))


def searchsorted(a: dict[str, Any], run: Run) -> TensorType:
    if len(tensor_in(a, "x").shape) != 1:
        raise run.refuse("rank", f"places are sought in a vector, and it is {tensor_in(a, 'x').shape!r}", ("x",))
    y = tensor(a["y"])
    word(run, a, "side", ("left", "right"))
    if run.row.name.endswith("digitize") and "c" in [v.dtype.kind for v in (y, a["x"]) if v.dtype is not None]:
        raise run.refuse("dtype", "complex numbers have no order", ("x", "y"))
    order = a.get("sorter")
    if isinstance(order, TensorType):
        whole = order.dtype is None or order.dtype.is_integer
        run.require("sorter", whole, f"sorter holds places, whole numbers, and has element type {order.dtype!r}", ("sorter",))
        run.require("sorter", len(order.shape) == 1, f"sorter is a vector, and it is {order.shape!r}", ("sorter",))
        same = eq(order.shape[0], tensor_in(a, "x").shape[0])
        run.require("sorter", same, f"sorter has {order.shape[0]!r} elements and x has {tensor_in(a, 'x').shape[0]!r}", ("sorter", "x"))
    side = a["side"] if "side" in a else "left" if a["right"] else "right"  # np.digitize counts the edges that are not above
    return run.typed("searchsorted", INT64, x=a["x"], y=y, sorter=order, side=side, right=side == "right")


def histogram(a: dict[str, Any], run: Run) -> Value:
    bins, weight, x = a["bins"], a["weight"], tensor_in(a, "x")
    if isinstance(bins, (list, tuple)):
        found = array_like("numpy", bins)
        bins = found if found is None else run("constant", data=found)
        if bins is None:
            raise run.give_up("the edges of the bins are not known")
    if isinstance(bins, str):
        n: Any = run.fresh("bins", 1)
    else:
        n = bins.shape[0] - 1 if isinstance(bins, TensorType) else bins
        if not isinstance(bins, TensorType):
            run.require("bins", ge(n, 1), f"there must be at least one bin, and there are {n!r}", ("bins",))
    if isinstance(weight, TensorType):
        run.require("weight", len(weight.shape) == len(x.shape), f"weights {weight.shape!r} do not fit {x.shape!r}", ("weight", "x"))
        for p, q in zip(weight.shape, x.shape):
            run.require("weight", eq(p, q), f"weights {weight.shape!r} do not fit {x.shape!r}", ("weight", "x"))
    counted = INT64 if weight is None else weight.dtype
    if a["density"] and counted is not None:
        counted = promote("numpy", [Operand(FLOAT64), Operand(counted)])
    cuts = {FLOAT32: FLOAT32, FLOAT16: FLOAT16}.get(x.dtype or FLOAT64, FLOAT64) if is_size(bins) else FLOAT64
    limits = a["range"] if isinstance(a["range"], (tuple, list)) and all(is_number(v) for v in a["range"]) else None
    options = {"x": x, "weight": weight, "bins": bins, "range": limits, "density": bool(a["density"])}
    if is_size(bins):
        return tuple(run.typed("histogram", counted, cuts, **options))
    return tuple(run.shaped("histogram", [Shape((n,)), Shape((n + 1,))], counted, cuts, **options))


def cov(a: dict[str, Any], run: Run) -> TensorType:
    x: TensorType = a["x"]
    if a.get("fweights") is not None or a.get("aweights") is not None:
        raise run.give_up("weighted observations")
    if len(x.shape) > 2:
        raise run.refuse("rank", f"observations are a matrix, and they are {x.shape!r}", ("x",))
    y = a["y"]
    dtype = a.get("dtype") or (None if x.dtype is None else promote("numpy", [Operand(x.dtype), Operand(FLOAT64)]))
    variables = _rows(x, a["rowvar"], y is not None, run)
    if y is not None:
        variables = run("cat", xs=(variables, _rows(y, a["rowvar"], True, run)), dim=0)
    rows = variables.shape[0] if len(variables.shape) == 2 else 1
    if dtype is not None and x.dtype is not None and x.dtype.kind in "iub":
        variables = run("cast", x=variables, dtype=dtype)
    options: dict[str, Any] = {"x": variables}
    if run.row.op == "cov":
        options["correction"] = a["ddof"] if a["ddof"] is not None else 0 if a["bias"] else 1
    shape = Shape((rows, rows)) if isinstance(rows, Term) or rows != 1 else Shape()
    return run.shaped(run.row.op, shape, dtype, **options)


def _rows(x: TensorType, rowvar: Value, matrix: bool, run: Run) -> TensorType:
    """The variables in rows."""
    if len(x.shape) == 2:
        return x if rowvar else run("matrix_transpose", x=x)
    return run("reshape", x=x, size=(1, x.shape.numel)) if matrix else x


def trapezoid(a: dict[str, Any], run: Run) -> TensorType:
    y = tensor_in(a, "y")
    if a["x"] is not None and (len(places := tensor_in(a, "x").shape) > 1 or le(2, places.numel) is not True):
        raise run.give_up("places that are not a vector")
    if a["x"] is not None and -len(y.shape) <= a["dim"] < len(y.shape):
        n, m = y.shape[a["dim"]], tensor_in(a, "x").shape[0]
        run.require("samples", disj(eq(n, m), eq(n, 2), eq(m, 2)), f"there are {m!r} places for {n!r} samples", ("x", "y"))
        if eq(n, m) is not True:
            raise run.give_up("whether there are as many places as samples is unknown")
    dtype = y.dtype
    whole = dtype is not None and dtype.kind in "iub"
    options = {"y": a["y"], "x": a["x"], "dx": a["dx"], "dim": a["dim"]}
    return run.typed("trapezoid", FLOAT64, **options) if whole else run("trapezoid", **options)


def interp(a: dict[str, Value], run: Run) -> TensorType:
    xp, fp = tensor_in(a, "xp"), tensor_in(a, "fp")
    if len(xp.shape) != 1 or len(fp.shape) != 1:
        raise run.refuse("rank", f"points are vectors, and are {xp.shape!r} and {fp.shape!r}", ("xp", "fp"))
    run.require("points", eq(xp.shape[0], fp.shape[0]), f"there are {xp.shape[0]!r} points and {fp.shape[0]!r} values", ("xp", "fp"))
    run.require("points", ge(xp.shape[0], 1), "there are no points to interpolate between", ("xp",))
    dtype = tensor_in(a, "x").dtype
    if dtype is not None and dtype.is_complex:
        raise run.refuse("dtype", "the places must be real", ("x",))
    if xp.dtype is not None and xp.dtype.is_complex:
        raise run.refuse("dtype", "the points must be real", ("xp",))
    dtype = COMPLEX128 if fp.dtype is not None and fp.dtype.is_complex else FLOAT64
    return run.typed("interp", dtype, x=a["x"], xp=xp, fp=fp, left=a["left"], right=a["right"], period=a["period"])


def gradient(a: dict[str, Any], run: Run) -> Value:
    x, axis = tensor_in(a, "x"), a["axis"]
    axes = tuple(range(len(x.shape))) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if not axes or (isinstance(a["edge_order"], int) and a["edge_order"] < 1):
        raise run.give_up("a gradient over no axis, or of no order at the edges")
    if x.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x",))
    for one in axes:
        if not -len(x.shape) <= one < len(x.shape):
            raise run.refuse("axis", f"axis {one} is out of range for {x.shape!r}", ("axis",))
        run.require("size", ge(x.shape[one], a["edge_order"] + 1), f"an axis of {x.shape[one]!r} is too short for a gradient", ("x",))
    if x.dtype is not None and x.dtype.kind in "iu":
        x = run("cast", x=x, dtype=FLOAT64)
    spacing = a["varargs"] if len(a["varargs"]) != 1 else a["varargs"][0]
    options = {"x": x, "spacing": spacing if spacing != () else None, "dim": tuple(axes), "edge_order": a["edge_order"]}
    known = all(is_number(one) for one in a["varargs"])
    made = run("gradient", **options) if known else run.shaped("gradient", [x.shape] * len(axes), x.dtype, **options)
    return made[0] if len(axes) == 1 else tuple(made)


def convolve(a: dict[str, Value], run: Run) -> TensorType:
    return run("convolve_vectors", x=of_rank(tensor_in(a, "x"), 1, run), y=of_rank(tensor_in(a, "y"), 1, run), mode=a["mode"])


def correlate(a: dict[str, Value], run: Run) -> TensorType:
    """A convolution with the conjugate of y, from its end on."""
    x, y = of_rank(tensor_in(a, "x"), 1, run), of_rank(tensor_in(a, "y"), 1, run)

    def turned(one: TensorType) -> TensorType:
        return run("flip", x=run("conj", x=one), dim=(0,))

    if lt(x.shape[0], y.shape[0]) is True:  # the longer vector comes first, which decides what "same" cuts off
        return turned(run("convolve_vectors", x=y, y=turned(x), mode=a["mode"]))
    return run("convolve_vectors", x=x, y=turned(y), mode=a["mode"])
