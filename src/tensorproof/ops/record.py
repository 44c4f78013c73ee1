"""The record of an operator: what it takes, what must hold, what comes out, and where it is undefined.

A rule states requirements and returns shapes; it never asks. Rules are plain functions of a `Call` (see `call`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorproof.ops.inputs import Attribute, Input, Parameter
from tensorproof.ops.statements import Spoken, Statement, renamed, stated
from tensorproof.terms.dtypes import DType
from tensorproof.terms.predicates import Truth
from tensorproof.terms.records import dataclass, field

if TYPE_CHECKING:
    from tensorproof.ops.arguments import Arguments
    from tensorproof.ops.arrays import Array, Numpy
    from tensorproof.ops.call import Call


NOT_SHAPES = ("dtype", "device", "grad", "range")
"""Codes whose requirements do not concern shapes, by their last word."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that must hold: a code such as "conv2d/channels", the predicate, the sentence, and the arguments to blame."""

    code: str
    predicate: Truth
    message: str
    about: tuple[str, ...] = ()
    detail: str = ""
    misplaced: Truth = False
    """Where this holds and the requirement does not, the data has another format: its channels stand where others are expected."""
    advised: Truth = True
    """What should hold, although the call runs without."""
    statement: Statement | None = None
    """What the message says, without the names: a front end says it in the program's own."""

    def said(self, names: Mapping[str, Spoken]) -> str:
        """The message in the names that the program gives to the arguments."""
        if self.statement is not None:
            return stated(self.statement, names)
        return renamed(self.message, names, self.code.rpartition("/")[2] not in NOT_SHAPES)


@dataclass(frozen=True, slots=True)
class Hazard:
    """Where values are not finite although those of the inputs are.

    `safe` is the region in which nothing happens: an interval of the input `about`, or a function `(np, a)` with the arguments of `evaluate` that gives the
    truth of each element, for regions of several inputs (`about` names them, separated by spaces) and regions that depend on the element type; `words`
    says then what it asks. ops/hazards.py reads both."""

    code: str
    about: str
    safe: Interval | Region
    yields: str
    words: str = ""
    whole: bool = False
    """Whether whole numbers outside of the region raise."""
    only: str = ""
    """The framework whose derivatives alone are not finite there; others say 0."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A set of reals between two bounds, each open or closed, less one point where there is a `hole`."""

    lo: float
    hi: float
    lo_open: bool = False
    hi_open: bool = False
    hole: float | None = None

    def holds(self, value: float) -> bool:
        if value == self.hole:
            return False
        above = value > self.lo if self.lo_open else value >= self.lo
        below = value < self.hi if self.hi_open else value <= self.hi
        return above and below


_INF = float("inf")
EVERYTHING = Interval(-_INF, _INF)
POSITIVE = Interval(0.0, _INF, lo_open=True)
NON_NEGATIVE = Interval(0.0, _INF)
NON_ZERO = Interval(-_INF, _INF, hole=0.0)
FINITE = Interval(-_INF, _INF, lo_open=True, hi_open=True)


@dataclass(frozen=True, slots=True)
class Values:
    """A named fact about the values of a result, read by every domain.

    Of numbers: "totals" (the sum over axes), "counts" (of what is not zero), "sums", "multiplies", "divides", "increasing" | "decreasing" (of `function`
    on `on`), "bounded" (to `bounds`; with `over`: by its positions, an axis for each result), "dot", "convex" (between the least and the greatest
    element of the input), "unknown". Of any elements:

    - "moves": all elements of each tensor in `over`, in other places or another form, each as often as any other (several results: one for each tensor);
    - "cuts": elements of `over` that are taken by their place, some perhaps several times;
    - "selects": elements of `over`, chosen by `by`, or by their values where `by` is empty (`end`: the "least" or the "greatest");
    - "joins": all elements of all tensors in `over`, and no others; "mixes": some of them, by the mask in `by` where it is named: the first where that
      holds;
    - "places": positions along the axis `by` of `over` (an attribute, an axis, or None for the flattened tensor), and `high` behind its
      end; `every`: each of them; `end` "result": in the first result;
    - "draws": whole numbers from `low` on and below `high`, in steps of `step`, each of which may occur;
    - "drawn": random numbers of the `distribution`, or of that which the attribute `by` names, whose parameters are the arguments of their names, or those
      in `over` (ops/distributions.py);
    - "fills": the number in the attribute `by`, everywhere.

    `reshapes`: what is moved keeps its row-major order, in another shape. `probabilities`: along the axis `by` the "numbers" are not negative and sum to 1, or
    their "logarithms" are given. `over` names inputs, separated by spaces; `low`, `high` and `step` are numbers or attributes.
    `whole` bounds whole numbers by those of the inputs.
    """

    kind: str = "unknown"
    function: Callable[[float], float] | None = None
    on: Interval = EVERYTHING
    bounds: Interval = EVERYTHING
    over: str = ""
    by: str | int | None = ""
    every: bool = False
    low: str | int = 0
    high: str | int = 0
    step: str | int = 1
    end: str = ""
    reshapes: bool = False
    probabilities: str = ""
    distribution: str = ""
    whole: Callable[[Mapping[str, Any]], Any] | None = None


@dataclass(frozen=True, slots=True)
class Out:
    """One output: its name, a fixed element type where it has one, and the attribute that must be true for it to exist."""

    name: str
    dtype: DType | None = None
    when: str = ""
    values: Values | None = None
    """What is known of its values, where the operator has several outputs that differ in this."""


Formula = Callable[["Numpy", "Arguments"], "Array"]
Evaluate = Callable[["Numpy", "Arguments"], "Array | tuple[Array, ...]"]
Region = Formula
DTypeRule = Callable[["Call"], DType | None]
ShapeRule = Callable[["Call"], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """An operator, declared once."""

    name: str
    inputs: tuple[Input, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    shape: ShapeRule | str = ""
    """A rule, or the layout of the (one) output."""
    dtype: DTypeRule | DType | None = None
    outputs: tuple[Out, ...] = ()
    """Left empty for one output. With several, the shape rule returns a list of shapes, one for each."""
    codes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Axis name of a layout → the last word of the code of its equality, such as {"K": "inner"}."""
    fold: Callable[[Call], Any] | None = None
    """The exact contents of the output (a flat tuple), or None, for small integer tensors."""
    evaluate: Evaluate | None = None
    """The values of the outputs: `evaluate(np, a)`, where `np` is NumPy. `a` holds arrays for tensors (bool, int64, float64 or complex128; those of
    Python numbers have no axes) and plain values for attributes, by name; in `tensors` what else is known of the inputs, and in `results` the element
    types of the results. It gives one array, or a tuple for several outputs; the caller sets the element types. Written with functions of NumPy
    throughout, it gives bounds as well (engines/values/boxes.py)."""
    values: Values = Values()
    ones: Callable[[Any], Any] | None = None
    """How many ones the result holds, where the inputs hold zeros and ones (ops/ones.py)."""
    opposite: str = ""
    """The comparison that is true where this one is false, NaN aside."""
    order: str = ""
    """In which order torch lays the first result in memory (tests/conformance/memory.py holds this):

    - "": row-major when all inputs are; of other inputs nothing is claimed;
    - "compact": row-major whatever the inputs are;
    - "like": as iterators over all inputs choose it; operators element by element; "copied": as the first input, and dense;
    - "own": that of the library underneath, where there are several axes; "apart": never row-major;
    - "rows": row-major in torch, whatever the inputs are;
    - "format": pictures with the channels last where the first input has them there, else row-major; "joined": where all inputs have;
      "channels": where the pictures or the weight have; "padded", "stacked": parts of these.
    """
    advice: Callable[[Mapping[str, Any]], Iterable[Requirement]] | None = None
    """What should hold of the arguments of a call, although it runs without: requirements with `advised` alone."""
    hazards: tuple[Hazard, ...] = ()
    gradient_hazards: tuple[Hazard, ...] = ()
    """Where the derivative is not finite although the value is; of concern to operands that require a gradient."""
    writes: tuple[str, ...] = ()
    """Inputs that are written in place."""
    written: Evaluate | None = None
    """The values of all inputs that are written, in the order of `writes`, where those are not the results."""
    aliases: str = ""
    """The input that the output is a view of, unless the rule says that this call copies."""
    view: str = "always"
    """When it surely is one: "always"; "each", where several are given, into which autograd allows no write; "compact", where the input is row-major;
    "itself", where nothing changes: then the very tensor is given back; or "" """
    gradient: str = ""
    """What autograd needs, where the table of spellings does not say it or is to be overruled (bindings/derivatives.py has the notation)."""
    constants: tuple[str, ...] = ()
    """Inputs for which torch has no derivative and which must not require a gradient; `weight:target` where the target holds whole numbers."""
    overlaps: bool = False
    """Whether, in place, it may write into a tensor of which several elements lie in one place (an expanded one)."""
    paired: tuple[str, ...] = ()
    """Inputs that are meant to have one element for each of the other's, although they broadcast: a prediction and its target."""
    random: bool = False
    opaque: str = ""
    """Why no result is a function of real or whole numbers, where that is so; such an operator has no `evaluate`:

    - "memory": the elements are not set; - "text" or "file": it reads or makes strings, or the bytes of a file;
    - "handle": it makes or holds a resource, a queue, a list of tensors; - "type": it answers about the tensor itself, its shape or element type;
    - "program": it applies a function that the program gives;
    - "form": it tells how a tensor is held, such as which elements of a sparse one are stored.
    """
    surrogate: bool = False
    """Whether libraries give it the derivative of another function, by convention: steps are passed straight through, numbers are taken for normalised."""
    half: str = ""
    """How the first input is meant, where one half of a matrix is read: "symmetric" or "triangular" (the attribute `upper` says which half)."""
    unordered: bool = False
    """Whether the numbers along the last axis come in an order that is not defined."""
    arbitrary: str = ""
    """The attribute that adds parts which are not determined, where it is true: any basis of the rest of a space."""
    counted: bool = False
    """Whether the number of outputs depends on the call: the shape rule returns a list and the result is a tuple."""
    data_dependent: bool = False
    """Whether a size depends on the contents."""
    doc: str = ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (*self.inputs, *self.attributes)

    def values_of(self, at: int) -> Values:
        """What is known of the values of one output."""
        own = self.outputs[at].values if at < len(self.outputs) else None
        return self.values if own is None else own

    def parameter(self, name: str) -> Parameter | None:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return None
