"""Spellings of torch.masked: a reduction or scan of those elements that a mask lets through.

The mask broadcasts into x and may have any element type. What it shuts out is replaced by the operation's neutral element, which not every
element type has.
"""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import BOOL, FLOAT32, INT64, UINT8, DType, TensorType

INF = float("inf")


def _input(a: dict[str, Any], run: Run, neutral: str = "buifc") -> TensorType:
    """x, whose mask fits and whose elements, where there is a mask, are of a kind in `neutral`; what the mask shuts out is the neutral element."""
    x, mask = a["x"], a["mask"]
    assert isinstance(x, TensorType)
    if x.layout != "strided" or (mask is not None and mask.layout != "strided"):
        raise run.give_up("masks of sparse tensors are not modelled")
    if mask is not None:
        mask = run("cast", x=mask, dtype=BOOL)
        if x.shape.known:
            mask = run("expand", x=mask, size=tuple(x.shape))
        has = x.dtype is None or x.dtype.kind in neutral or (x.dtype is UINT8 and "i" in neutral)
        run.require("dtype", has, f"{run.name} has no neutral element of type {x.dtype!r} to put where the mask is false", ("x", "mask"))
        return _shut(run, x, mask, INF if a.get("ord") == -INF else float(a.get("neutral", 0)))
    return x


def _shut(run: Run, x: TensorType, mask: TensorType, number: float) -> TensorType:
    """x with a number in the places that the mask shuts out; a number that the element type does not have is its greatest or least."""
    if x.dtype is None or x.dtype.kind in "fc":
        value: Value = number if x.dtype is not None and x.dtype.kind == "f" else complex(number) if x.dtype is not None else number
    elif x.dtype is BOOL:
        value = bool(number)
    else:
        value = int(number) if number == number and abs(number) != INF else int(x.dtype.greatest if number > 0 else x.dtype.least)
    return run.typed("where", x.dtype, condition=mask, x=x, y=value)


def _axes(a: dict[str, Value]) -> dict[str, Any]:
    return {"dim": a["dim"], "keepdim": bool(a["keepdim"])}


def _cast(run: Run, made: TensorType, dtype: DType | None) -> TensorType:
    return run("cast", x=made, dtype=dtype)


def summed(a: dict[str, Any], run: Run) -> TensorType:
    """Sums and products: narrow whole numbers widen to 64 bits."""
    x = _input(a, run)
    narrow = x.dtype is not None and (x.dtype.label in ("uint8", "bool", "int8", "int16", "int32") or (run.row.op == "prod" and x.dtype.is_integer))
    dtype = a["dtype"] or (INT64 if narrow else x.dtype)
    if run.row.op == "prod" and x.shape.rank == 0 and a["dim"] in (None, ()):  # no axis, no kernel
        return _cast(run, x, dtype)
    if run.row.op == "prod" and dtype is BOOL:
        x, dtype = run("cast", x=x, dtype=BOOL), INT64
    return run(run.row.op, x=x, dtype=dtype, **_axes(a))


def extreme(a: dict[str, Any], run: Run) -> TensorType:
    """The extreme, in x's element type if no other is given."""
    x = _input(a, run, "if")
    return _cast(run, run(run.row.op, x=x, **_axes(a)), a["dtype"] or x.dtype)


def mean(a: dict[str, Value], run: Run) -> TensorType:
    x = _input(a, run)
    made = run("mean", x=x, dtype=a["dtype"], **_axes(a))
    if a["mask"] is None:
        return made
    kept = run("expand", x=run("cast", x=a["mask"], dtype=BOOL), size=tuple(x.shape))
    return run.typed("div", made.dtype, x=run("sum", x=x, dtype=a["dtype"], **_axes(a)), y=run("sum", x=kept, **_axes(a)))


def logsumexp(a: dict[str, Any], run: Run) -> TensorType:
    """The result is cast back to x's element type, whole numbers too."""
    x = _input(a, run, "ifc")
    return _cast(run, run("logsumexp", x=x, **_axes(a)), a["dtype"] or x.dtype)


def median(a: dict[str, Any], run: Run) -> TensorType:
    """Floats ignore `dtype`; all else is computed in float32 and cast back."""
    x = _input(a, run)
    is_float = x.dtype is None or x.dtype.is_float
    made = run("nanmedian_along", x=x if is_float else _cast(run, x, FLOAT32), **_axes(a))[0]
    return made if is_float else _cast(run, made, a["dtype"] or x.dtype)


def norm(a: dict[str, Value], run: Run) -> TensorType:
    x = _input(a, run, "f" if a["ord"] == -float("inf") else "buifc")
    return run("vector_norm", x=x, ord=2 if a["ord"] is None else a["ord"], dtype=a["dtype"] or x.dtype, **_axes(a))


def normalize(a: dict[str, Value], run: Run) -> TensorType:
    """x by its norm, which has the element type `dtype`."""
    made = norm({**a, "keepdim": True}, run)
    return run("div", x=a["x"], y=made)


def scan(a: dict[str, Value], run: Run) -> TensorType:
    """Running sums and products, in x's element type if no other is given."""
    x = _input(a, run)
    return run(run.row.op, x=x, dim=a["dim"], dtype=a["dtype"] or x.dtype)


def spread(a: dict[str, Any], run: Run) -> TensorType:
    """Variances and standard deviations; those of complex numbers are complex here."""
    both = a["unbiased"] is not None and a["correction"] is not None
    run.require("correction", not both, "unbiased and correction are two names of one thing; only one may be given", ("unbiased", "correction"))
    less = a["correction"] if a["unbiased"] is None else int(a["unbiased"])
    x = _input(a, run)
    wanted = a["dtype"] or x.dtype
    if wanted is None or x.dtype is None:
        return run(run.row.op, x=x.but(dtype=None), **_axes(a))
    dtype = wanted if a["dtype"] is not None or wanted.is_float or wanted.is_complex else FLOAT32
    if a["mask"] is None and dtype.is_float and not x.dtype.is_complex:
        return run(run.row.op, x=_cast(run, x, dtype), correction=1 if less is None else less, **_axes(a))
    if not x.shape.known:
        return run.typed(run.row.op, FLOAT32 if run.row.op == "std" and dtype.kind in "bui" else dtype, x=x, **_axes(a))
    return _spread_by_steps(a, run, x, dtype, 1.0 if less is None else float(less))


def _spread_by_steps(a: dict[str, Any], run: Run, kept: TensorType, dtype: DType, less: float) -> TensorType:
    """The squared distances of x from the mean of what the mask keeps, over the number of elements that it keeps, less the correction. The mean is of
    elements cast to `dtype`, also of whole numbers, and the root is that of the variance in `dtype`."""
    x, along, whole = a["x"], _axes(a), not (dtype.is_float or dtype.is_complex)
    finer = FLOAT32 if whole else dtype
    mask = run("full_like", x=x, value=True, dtype=BOOL) if a["mask"] is None else run("expand", x=run("cast", x=a["mask"], dtype=BOOL), size=tuple(x.shape))
    mean = run("div", x=run("sum", x=kept, dtype=dtype, **{**along, "keepdim": True}), y=run("sum", x=mask, **{**along, "keepdim": True}))
    apart = run("sub", x=x, y=mean)
    squares = run("mul", x=apart, y=run("conj", x=apart)) if apart.dtype is not None and apart.dtype.is_complex else run("square", x=apart)
    total = run("sum", x=_shut(run, squares, mask, 0.0), dtype=finer, **along)
    count = run("sum", x=mask, **along)
    if less != 0:
        count = run("relu", x=run("sub", x=_cast(run, count, finer.real), y=less))
    made = _cast(run, run("div", x=total, y=count), dtype)
    return made if run.row.op == "var" else run("sqrt", x=made)
