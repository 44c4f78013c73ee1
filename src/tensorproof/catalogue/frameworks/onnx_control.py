"""Sequences, optional values, strings and detections of ONNX.

A sequence is a vector of opaque elements; where its tensors are known they are its contents. An optional value is its value, or None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.joining import pieces
from tensorproof.catalogue.frameworks.onnx_tensors import axis_in, somewhere
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Same
from tensorproof.ops.families import broadcast_shape, same_shape
from tensorproof.ops.inputs import Anything, Bool, Choice, Int, Ints, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.ops.storage import selected
from tensorproof.terms.dtypes import BOOL, FLOAT32, INT32, INT64, UINT8, DType
from tensorproof.terms.ints import Dim, maximum
from tensorproof.terms.predicates import conj, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import word_groups as words
    from tensorproof.catalogue.images.formulas import kept_boxes
else:
    kept_boxes = later("catalogue.images.formulas.kept_boxes")
    words = later("catalogue.frameworks.formulas.word_groups")

STRINGS = frozenset({DType.STRING})
SEQUENCES = frozenset({DType.VARIANT})


def sequence(items: Any) -> TensorType:
    """A sequence of known tensors."""
    made = tuple(items)
    return TensorType(Shape((len(made),)), DType.VARIANT, contents=made, framework="onnx")


def long_sequence(length: Dim) -> TensorType:
    """A sequence of which only the length is known."""
    return TensorType(Shape((length,)), DType.VARIANT, framework="onnx")


def place(c: Call, size: Dim, last: int = 0) -> Any:
    """A position in a sequence, counted from its end where negative; None where it is not known."""
    at = c["index"]
    if isinstance(at, TensorType):
        return None
    reach = size + last
    inside = conj(le(-size, at), lt(at, reach))
    c.require("range", inside, f"position {at!r} is out of range for a sequence of {size!r}", ("index", "x"))
    return at


X = Tensor("x", "N", SEQUENCES)
AT = Int("index", None, optional=True, loose=True)


def element(c: Call) -> TensorType:
    x = c.tensor("x")
    at = place(c, x.shape[0])
    if x.contents is not None and isinstance(at, int):
        made: TensorType = x.contents[at]
        return made
    return common(c, x)


def common(c: Call, x: TensorType) -> TensorType:
    """What holds for every tensor of a sequence."""
    items: tuple[TensorType, ...] = x.contents or ()
    dtypes, shapes = {t.dtype for t in items}, {t.shape for t in items}
    return TensorType(shapes.pop() if len(shapes) == 1 else somewhere(c), dtypes.pop() if len(dtypes) == 1 else None, framework="onnx")


def inserted(c: Call) -> TensorType:
    x = c.tensor("x")
    size = x.shape[0]
    at = size if c["index"] is None else place(c, size, 1)
    if x.contents is None or not isinstance(at, int):
        return long_sequence(size + 1)
    where = at + len(x.contents) if at < 0 else at
    return sequence((*x.contents[:where], c.tensor("y"), *x.contents[where:]))


def erased(c: Call) -> TensorType:
    x = c.tensor("x")
    at = -1 if c["index"] is None else place(c, x.shape[0])
    if x.contents is None or not isinstance(at, int):
        return long_sequence(x.shape[0] - 1)
    where = at % len(x.contents)
    return sequence((*x.contents[:where], *x.contents[where + 1 :]))


def split_up(c: Call) -> TensorType:
    x, sizes = c.tensor("x"), c["sizes"]
    axis = axis_in(c, c["dim"], len(x.shape))
    n = x.shape[axis]
    if isinstance(sizes, TensorType):
        if sizes.contents is None:
            return long_sequence(c.fresh("parts"))
        sizes = sizes.contents[0] if len(sizes.shape) == 0 else sizes.contents
    if type(n) is not int and not isinstance(sizes, tuple):
        return long_sequence(n if sizes is None else c.fresh("parts"))
    if sizes is None:
        return sequence(pieces(x, axis, [1] * n) if c["keepdim"] else [selected(c, x, axis, i) for i in range(n)])
    if isinstance(sizes, int):
        c.require("sizes", sizes > 0, f"the size of a part must be positive, and is {sizes!r}", "sizes")
        whole, rest = divmod(n, sizes)
        sizes = (sizes,) * whole + ((rest,) if rest else ())
    total = sum(sizes)
    c.equal("sizes", total, n, "the parts make {a} and the axis has size {b}", ("sizes", "x"))
    return sequence(pieces(x, axis, list(sizes)))


def constructed(c: Call) -> TensorType:
    Same("xs")(c)
    return sequence(c["xs"])


SEQUENCE_CONSTRUCT = Op("sequence_construct", (Tensors("xs"),), (), any_rank(constructed), opaque="handle", doc="A sequence of tensors.")
SEQUENCE_EMPTY = Op("sequence_empty", (), (Anything("dtype"),), lambda c: sequence(()), opaque="handle", doc="A sequence of nothing.")
SEQUENCE_AT = Op("sequence_at", (X,), (AT,), element, opaque="handle", doc="One tensor of a sequence.")
SEQUENCE_INSERT = Op(
    "sequence_insert", (X, Tensor("y")), (AT,), any_rank(inserted), opaque="handle", doc="A sequence with a tensor put in, at its end unless said otherwise."
)
SEQUENCE_ERASE = Op("sequence_erase", (X,), (AT,), erased, opaque="handle", doc="A sequence without one tensor, the last unless said otherwise.")
SEQUENCE_LENGTH = Op(
    "sequence_length", (X,), (), lambda c: TensorType(Shape(), INT64, contents=(c.shape("x")[0],)), opaque="handle", doc="The length of a sequence."
)
SPLIT_TO_SEQUENCE = Op(
    "split_to_sequence",
    (Tensor("x"),),
    (Anything("sizes"), Int("dim", 0), Bool("keepdim", True)),
    split_up,
    opaque="handle",
    doc="A tensor taken apart into a sequence.",
)
OPTIONAL_HAS = Op(
    "optional_has",
    (Tensor("x", optional=True, default=None),),
    (Bool("sure", False),),
    any_rank(lambda c: Shape()),
    BOOL,
    opaque="type",
    doc="Whether an optional value is there.",
)


# --- strings and files ---------------------------------------------------------------------------------------------------------------


STRING_CONCAT = Op(
    "string_concat",
    (Tensor("x", "...", STRINGS), Tensor("y", "...", STRINGS)),
    (),
    broadcast_shape,
    Same("x", "y"),
    opaque="text",
    doc="Strings joined in pairs.",
)
REGEX_MATCH = Op("regex_match", (Tensor("x", "...", STRINGS),), (), same_shape, BOOL, opaque="text", doc="Whether strings match a pattern as a whole.")
STRING_SPLIT = Op(
    "string_split",
    (Tensor("x", "...", STRINGS),),
    (Anything("delimiter"), Anything("most")),
    lambda c: [Shape((*c.shape("x"), _most_parts(c))), c.shape("x")],
    DType.STRING,
    outputs=(Out("parts", DType.STRING), Out("counts", INT64)),
    data_dependent=True,
    opaque="text",
    doc="Strings cut at a delimiter; the longest cut says the size of the new axis.",
)


def _most_parts(c: Call) -> Dim:
    held = c.contents("x")
    if held is None or not all(isinstance(text, str) for text in held):
        return c.fresh("parts")
    most = -1 if c["most"] is None else c["most"]
    return max((len(text.split(c["delimiter"] or None, most)) for text in held), default=0)


def normalized_strings(c: Call) -> Shape:
    x, words = c.shape("x"), c["stopwords"]
    if not words:
        return Shape((*x[:-1], maximum(x[-1], 1)))
    held = c.contents("x")
    if held is None or not all(isinstance(text, str) for text in held):
        return Shape((*x[:-1], c.fresh("words", 1)))
    plain = (lambda text: text) if c["case_sensitive"] else str.lower
    gone = {plain(w) for w in words}
    return Shape((*x[:-1], max(1, sum(1 for text in held if plain(text) not in gone))))


STRING_NORMALIZE = Op(
    "string_normalize",
    (Tensor("x", "C | 1 C", STRINGS),),
    (Choice("case", ("NONE", "LOWER", "UPPER"), "NONE"), Bool("case_sensitive", False), Anything("stopwords")),
    normalized_strings,
    DType.STRING,
    data_dependent=True,
    opaque="text",
    doc="Strings in one case, without stop words.",
)


def tf_idf(c: Call) -> Shape:
    lead = c.shape("x")[:-1]
    return Shape((*lead, max(c["columns"], default=-1) + 1))


TF_IDF = Op(
    "tf_idf",
    (Tensor("x", "N C | C", STRINGS | {INT32, INT64}),),
    (
        Ints("columns"),
        Ints("counts", ()),
        Anything("pool", ()),
        Anything("weights"),
        Anything("mode", "TF"),
        Int("shortest", 1),
        Int("longest", 1),
        Int("skips", 0),
    ),
    tf_idf,
    FLOAT32,
    evaluate=words.counted_words,
    doc="How often groups of words stand in a row of words: those of the pool, `shortest` to `longest`, with up to so many skips between their words.",
)
IMAGE_DECODE = Op(
    "image_decode",
    (Tensor("x", "B", frozenset({UINT8})),),
    (Choice("format", ("RGB", "BGR", "Grayscale"), "RGB"),),
    lambda c: Shape((c.fresh("height", 1), c.fresh("width", 1), 1 if c["format"] == "Grayscale" else 3)),
    UINT8,
    data_dependent=True,
    opaque="file",
    doc="The image in the bytes of a file.",
)


# --- detections ----------------------------------------------------------------------------------------------------------------------


def _selected_boxes(c: Call) -> Shape:
    return Shape((c.fresh("selected", 0), 3))


REAL32 = frozenset({FLOAT32})
BOXES = (Tensor("boxes", "B N 4", REAL32), Tensor("scores", "B C N", REAL32))
NON_MAX_SUPPRESSION = Op(
    "non_max_suppression_batched",
    (
        *BOXES,
        *(
            Tensor(name, " | 1", dtypes, optional=True, default=None, draw="1")
            for name, dtypes in (("most", frozenset({INT64})), ("overlap", REAL32), ("least", REAL32))
        ),
    ),
    (Bool("centred", False),),
    _selected_boxes,
    INT64,
    codes={"B": "batch", "N": "boxes"},
    data_dependent=True,
    evaluate=kept_boxes.best_boxes_of_classes,
    doc="Batch, class and place of the boxes that are kept.",
)
