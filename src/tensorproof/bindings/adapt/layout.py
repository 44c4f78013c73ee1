"""How torch spells changes of shape: composites, copies, and questions about a tensor that have Python answers."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.arrays import Ragged, array_like
from tensorproof.bindings.call import Run, takes
from tensorproof.catalogue.layout import strides_of_format
from tensorproof.ops.inputs import Anything, Axes, Bool, Choice, Int, Ints, Number, Sizes, Tensor, Tensors, is_size
from tensorproof.ops.storage import row_major, steps_of, strides_or_none
from tensorproof.terms.dtypes import BOOL, FLOAT32, INT64
from tensorproof.terms.ints import Term, ceildiv, product
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.shapes import Shape, broadcast
from tensorproof.terms.tensor import TensorType

Arguments = dict[str, Any]


LISTS = (
    Ints("size", shape=True, one=False), Ints("stride", least=0, one=False), Ints("times", one=False), Axes("dim", optional=False, one=False),
)  # fmt: skip


@takes(*LISTS)
def listed(a: Arguments, run: Run) -> Any:
    """As the operator; but where torch's functions want a list, one number does not do."""
    return run.default(a)


def movedim(a: Arguments, run: Run) -> Any:
    both = isinstance(a["source"], (list, tuple)) == isinstance(a["target"], (list, tuple))
    run.require(
        "axes", both, f"source and destination are two numbers or two lists, not {a['source']!r} and {a['target']!r}", ("source", "target")
    )
    return run.default(a)


@takes(Int("start"))
def narrow(a: Arguments, run: Run) -> Any:
    made = run.default(a)
    return made.but(strides=None) if run.name.endswith("_copy") else made


def copied(a: Arguments, run: Run) -> Any:
    """permute_copy and the like: as the view, in memory of its own."""
    made = run.default(a)
    if isinstance(made, TensorType):
        return made.but(strides=None)
    return tuple(m.but(strides=None) for m in made)


@takes(Tensor("y"))
def like(a: Arguments, run: Run) -> Any:
    """view_as, reshape_as, expand_as: the shape of another tensor."""
    y: TensorType = a["y"]
    if not y.shape.known:
        raise run.give_up("the rank of the other tensor is not known")
    return run.default({**a, "size": tuple(y.shape)})


def expanded(a: Arguments, run: Run) -> Any:
    """broadcast_to of torch, which has no strides to tell."""
    return run.default(a)


@takes(Anything("dims"))
def adjoint(a: Arguments, run: Run) -> Any:
    """H: a matrix, or a number, transposed and conjugated."""
    x: TensorType = a["x"]
    run.require("rank", len(x.shape) in (0, 2), f"H is for matrices, and x is {x.shape!r}", ("x",))
    return x if len(x.shape) == 0 else run("adjoint", x=x)


@takes(Anything("xs", like=(Tensor("xs"), Tensors("xs"))))
def atleast_one(a: Arguments, run: Run) -> Any:
    """As ATen has it: one tensor, or a list."""
    return atleast(a, run)


@takes(Ints("size", least=0, shape=True, one=False), Ints("stride", least=0, one=False))
def aliased(a: Arguments, run: Run) -> Any:
    """_reshape_alias: the sizes must be told in full."""
    return run.default(a)


def chunk_like(a: Arguments, run: Run) -> Any:
    return run.default(a)


def _cuts(value: Any, run: Run) -> Any:
    if isinstance(value, TensorType):
        if value.dtype is not None and not (value.dtype.is_integer and value.dtype.bits == 64):
            raise run.refuse("dtype", f"the places of the cuts must be int64, and are {value.dtype!r}", ("at",))
        run.require("rank", len(value.shape) <= 1, f"the places of the cuts must be a number or a vector, and are {value.shape!r}", ("at",))
        return value if value.contents is None else value.contents if len(value.shape) else value.contents[0]
    return value


@takes(Int("at"))
def sections(a: Arguments, run: Run) -> Any:
    return tensor_split(a, run) if "least" not in a else axis_split(a, run)


@takes(Ints("at", one=False))
def cuts(a: Arguments, run: Run) -> Any:
    return tensor_split(a, run) if "least" not in a else axis_split(a, run)


def tensor_split(a: Arguments, run: Run) -> Any:
    return run("tensor_split", x=a["x"], at=_cuts(a["at"], run), dim=a["dim"])


def axis_split(a: Arguments, run: Run) -> Any:
    """hsplit, vsplit, dsplit: along a fixed axis, into parts that divide it."""
    x, at, rank = a["x"], _cuts(a["at"], run), a["least"]
    run.require("rank", len(x.shape) >= rank, f"{run.name} needs {rank} axes, and x is {x.shape!r}", ("x",))
    dim = 0 if rank == 2 else 2 if rank == 3 else (0 if len(x.shape) == 1 else 1)
    if is_size(at):
        run.require("sections", at if at is True else at != 0, "the number of parts must not be 0", ("at",))
        run.require(
            "sections", eq(x.shape[dim] % at, 0), f"an axis of size {x.shape[dim]!r} does not divide into {at!r} parts", ("at", "x")
        )
    return run("tensor_split", x=x, at=at, dim=dim)


def _raised(x: TensorType, rank: int, run: Run) -> TensorType:
    made: TensorType = run("atleast", x=x, least=rank)
    return made


def _all(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    xs = tuple(a["xs"])
    run.require("xs", len(xs) > 0, "at least one tensor is needed", ("xs",))
    return xs


@takes(Tensors("xs", least=0))
def hstack(a: Arguments, run: Run) -> Any:
    xs = tuple(_raised(x, 1, run) for x in _all(a, run))
    return run("cat", xs=xs, dim=0 if len(xs[0].shape) == 1 else 1)


@takes(Tensors("xs", least=0))
def vstack(a: Arguments, run: Run) -> Any:
    return run("cat", xs=tuple(_raised(x, 2, run) for x in _all(a, run)), dim=0)


@takes(Tensors("xs", least=0))
def dstack(a: Arguments, run: Run) -> Any:
    return run("cat", xs=tuple(_raised(x, 3, run) for x in _all(a, run)), dim=2)


@takes(Tensors("xs", least=0))
def column_stack(a: Arguments, run: Run) -> Any:
    columns = [x if len(x.shape) > 1 else run("reshape", x=x, size=(x.shape.numel, 1)) for x in _all(a, run)]
    return run("cat", xs=tuple(columns), dim=1)


@takes(Tensors("xs", least=0), Int("least"))
def atleast(a: Arguments, run: Run) -> Any:
    """One tensor, several, or a list of them."""
    xs = a["xs"]
    if isinstance(xs, TensorType):
        return run("atleast", x=xs, least=a["least"])
    if isinstance(xs, tuple) and len(xs) == 1 and isinstance(xs[0], TensorType):
        return run("atleast", x=xs[0], least=a["least"])
    if not all(isinstance(x, TensorType) for x in xs):
        raise run.refuse("xs", f"{run.name} takes tensors", ("xs",))
    return tuple(run("atleast", x=x, least=a["least"]) for x in xs)


@takes(Ints("times", one=False))
def tile(a: Arguments, run: Run) -> Any:
    times = tuple(a["times"])
    missing = len(a["x"].shape) - len(times)
    return run("repeat", x=a["x"], times=(1,) * max(0, missing) + times)


def diag(a: Arguments, run: Run) -> Any:
    """A matrix from a vector, or the diagonal of a matrix."""
    x: TensorType = a["x"]
    run.require("rank", len(x.shape) in (1, 2), f"diag takes a vector or a matrix, and x is {x.shape!r}", ("x",))
    if len(x.shape) == 1:
        return run("diag_embed", x=x, offset=a["offset"])
    made = run("diagonal", x=x, offset=a["offset"], dim1=0, dim2=1)
    return made.but(strides=None)


def diagflat(a: Arguments, run: Run) -> Any:
    x: TensorType = a["x"]
    return run("diag_embed", x=run("reshape", x=x, size=(x.shape.numel,)), offset=a["offset"])


@takes(Anything("shapes", like=(Ints("shapes", shape=True, one=False),), many=True))
def broadcast_shapes(a: Arguments, run: Run) -> Any:
    """torch.broadcast_shapes: a tuple of sizes."""
    shapes: list[Shape] = []
    for one in a["shapes"]:
        sizes = (one,) if is_size(one) else tuple(one)
        for n in sizes:
            run.require("size", n >= 0 if isinstance(n, int) else True, f"a size cannot be negative, and is {n!r}", ("shapes",))
        shapes.append(Shape(sizes))

    def stated(holds: Any, x: Any, y: Any) -> None:
        run.require("broadcast", holds, f"sizes {x!r} and {y!r} do not broadcast", ("shapes",))

    return broadcast(shapes, stated) if shapes else Shape()


@takes(Tensor("y"), Ints("size", least=0, shape=True))
def resized(a: Arguments, run: Run) -> Any:
    y = a.get("y")
    return run("resize", x=a["x"], size=tuple(y.shape) if isinstance(y, TensorType) else a["size"], memory=a.get("memory"))


# --- questions ---------------------------------------------------------------------------------------------------------------------


def _known(x: TensorType, run: Run) -> Shape:
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    return x.shape


@takes(Anything("dim"))
def size(a: Arguments, run: Run) -> Any:
    shape = _known(a["x"], run)
    if a["dim"] is None:
        return shape
    return shape[_axis(a["dim"], len(shape), run)]


def _axis(value: Any, rank: int, run: Run) -> int:
    if not isinstance(value, int):
        raise run.give_up("the axis is not known")
    run.require("axis", -rank <= value < rank, f"dim = {value} is out of range for rank {rank}", ("dim",))
    return value


def dim(a: Arguments, run: Run) -> Any:
    return a["x"].shape.rank


def numel(a: Arguments, run: Run) -> Any:
    return a["x"].shape.numel


@takes(Anything("dim"))
def stride(a: Arguments, run: Run) -> Any:
    shape = _known(a["x"], run)
    steps = steps_of(a["x"])
    if steps is None:
        raise run.give_up("the strides are not known")
    return tuple(steps) if a["dim"] is None else steps[_axis(a["dim"], len(shape), run)]


def is_contiguous(a: Arguments, run: Run) -> Any:
    x: TensorType = a["x"]
    steps = steps_of(x) if x.shape.known else None
    if steps is None:
        raise run.give_up("the strides are not known")
    word = str(a.get("memory")).removeprefix("torch.")
    if word.startswith("channels_last"):
        wanted = strides_of_format(x.shape, word) or row_major(x.shape)
        return len(x.shape) in (4, 5) and all(s == w or n == 1 for s, w, n in zip(steps, wanted, x.shape))
    return strides_or_none(x.shape, steps) is None


def is_kind(a: Arguments, run: Run) -> Any:
    """is_floating_point, is_complex, is_signed."""
    x: TensorType = a["x"]
    if x.dtype is None:
        raise run.give_up("the element type is not known")
    return x.dtype.kind in a["kinds"]


@takes(Tensor("y"))
def same_size(a: Arguments, run: Run) -> Any:
    x, y = _known(a["x"], run), _known(a["y"], run)
    holds = len(x) == len(y) and conj(*(eq(p, q) for p, q in zip(x, y)))
    if not isinstance(holds, bool):
        raise run.give_up("whether the sizes are equal is not known")
    return holds


def element_size(a: Arguments, run: Run) -> Any:
    x: TensorType = a["x"]
    if x.dtype is None:
        raise run.give_up("the element type is not known")
    return x.dtype.bits // 8


def nbytes(a: Arguments, run: Run) -> Any:
    return element_size(a, run) * a["x"].shape.numel


def tolist(a: Arguments, run: Run) -> Any:
    x: TensorType = a["x"]
    count = x.shape.numel
    if not x.shape.concrete or not isinstance(count, int) or (x.contents is None and count > 256):
        raise run.give_up("the elements are not known")
    flat = x.contents if x.contents is not None else tuple(scalar(x.but(shape=Shape()), run) for _ in range(count))

    def nested(flat: tuple[Any, ...], shape: tuple[Any, ...]) -> Any:
        if not shape:
            return flat[0]
        step = len(flat) // shape[0] if shape[0] else 0
        return [nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]

    return nested(flat, tuple(x.shape))


def length(a: Arguments, run: Run) -> Any:
    shape = _known(a["x"], run)
    run.require("rank", len(shape) > 0, "a tensor without axes has no length", ("x",))
    return shape[0]


def scalar(x: TensorType, run: Run) -> Any:
    """The Python number in a tensor of one element: exact, or a symbol, or a number of which only the kind is known."""
    if x.contents is not None and len(x.contents) == 1:
        return x.contents[0]
    if x.dtype is not None and x.dtype.is_integer:
        return run.fresh("item", -(1 << 63), (1 << 63) - 1)
    return TensorType(Shape(), x.dtype, weak=True)


def item(a: Arguments, run: Run) -> Any:
    """x.item(), int(x), float(x), bool(x)."""
    x: TensorType = a["x"]
    run.require(
        "item/elements", eq(x.shape.numel, 1), f"only a tensor of one element is a Python number, and this one is {x.shape!r}", ("x",)
    )
    found = scalar(x, run)
    kind = a.get("kind")
    if kind is None or type(found) is Term:
        return found if kind != "bool" else TensorType(Shape(), BOOL, weak=True)
    if isinstance(found, TensorType):
        return run.fresh("item", -(1 << 63), (1 << 63) - 1) if kind == "int" else found.but(dtype=BOOL if kind == "bool" else FLOAT32)
    return {"int": int, "float": float, "bool": bool}[kind](found)


def first(a: Arguments, run: Run) -> Any:
    """The number in front, without a look at how many there are."""
    x: TensorType = a["x"]
    run.require("elements", ge(x.shape.numel, 1), "a tensor without elements holds no number", ("x",))
    return scalar(x.but(contents=x.contents[:1] if x.contents else None), run)


def is_nonzero(a: Arguments, run: Run) -> Any:
    return item({**a, "kind": "bool"}, run)


@takes(Tensor("other"))
def untold(a: Arguments, run: Run) -> Any:
    """Yes or no, which is not followed."""
    return TensorType(Shape(), BOOL, weak=True)


def untold_number(a: Arguments, run: Run) -> Any:
    return run.fresh("number", -1)


def sparse_dim(a: Arguments, run: Run) -> Any:
    """How many axes a sparse tensor keeps by places; the rest are dense."""
    x: TensorType = a["x"]
    if x.layout == "strided":
        return 0 if run.name.endswith("sparse_dim") else x.shape.rank
    return run.fresh("axes", 0, len(x.shape) if x.shape.known else None)


@takes(Tensor("x", values="layout:sparse_coo"))
def is_coalesced(a: Arguments, run: Run) -> Any:
    run.require("layout", a["x"].layout == "sparse_coo", "only a tensor of the layout sparse_coo is coalesced or not", ("x",))
    return untold(a, run)


def fliplr(a: Arguments, run: Run) -> Any:
    run.require("rank", len(a["x"].shape) >= 2, f"fliplr needs two axes, and x is {a['x'].shape!r}", ("x",))
    return run("flip", x=a["x"], dim=1)


def flipud(a: Arguments, run: Run) -> Any:
    run.require("rank", len(a["x"].shape) >= 1, "flipud needs an axis", ("x",))
    return run("flip", x=a["x"], dim=0)


@takes(Tensor("times", values="positive"))
def counted_out(a: Arguments, run: Run) -> Any:
    """torch.repeat_interleave(repeats): position i, repeats[i] times."""
    times: TensorType = a["times"]
    run.require("rank", len(times.shape) == 1, f"repeats must be a vector, and are {times.shape!r}", ("times",))
    return run("repeat_interleave", x=run("arange", end=times.shape[0]), times=times, dim=0, size=a["size"])


@takes(Sizes("blocksize", 2, least=1, one=False))
def to_blocks(a: Arguments, run: Run) -> Any:
    return run.default(a)


@takes(Anything("format", like=(Choice("format", ("torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc")),)))
def to_sparse(a: Arguments, run: Run) -> Any:
    form = str(a["format"] or "sparse_coo").removeprefix("torch.")
    blocks = form in ("sparse_bsr", "sparse_bsc")
    run.require("blocksize", blocks == (a["blocksize"] is not None), f"{form} {'needs' if blocks else 'takes no'} blocksize", ("blocksize", "format"))
    return run("to_sparse", x=a["x"], format=form, blocksize=a["blocksize"])


def _made(value: Any, run: Run) -> TensorType:
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


@takes(
    Anything("index", like=(Tensor("index", "D N", frozenset({INT64}), values="index"),)),
    Anything("starts", like=(Tensor("starts", "R", frozenset({INT64}), values="index"),)),
    Anything("places", like=(Tensor("places", "N", frozenset({INT64}), values="index"),)),
    Anything("value", like=(Tensor("value", "N"), Tensor("value", "N _ _"))),
)
def sparse(a: Arguments, run: Run) -> Any:
    """Places and values as tensors or as lists."""
    made = {k: _made(v, run) if k in ("index", "starts", "places", "value") else v for k, v in a.items()}
    if run.name.startswith("aten.") and a.get("dtype") is not None:  # ATen does not convert
        same = a["dtype"] is made["value"].dtype
        run.require("dtype", same or run.row.op == "sparse_coo_tensor", f"values of {made['value'].dtype!r} are not {a['dtype']!r}", ("dtype", "value"))
        made["dtype"] = None
    return run.default(made)


@takes(Tensor("x", draw="_ _ | N N N"), Number("value"), Bool("wrap", False))
def fill_diagonal(a: Arguments, run: Run) -> Any:
    x: TensorType = a["x"]
    run.require("rank", len(x.shape) >= 2, f"a diagonal needs two axes, and x is {x.shape!r}", ("x",))
    for n in x.shape[1:] if len(x.shape) > 2 else ():
        run.require("size", eq(n, x.shape[0]), f"beyond two axes all sizes must be equal, and x is {x.shape!r}", ("x",))
    return x.but(contents=None)


@takes(Number("value"))
def contains(a: Arguments, run: Run) -> Any:
    return TensorType(Shape(), BOOL, weak=True)


@takes(Tensor("x"))
def shape_tensor(a: Arguments, run: Run) -> Any:
    shape = _known(a["x"], run)
    return run("constant", data=TensorType(Shape((len(shape),)), INT64, contents=tuple(shape)))


@takes(Tensors("xs", least=0), Int("chunks"), Int("dim"))
def chunk_cat(a: Arguments, run: Run) -> Any:
    """Each tensor padded to so many equal parts; part i of all of them, flattened, one behind the other."""
    xs, dim, n = _all(a, run), a["dim"], a["chunks"]
    run.require("chunks", n >= 1, f"the number of parts must be at least 1, and is {n!r}", ("chunks",))
    total: Any = 0
    dim = dim + len(xs[0].shape) if dim < 0 else dim
    for x in xs:
        same = x.dtype is xs[0].dtype and len(x.shape) >= 1 and x.shape.numel != 0
        run.require("xs", same, "the tensors must be of one element type and not empty", ("xs",))
        run.require("axis", 0 <= dim < len(x.shape), f"dim = {dim} is out of range for rank {len(x.shape)}", ("dim",))
        for p, q in zip(x.shape[:dim], xs[0].shape[:dim]):
            run.require("size", eq(p, q), f"the axes before dim must agree, and are {p!r} and {q!r}", ("xs",))
        total = total + ceildiv(x.shape[dim], n) * product(x.shape[dim + 1 :])
    return xs[0].but(shape=Shape((*xs[0].shape[:dim], n, total)), contents=None, strides=None)


def parts_copied(a: Arguments, run: Run) -> Any:
    return tuple(part.but(strides=None) for part in run.default(a))


@takes(Int("times", least=0))
def repeated(a: Arguments, run: Run) -> Any:
    return run.default(a)


@takes(Tensor("times", values="positive"))
def repeated_each(a: Arguments, run: Run) -> Any:
    return run.default(a)


@takes(*LISTS)
def listed_copied(a: Arguments, run: Run) -> Any:
    return copied(a, run)


@takes(Choice("reduce", ("sum", "mean", "amax", "amin")))
def reduced_mm(a: Arguments, run: Run) -> Any:
    return run.default(a)
