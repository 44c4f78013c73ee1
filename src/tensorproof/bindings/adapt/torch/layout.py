"""How torch spells changes of shape: composites and copies. Questions about a tensor are in `questions`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.torch.questions import known_shape
from tensorproof.bindings.adapters import Ragged, Run, Value, array_like, tensor_in
from tensorproof.ops.inputs import is_size
from tensorproof.terms import INT64, Shape, TensorType, broadcast, ceildiv, eq, product, torch_can_cast

Arguments = dict[str, Any]


def copied(a: Arguments, run: Run) -> Value:
    """permute_copy and the like: as the view, in memory of its own."""
    made = run.default(a)
    return run("copy", x=made) if isinstance(made, TensorType) else tuple(run("copy", x=one) for one in made)


def compact(a: Arguments, run: Run) -> TensorType:
    """ravel: a view where the elements lie row by row, else in memory of its own."""
    made = run.one(a)
    return made if made.strides is None else run("copy", x=made)


def adjoint(a: Arguments, run: Run) -> TensorType:
    """H: a matrix, or a number, transposed and conjugated."""
    x: TensorType = a["x"]
    run.require("rank", len(x.shape) in (0, 2), f"H is for matrices, and x is {x.shape!r}", ("x",))
    return x if len(x.shape) == 0 else run("adjoint", x=x)


def aliased(a: Arguments, run: Run) -> Value:
    """_reshape_alias: the sizes must be given in full."""
    size, stride = a["size"], a["stride"]
    run.require("size", all(type(n) is not int or n >= 0 for n in (*size, *stride)), f"sizes and strides must not be negative: {size!r}", ("size", "stride"))
    run.require("stride", len(size) == len(stride), f"size has {len(size)} axes and stride {len(stride)}", ("size", "stride"))
    if (shape := tensor_in(a, "x").shape).known and eq(shape.numel, product(size)) is False:
        raise run.give_up("ATen does not compare the numbers of elements, and reads what lies in memory")
    return run.default(a)


def _cuts(value: Value, run: Run) -> Value:
    if isinstance(value, TensorType):
        if value.dtype is not None and not (value.dtype.is_integer and value.dtype.bits == 64):
            raise run.refuse("dtype", f"the places of the cuts must be int64, and are {value.dtype!r}", ("at",))
        run.require("rank", len(value.shape) <= 1, f"the places of the cuts must be a number or a vector, and are {value.shape!r}", ("at",))
        return value if value.contents is None else value.contents if len(value.shape) else value.contents[0]
    return value


def sections(a: Arguments, run: Run) -> Value:
    return tensor_split(a, run) if "least" not in a else axis_split(a, run)


def tensor_split(a: Arguments, run: Run) -> Value:
    return run("tensor_split", x=a["x"], at=_cuts(a["at"], run), dim=a["dim"])


def axis_split(a: Arguments, run: Run) -> Value:
    """hsplit, vsplit, dsplit: along a fixed axis, into parts that divide it."""
    x, at, rank = tensor_in(a, "x"), _cuts(a["at"], run), a["least"]
    run.require("rank", len(x.shape) >= rank, f"{run.name} needs {rank} axes, and x is {x.shape!r}", ("x",))
    dim = 0 if rank == 2 else 2 if rank == 3 else (0 if len(x.shape) == 1 else 1)
    if is_size(at):
        run.require("sections", at if at is True else at != 0, "the number of parts must not be 0", ("at",))
        run.require("sections", eq(x.shape[dim] % at, 0), f"an axis of size {x.shape[dim]!r} does not divide into {at!r} parts", ("at", "x"))
    return run("tensor_split", x=x, at=at, dim=dim)


def _all(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    xs = tuple(a["xs"])
    run.require("xs", len(xs) > 0, "at least one tensor is needed", ("xs",))
    return xs


def stacked(a: Arguments, run: Run) -> TensorType:
    """Tensors of at least the rank of the row joined along its axis; without one, vectors along their own, others along the second."""
    xs = tuple(run("atleast", x=x, least=a["least"]) for x in _all(a, run))
    dim = a["dim"] if "dim" in a else 0 if len(xs[0].shape) == 1 else 1
    return run("cat", xs=xs, dim=dim)


def column_stack(a: Arguments, run: Run) -> TensorType:
    columns = [x if len(x.shape) > 1 else run("reshape", x=x, size=(x.shape.numel, 1)) for x in _all(a, run)]
    return run("cat", xs=tuple(columns), dim=1)


def atleast(a: Arguments, run: Run) -> Value:
    """One tensor, several, or a list of them."""
    xs = a["xs"]
    if isinstance(xs, TensorType):
        return run("atleast", x=xs, least=a["least"])
    if isinstance(xs, tuple) and len(xs) == 1 and isinstance(xs[0], TensorType):
        return run("atleast", x=xs[0], least=a["least"])
    if not all(isinstance(x, TensorType) for x in xs):
        raise run.refuse("xs", f"{run.name} takes tensors", ("xs",))
    return tuple(run("atleast", x=x, least=a["least"]) for x in xs)


def tile(a: Arguments, run: Run) -> TensorType:
    times = tuple(a["times"])
    missing = len(tensor_in(a, "x").shape) - len(times)
    return run("repeat", x=a["x"], times=(1,) * max(0, missing) + times)


def diag(a: Arguments, run: Run) -> TensorType:
    """A matrix from a vector, or the diagonal of a matrix."""
    x: TensorType = a["x"]
    run.require("rank", len(x.shape) in (1, 2), f"diag takes a vector or a matrix, and x is {x.shape!r}", ("x",))
    if len(x.shape) == 1:
        return run("diag_embed", x=x, offset=a["offset"])
    return run("copy", x=run("diagonal", x=x, offset=a["offset"], dim1=0, dim2=1))


def broadcast_shapes(a: Arguments, run: Run) -> Value:
    """torch.broadcast_shapes: a tuple of sizes."""
    shapes: list[Shape] = []
    for one in a["shapes"]:
        sizes = (one,) if is_size(one) else tuple(one)
        for n in sizes:
            run.require("size", n >= 0 if isinstance(n, int) else True, f"a size cannot be negative, and is {n!r}", ("shapes",))
        shapes.append(Shape(sizes))

    def stated(holds: Value, x: Value, y: Value) -> None:
        run.require("broadcast", holds, f"sizes {x!r} and {y!r} do not broadcast", ("shapes",))

    return broadcast(shapes, stated) if shapes else Shape()


def to_sparse(a: Arguments, run: Run) -> TensorType:
    form = str(a["format"] or "sparse_coo").removeprefix("torch.")
    blocks = form in ("sparse_bsr", "sparse_bsc")
    run.require("blocksize", blocks == (a["blocksize"] is not None), f"{form} {'needs' if blocks else 'takes no'} blocksize", ("blocksize", "format"))
    return run("to_sparse", x=a["x"], format=form, blocksize=a["blocksize"])


def sparse_mask(a: Arguments, run: Run) -> Value:
    """Whole numbers of a dense tensor go through the element type of a mask of real or complex numbers, which rounds them."""
    x, mask = tensor_in(a, "x"), tensor_in(a, "mask")
    own, wanted = x.dtype, mask.dtype
    if x.layout == "sparse_coo" and own is not None and wanted is not None and not torch_can_cast(wanted, own):
        raise run.give_up(f"elements of type {mask.dtype!r} in the mask are refused beside {x.dtype!r} where both tensors hold any")
    if x.layout not in ("strided", "sparse_coo") and mask.layout != "strided" and (x.layout, mask.layout) != ("sparse_csr", "sparse_csr"):
        raise run.give_up(f"a mask of layout {mask.layout} is refused beside {x.layout} where it holds elements")
    if own is None or wanted is None or own.kind not in "iu" or wanted.kind not in "fc" or (x.layout, mask.layout) != ("strided", "sparse_coo"):
        return run.default(a)
    made = run("sparse_mask", x=run("cast", x=x, dtype=wanted.real), mask=mask)
    return run("cast", x=made, dtype=own)


def _made(value: Value, run: Run) -> TensorType:
    """Lists of numbers where torch makes tensors of them."""
    if isinstance(value, TensorType):
        return value
    try:
        made = array_like("torch", value)
    except Ragged:
        raise run.refuse("ragged", "the nested lists have unequal lengths") from None
    if made is None:
        raise run.give_up("the data are not numbers that are known")
    return made


def sparse(a: Arguments, run: Run) -> Value:
    """Places and values as tensors or as lists."""
    made = {k: _made(v, run) if k in ("index", "starts", "places", "value") else v for k, v in a.items()}
    if run.name.startswith("aten."):  # ATen does not convert
        own, wanted = made["value"].dtype, a.get("dtype") or run.session.default_float
        run.require("dtype", own in (None, wanted) or run.row.op == "sparse_coo_tensor", f"values of {own!r} are not {wanted!r}", ("dtype", "value"))
        made["dtype"] = None
    return run.default(made)


def shape_tensor(a: Arguments, run: Run) -> TensorType:
    shape = known_shape(tensor_in(a, "x"), run)
    return run("constant", data=TensorType(Shape((len(shape),)), INT64, contents=tuple(shape)))


def chunk_cat(a: Arguments, run: Run) -> TensorType:
    """Each tensor padded to so many equal parts; part i of all of them, flattened, one behind the other."""
    xs, dim, n = _all(a, run), a["dim"], a["chunks"]
    run.require("chunks", n >= 1, f"the number of parts must be at least 1, and is {n!r}", ("chunks",))
    parts = []
    dim = dim + len(xs[0].shape) if dim < 0 else dim
    for x in xs:
        same = x.dtype is xs[0].dtype and len(x.shape) >= 1 and x.shape.numel != 0
        run.require("xs", same, "the tensors must be of one element type and not empty", ("xs",))
        run.require("axis", 0 <= dim < len(x.shape), f"dim = {dim} is out of range: the tensor has {len(x.shape)} dimensions", ("dim",))
        for p, q in zip(x.shape[:dim], xs[0].shape[:dim]):
            run.require("size", eq(p, q), f"the axes before dim must agree, and are {p!r} and {q!r}", ("xs",))
        each = ceildiv(x.shape[dim], n)
        behind = (0, 0) * (len(x.shape) - dim - 1)
        padded = run("pad", x=x, padding=(*behind, 0, each * n - x.shape[dim]))
        parts.append(run("reshape", x=padded, size=(*x.shape[:dim], n, each * product(x.shape[dim + 1 :]))))
    return run("cat", xs=tuple(parts), dim=dim + 1)


def reduced_mm(a: Arguments, run: Run) -> Value:
    return run.default({**a, "reduce": {"max": "amax", "min": "amin"}.get(str(a["reduce"]), a["reduce"])})
