"""Reads the spelling tables (`tables/README.md` tells the format). A table is indexed by name at once; a row is parsed when it is needed."""

from __future__ import annotations

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from tensorproof.ops.inputs import REQUIRED
from tensorproof.terms.records import dataclass, field, replace

if TYPE_CHECKING:
    pass

HOMES = {
    "Tensor": "torch.Tensor", "F": "torch.nn.functional", "nn": "torch.nn", "linalg": "torch.linalg", "fft": "torch.fft",
    "special": "torch.special",
}  # fmt: skip
LIBRARIES = {
    "torch": "torch",
    "aten": "torch",
    "torchvision": "torch",
    "tf": "tensorflow",
    "graphdef": "tensorflow",
    "keras": "keras",
    "numpy": "numpy",
    "onnx": "onnx",
}
FRAMEWORKS = {"torch": "torch", "aten": "torch", "torchvision": "torch", "tf": "tf", "graphdef": "tf", "keras": "keras", "numpy": "numpy", "onnx": "onnx"}


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of a spelling: their name, our name, its default and how it may be given."""

    theirs: str
    ours: str
    default: object = REQUIRED
    keyword_only: bool = False
    gathers: bool = False
    """`*shape`: the remaining positional arguments, or one sequence of them. `**rest` takes any further keywords and drops them."""


@dataclass(frozen=True, slots=True)
class Creation:
    """A parameter or buffer that a module makes."""

    name: str
    layout: str
    when: str = ""
    dtype: str = ""
    buffer: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One spelling of an operator."""

    name: str
    op: str
    arguments: tuple[Argument, ...]
    call_arguments: tuple[Argument, ...] | None = None
    """Set for a module: the arguments of the call; `arguments` are then the constructor's."""
    fixed: dict[str, Any] = field(default_factory=dict[str, Any])
    via: str = ""
    only: dict[str, str] = field(default_factory=dict[str, str])
    ranks: dict[str, str] = field(default_factory=dict[str, str])
    inplace: str = ""
    converts: str = ""
    """In TensorFlow, which arrays and lists do not take the tensors' element type: "later" the first input's, "none" any input's."""
    tensors: tuple[str, ...] = ()
    """Arguments that must be tensors where the operator would take Python numbers as well."""
    arrays: tuple[str, ...] = ()
    """Arguments of a torch row that may be NumPy arrays too."""
    gives: str = ""
    """The framework of the results where it is another: `Tensor.numpy()`."""
    creations: tuple[Creation, ...] = ()
    checks: tuple[tuple[str, str, str], ...] = ()
    create: str = ""
    opsets: tuple[int, int] = (0, 1 << 30)
    source: str = ""
    then: tuple[str, ...] = ()
    """The further operators of a composition, `-> mean + var`."""
    delegates: bool = False
    """Whether a NumPy function leaves a tensor of torch to its own methods, where others convert it to an array."""
    instead: tuple[str, ...] = ()
    """The operators of which one is applied in place of the first, `-> diag_embed | diagonal`: which one depends on the arguments."""
    takes: str = ""
    """The kinds of its own arguments, where they differ from the operator's."""
    applies: str = ""
    """The application of operators that it spells, `mul(x=reciprocal(x=y), y=x)`."""
    typed: str = ""
    """The element type of what it computes, `x.dtype`."""
    fields: tuple[str, ...] = ()
    """The names of several results: `tf.math.top_k(x).values`."""
    framework: str = field(init=False)

    @property
    def operators(self) -> tuple[str, ...]:
        """All the operators that a call of this spelling applies."""
        return (self.op, *self.then)

    def __post_init__(self) -> None:
        object.__setattr__(self, "framework", FRAMEWORKS[self.name.partition(".")[0]])


_Place = tuple[int, str, bool, tuple[str, ...]]
"""A row's line, its table, whether it has the form with `_` that changes its tensor, and what stands before its names."""
_MOST_EXTRA = 100


@dataclass(frozen=True, slots=True)
class _Raw:
    """A row as it stands in the file."""

    text: str
    extra: tuple[str, ...]
    source: str
    inplace: bool = False


_NAME = re.compile(r"^([\w.|]+)(\[_\])?(?:@(\d+)(?:-(\d+))?)?\(")


@cache
def _tables(library: str) -> dict[str, str]:
    """The tables of a library by their path below its folder, in the order of their file names."""
    folder = os.path.join(os.path.dirname(__file__), "tables", library)
    found: dict[str, str] = {}
    for table in sorted(_text_files(folder), key=os.path.basename):
        with open(os.path.join(folder, table), encoding="utf-8") as stream:
            found[table] = stream.read()
    return found


def _text_files(folder: str, below: str = "") -> Iterator[str]:
    with os.scandir(os.path.join(folder, below)) as entries:
        for entry in entries:
            if entry.name.endswith(".txt"):
                yield below + entry.name
            elif entry.is_dir():
                yield from _text_files(folder, f"{below}{entry.name}/")


@cache
def _lines(library: str) -> dict[str, list[str]]:
    return {table: text.split("\n") for table, text in _tables(library).items()}


@cache
def _index(library: str) -> dict[str, list[_Place]]:
    """Where the rows stand that begin with a name. Their sections are looked at when a name is asked for, as most never are."""
    found: defaultdict[str, list[_Place]] = defaultdict(list)
    for table, lines in _lines(library).items():
        homes: tuple[str, ...] = ()
        for number, line in enumerate(lines):
            first = line[:1]
            if first in _NO_HEAD:
                continue
            if first == "[":
                homes = tuple([f"{HOMES.get(home, home)}." for home in line[1 : line.index("]")].split()])
                continue
            names, _, _ = line.partition("(")[0].partition("@")
            both = names[-3:] == "[_]"
            place = number, table, both, homes
            for name in (names[:-3] if both else names).split("|"):
                found[name].append(place)
    return found


_NO_HEAD = ("", " ", "#")
_WITH_BOTH = ("torch.Tensor.", "aten.")


def _places(library: str, name: str) -> list[tuple[_Place, bool]]:
    """The rows of a spelling in the order of the tables, each with whether the spelling is its form that changes the tensor."""
    index, found = _index(library), list[tuple[_Place, bool]]()
    home, dot, word = "", name.find("."), name
    while dot >= 0:
        home, word = name[: dot + 1], name[dot + 1 :]
        found += [(place, False) for place in index.get(word, ()) if home in place[3]]
        if word[-1:] == "_" and home in _WITH_BOTH:
            found += [(place, True) for place in index.get(word[:-1], ()) if place[2] and home in place[3]]
        dot = name.find(".", dot + 1)
    if len(found) > 1:
        tables = [*_lines(library)]
        found.sort(key=lambda one: (tables.index(one[0][1]), one[0][0], one[1]))
    return found


def _raw(library: str, place: _Place, inplace: bool) -> _Raw:
    number, table, _, _ = place
    lines = _lines(library)[table]
    extra = tuple(more.strip() for more in takewhile(lambda more: more.startswith("    "), lines[number + 1 : number + 1 + _MOST_EXTRA]))
    return _Raw(lines[number].rstrip(), extra, f"{library}/{table}:{number + 1}", inplace)


def names(library: str) -> list[str]:
    """Every spelling of a library."""
    spelled = [(home, name, both) for name, places in _index(library).items() for _, _, both, homes in places for home in homes]
    return sorted({home + name for home, name, _ in spelled} | {f"{home}{name}_" for home, name, both in spelled if both and home in _WITH_BOTH})


@cache
def rows(name: str) -> tuple[Row, ...]:
    """The rows of one spelling, in order; empty when there is none."""
    library = LIBRARIES.get(name.partition(".")[0])
    if library is None:
        return ()
    name = name.removeprefix("torch.ops.") if name.startswith("torch.ops.aten.") else name
    places = _places(library, name)
    if not places and name.startswith("aten.") and name.count(".") == 2:  # aten.add.Tensor
        places = _places(library, name.rpartition(".")[0])
    return tuple(_parse(name, _raw(library, *place)) for place in places)


def split(text: str, separator: str) -> list[str]:
    """Split outside of brackets and quotes."""
    parts: list[str] = []
    depth, start, quote = 0, 0, ""
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip()]


def literal(text: str) -> object:
    """A literal of Python, an element type by its label, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        from tensorproof.terms.dtypes import BY_LABEL

        if text in BY_LABEL:
            return BY_LABEL[text]
        return {"inf": float("inf"), "-inf": float("-inf"), "Ellipsis": ...}.get(text, text)


def _arguments(text: str) -> tuple[Argument, ...]:
    found: list[Argument] = []
    keyword_only = False
    for part in split(text, ","):
        if part == "*":
            keyword_only = True
            continue
        if part == "/":
            continue
        gathers = part.startswith("*")
        head, equals, default = part.lstrip("*").partition("=")
        theirs, _, ours = head.strip().partition(":")
        value = literal(default.strip()) if equals else REQUIRED
        found.append(Argument(theirs, ours or theirs, value, keyword_only, gathers))
        keyword_only = keyword_only or gathers
    return tuple(found)


def _groups(text: str) -> tuple[list[str], str]:
    """The bracketed argument lists at the head of a row, and what follows them."""
    lists: list[str] = []
    while text.startswith("("):
        depth = 0
        for i, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if depth == 0:
                lists.append(text[1:i])
                text = text[i + 1 :].lstrip()
                break
        else:
            raise ValueError(f"unbalanced brackets: {text}")
    return lists, text


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":", 1) for pair in text.split(",")) if text else {}


_LAYER: tuple[tuple[str, object], ...] = (
    ("name", None), ("trainable", True), ("dtype", None), ("autocast", True), ("activity_regularizer", None), ("input_shape", None), ("input_dim", None),
    ("batch_size", None), ("batch_shape", None), ("batch_input_shape", None), ("weights", None),
)  # fmt: skip
"""What every Keras layer takes by name."""


_LISTS = ("size", "sizes", "shape", "repeats", "dims")


def _parse(name: str, raw: _Raw) -> Row:
    match = _NAME.match(raw.text)
    assert match is not None
    lists, rest = _groups(raw.text[match.end() - 1 :])
    arrow, _, target = rest.partition("->")
    if arrow.strip() or not target:
        raise ValueError(f"{raw.source}: expected '-> operator' in {raw.text}")
    composed, *options = split(target, ";")
    composed, *others = composed.split("|")
    op, *then = (part.strip() for part in composed.split("+"))
    special, fixed = _options(options)
    arguments = _parsed_arguments(name, lists)
    inplace = (arguments[0].ours if raw.inplace else "") or special["inplace"]
    tensors = tuple(special["tensor"].split(",")) if special["tensor"] else ()
    if not tensors and arguments and (name.startswith("torch.Tensor.") or special["inplace"]):
        tensors = (arguments[0].ours,)
    said = [line for line in raw.extra if line.startswith("takes:")]
    creations, checks, create = _made_by_modules([line for line in raw.extra if line not in said])
    first, last = int(match[3] or 0), int(match[4]) if match[4] else (1 << 30)
    return Row(
        name, op, arguments, _arguments(lists[1]) if len(lists) > 1 else None, fixed, special["via"],
        _pairs(special["only"]), _pairs(special["rank"]), inplace, special["converts"], tensors,
        tuple(filter(None, special["arrays"].split(","))), special["gives"], creations, checks, create, (first, last), raw.source, tuple(then),
        bool(special["delegates"]), tuple(name.strip() for name in others), _kinds_said(special["takes"], said),
        special["as"] or (f"{op}(**given)" if special["typed"] else ""), special["typed"],
        tuple(filter(None, special["fields"].split(","))),
    )  # fmt: skip


def _kinds_said(inline: str, lines: list[str]) -> str:
    """The kinds of arguments that stand in a row itself, or below it."""
    return " ".join(filter(None, [inline, *(line.removeprefix("takes:").strip() for line in lines)]))


def _parsed_arguments(name: str, lists: list[str]) -> tuple[Argument, ...]:
    """The arguments of a function or of a constructor, with those that all of its kind take."""
    arguments = _arguments(lists[0])
    if name.startswith("aten."):  # a method's `*size` is one list there
        arguments = tuple(replace(a, gathers=a.gathers and a.theirs not in _LISTS) for a in arguments)
    if name.startswith("keras.layers.") and len(lists) > 1:
        arguments += tuple(Argument(n, n, d, True) for n, d in _LAYER if all(n != given.theirs for given in arguments))
    return arguments


_SPECIAL = dict.fromkeys(("via", "only", "rank", "inplace", "tensor", "converts", "arrays", "gives", "delegates", "takes", "as", "typed", "fields"), "")


def _options(options: list[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """What stands behind the operator: the words that a row itself reads, and arguments of the operator that are fixed."""
    special, fixed = dict(_SPECIAL), dict[str, Any]()
    for option in options:
        key, _, value = option.partition("=")
        if key.strip() in special:
            special[key.strip()] = value.strip()
        else:
            fixed[key.strip()] = literal(value.strip())
    return special, fixed


def _made_by_modules(lines: Sequence[str]) -> tuple[tuple[Creation, ...], tuple[tuple[str, str, str], ...], str]:
    """The indented lines of a row: its checks, and for a module its parameters and buffers, and the function that makes the rest."""
    creations: list[Creation] = []
    checks: list[tuple[str, str, str]] = []
    create = ""
    for line in lines:
        head, _, body = line.partition(":")
        if head == "create":
            create = body.strip()
        elif head.startswith("require ") or head in ("unknown", "same"):
            predicate, _, sentence = body.rpartition("|") if "|" in body else (body, "", "")
            checks.append((head.removeprefix("require ").strip(), predicate.strip(), sentence.strip()))
        else:
            creations.append(_creation(head, body))
    return tuple(creations), tuple(checks), create


def _creation(head: str, body: str) -> Creation:
    buffer = head.startswith("buffer ")
    layout, _, when = body.partition(" if ")
    layout, _, dtype = layout.partition(" of ")
    return Creation(head.removeprefix("buffer ").strip(), layout.strip(), when.strip(), dtype.strip(), buffer)
