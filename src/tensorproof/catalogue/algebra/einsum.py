"""Einsum: the equation's parser, the sizes of subscripts, and the output that follows."""

from __future__ import annotations

from collections import Counter

from tensorproof.catalogue.algebra.contraction import Agreed, summable
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Promote
from tensorproof.ops.families import NUMERIC
from tensorproof.ops.inputs import Anything, Choice, Tensors
from tensorproof.ops.record import Op
from tensorproof.ops.storage import steps_of
from tensorproof.terms.dtypes import COMPLEX32, INT64, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import Truth, eq
from tensorproof.terms.shapes import Require, Shape, broadcast_axis
from tensorproof.terms.strides import Laid, laid_like, row_major
from tensorproof.terms.tensor import TensorType


def _agreement(c: Call, name: str) -> Require:
    """States that the sizes of a subscript broadcast."""

    def stated(holds: Truth, a: Dim, b: Dim) -> None:
        c.require("inner", holds, f"subscript {name} of {c['equation']!r} is {a!r} in one operand and {b!r} in another", "xs")

    return stated


def _terms(c: Call, equation: str) -> tuple[list[list[str]], list[str] | None]:
    """The subscripts of each operand and of the output; "..." is one subscript."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = [_subscripts(c, part, equation) for part in left.split(",")]
    return inputs, _subscripts(c, right, equation) if arrow else None


def _subscripts(c: Call, text: str, equation: str) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(text):
        if text.startswith("...", at):
            found.append("...")
            at += 3
            continue
        if not (text[at].isascii() and text[at].isalpha()):
            raise c.refuse("equation", f"{equation!r} has {text[at]!r} where a letter or '...' may stand", "equation")
        found.append(text[at])
        at += 1
    if found.count("...") > 1:
        raise c.refuse("equation", f"{equation!r} has '...' twice in one operand", "equation")
    return found


@any_rank
def einsum_shape(c: Call) -> Shape:
    equation, xs = c["equation"], c["xs"]
    if not isinstance(equation, str):
        raise c.give_up("the equation is not known")
    inputs, output = _terms(c, equation)
    if len(inputs) != len(xs):
        raise c.refuse("operands", f"{equation!r} has {len(inputs)} operands and {len(xs)} tensors are given", ("equation", "xs"))
    sizes: dict[str, Dim] = {}
    covered: list[Shape] = []
    for i, (names, x) in enumerate(zip(inputs, xs)):
        own, hidden = _own_sizes(c, i, names, x.shape if x.shape.known else _narrowed(c, i, names, x.shape))
        covered.append(hidden)
        for name, size in own.items():
            sizes[name] = (
                broadcast_axis(
                    sizes[name],
                    size,
                    _agreement(c, name),
                )
                if name in sizes
                else size
            )
    if c.option("one_ellipsis"):
        ranks = sorted({len(hidden) for names, hidden in zip(inputs, covered) if "..." in names})
        counts = " and ".join(str(rank) for rank in ranks)
        c.require("ellipsis", len(ranks) < 2, f"the ellipses of {equation!r} stand for {counts} axes, and must stand for one number", ("equation", "xs"))
    lead = c.broadcast(*covered, about="xs")
    if output is None:
        once = Counter(name for names in inputs for name in names)
        output = ["...", *sorted(name for name, times in once.items() if times == 1 and name != "...")]
    repeated = [n for n, times in Counter(output).items() if times > 1]
    c.require("equation", not repeated, f"{equation!r} has {', '.join(repeated)} twice in the output", "equation")
    for name in output:
        c.require("equation", name == "..." or name in sizes, f"{equation!r} has {name} in the output and in no operand", "equation")
    if c.option("channels_last"):
        c.laid = _laid(xs, inputs, [name for name in output if name != "..." or lead], sizes)
    c.reordered = c.laid is None and len(output) > 1 and (c.option("channels_last") is not None or not _in_order(inputs, output))
    return Shape(d for name in output for d in (lead if name == "..." else (sizes[name],)))


def _in_order(inputs: list[list[str]], output: list[str]) -> bool:
    """Whether the result lies as the product of two batches of matrices does: common axes, those of the first, those of the second."""
    if len(inputs) != 2:
        return False
    first, second = inputs
    shared = [n for n in output if n in first and n in second]
    return output == [*shared, *(n for n in output if n not in second), *(n for n in output if n not in first)]


def _laid(xs: tuple[TensorType, ...], inputs: list[list[str]], output: list[str], sizes: dict[str, Dim]) -> tuple[Dim, ...] | None:
    """The strides of the product of two operands as torch makes it, or None where they are not known."""
    if len(inputs) != 2 or not all(x.shape.known for x in xs) or any("..." in names for names in inputs) or len(set(output)) < len(output):
        return None
    wide = [[name for name, size in zip(names, x.shape) if size != 1] for names, x in zip(inputs, xs)]
    first, second = wide
    inner = [name for name in sizes if name not in output]
    alone = [name for name in inner if (name in first) != (name in second)]
    if not any(name in inputs[0] and name in inputs[1] for name in inner):
        return None if alone else _multiplied(xs, inputs, output, sizes)
    left, right = [n for n in output if n in first and n not in second], [n for n in output if n in second and n not in first]
    swapped = bool(left and right) and not alone and output.index(right[-1]) < output.index(left[0])
    rest = [n for n in output if n not in left and n not in right]
    order = [*rest, *right, *left] if swapped else [*rest, *left, *right]
    steps = dict(zip(order, row_major([sizes[name] for name in order])))
    return tuple(steps[name] for name in output)


def _multiplied(xs: tuple[TensorType, ...], inputs: list[list[str]], output: list[str], sizes: dict[str, Dim]) -> tuple[Dim, ...] | None:
    """Without a sum, operands whose axes are put in the order of the output are multiplied element by element."""
    operands: list[Laid] = []
    for names, x in zip(inputs, xs):
        steps = steps_of(x)
        if steps is None or len(set(names)) < len(names):
            return None
        own = {name: (size, step) for name, size, step in zip(names, x.shape, steps)}
        aligned = [own.get(name, (1, 1)) for name in output]
        operands.append(([size for size, _ in aligned], tuple(step for _, step in aligned)))
    return laid_like([sizes[name] for name in output], operands, False)


def _narrowed(c: Call, i: int, names: list[str], shape: Shape) -> Shape:
    """An operand of unknown rank has as many axes as subscripts; behind an ellipsis there is no telling."""
    if "..." in names:
        raise c.give_up(f"the rank of operand {i} is not known, and its ellipsis may stand for any number of axes")
    c.require(
        "rank",
        eq(shape.rank, len(names)),
        f"operand {i} must have rank {len(names)}, as its subscripts {''.join(names)!r} tell",
        ("equation", "xs"),
    )
    return Shape(c.fresh(name) for name in names)


def _own_sizes(c: Call, i: int, names: list[str], shape: Shape) -> tuple[dict[str, Dim], Shape]:
    """The size of each subscript in one operand, and the axes that its ellipsis covers."""
    spare = len(shape) - len([n for n in names if n != "..."])
    fits = spare >= 0 if "..." in names else spare == 0
    c.require(
        "rank",
        fits,
        f"operand {i} has rank {len(shape)}, and its subscripts {''.join(names)!r} name {len(shape) - spare} axes",
        ("equation", "xs"),
    )
    at = names.index("...") if "..." in names else len(names)
    axes = [*names[:at], *([""] * spare), *names[at + 1 :]]
    own: dict[str, Dim] = {}
    for name, size in zip(axes, shape):
        if name and name in own:
            if 0 in (own[name], size) and own[name] != size:
                raise c.give_up("a diagonal of nothing, which some libraries take whatever its other size is")
            c.equal("diagonal", own[name], size, f"subscript {name} stands twice in operand {i}, over sizes {{a}} and {{b}}", "xs")
        elif name:
            own[name] = size
    return own, Shape(size for name, size in zip(axes, shape) if not name)


def einsum_dtype(c: Call) -> DType | None:
    """Operands that only multiply promote; where a sum runs over two of them they must agree."""
    inputs, output = _terms(c, c["equation"])
    shared = Counter(name for names in inputs for name in set(names))
    kept = set(output) if output is not None else {n for n, times in Counter(n for names in inputs for n in names).items() if times == 1} | {"..."}
    if any(times > 1 and name not in kept for name, times in shared.items()):
        return summable(c, Agreed("xs")(c))
    common = Promote("xs")(c)
    summed = any(name not in kept for name in shared)
    if summed and common is COMPLEX32:
        return summable(c, common)
    return INT64 if c.option("widens") and summed and common is not None and common.kind in "iub" else common


EQUATIONS = ("ij,jk->ik", "ij->ji", "...ij,...jk->...ik", "ii->i", "i,j->ij", "bij,bjk", "ij->", "b i j , b k j -> b i k", "i,i", "ijk,kl->ijl", "...a->...")
"""For the generator."""
EINSUM = Op(
    "einsum",
    inputs=(Tensors("xs", "...", NUMERIC, draw="@equation"),),
    attributes=(Anything("equation", like=(Choice("equation", EQUATIONS),)),),
    shape=einsum_shape,
    dtype=einsum_dtype,
    evaluate=lambda np, a: np.einsum(a["equation"].replace(" ", ""), *a["xs"]),
    doc="A sum of products, by the subscripts of an equation.",
)
