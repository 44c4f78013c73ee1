"""Generated calls of a spelling: valid ones with spread sizes, boundary ones, and ones that break one requirement each.

The catalogue itself says which is which: a drawn call is valid when every requirement holds. Conformance then asks the real library.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tensorproof.bindings.call import Outcome, call, call_module, kinds, operator
from tensorproof.bindings.kinds import element_types_named
from tensorproof.bindings.modules import Module
from tensorproof.bindings.rows import Argument, Row, rows
from tensorproof.engines.generate.draw import COMMON, SKIP, Draw
from tensorproof.ops.inputs import REQUIRED, Anything, ElementType, Parameter, Sizes, Tensor, Tensors
from tensorproof.terms.dtypes import ANY, FLOAT32, DType
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True)
class GeneratedCall:
    """One call. For a layer, `init` holds the constructor's arguments (by their names)."""

    row: Row
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    init: dict[str, Any] | None = None
    outcome: Outcome = field(default_factory=Outcome)
    broken: str = ""
    """The code of the requirement that this call breaks, when it is meant to."""
    mutation: str = ""

    @property
    def name(self) -> str:
        return self.row.name


def plain(value: Any) -> Any:
    """A value with the calls inside it replaced by what our catalogue says that they give."""
    if isinstance(value, GeneratedCall):
        return value.outcome.outputs
    return type(value)(plain(v) for v in value) if type(value) in (list, tuple) else value


def _inner(spelling: str, random: Random) -> GeneratedCall | None:
    """A valid call of another spelling, as an argument of this one. Of a layer only the constructor is called."""
    for _ in range(60):
        drawn = draw_call(random.choice(rows(spelling)), random)
        if drawn.init is not None:
            drawn = replace(drawn, args=(), kwargs={}, outcome=call(drawn.name, (), drawn.init))
        else:
            drawn = evaluate(drawn)
        if is_valid(drawn.outcome):
            return drawn
    return None


def evaluate(generated: GeneratedCall, opset: int | None = None) -> GeneratedCall:
    """The call with what our own catalogue says of it. Rows that are keyed by opset are tried in the newest that they hold for."""
    opset = generated.row.opsets[1] if opset is None and generated.row.framework == "onnx" else opset
    extra = {"_opset": opset} if opset is not None else {}
    if generated.init is None:
        given = {k: plain(v) for k, v in generated.kwargs.items()}
        return replace(generated, outcome=call(generated.name, tuple(plain(a) for a in generated.args), {**given, **extra}))
    built = call(generated.name, (), {**{k: plain(v) for k, v in generated.init.items()}, **extra})
    if not isinstance(built.outputs, Module):
        return replace(generated, outcome=built)
    return replace(generated, outcome=call_module(built.outputs, generated.args, generated.kwargs))


def is_valid(outcome: Outcome) -> bool:
    return outcome.refused is None and outcome.unknown is None and not outcome.requirements


def _turn(kind: Parameter) -> int:
    """Tensors come first, since attributes look at them; lists that follow an attribute come last."""
    kind = next(iter(getattr(kind, "like", ())), kind)
    return 2 if isinstance(kind, Tensors) and kind.draw.startswith("@") else 0 if isinstance(kind, (Tensor, Tensors)) else 1


def _drawn_arguments(draw: Draw, arguments: tuple[Argument, ...], kinds_: dict[str, Parameter], row: Row) -> dict[str, Any]:
    """Values by their names; tensors first, since attributes look at them."""
    values: dict[str, Any] = {}
    ordered = sorted(arguments, key=lambda a: _turn(kinds_[a.ours]))
    for argument in ordered:
        kind = kinds_[argument.ours]
        if argument.ours in row.only and isinstance(kind, (Tensor, Tensors, ElementType)):
            kind = replace(kind, dtypes=element_types_named(row.only[argument.ours]))
        if argument.ours in row.ranks and isinstance(kind, Tensor) and kind.layout == "...":
            kind = replace(
                kind, layout=" | ".join("_ " * int(p[:-2]) + "..." if p.endswith("..") else "_ " * int(p) for p in row.ranks[argument.ours].split("|"))
            )
        value = _inner(kind.of, draw.random) or SKIP if isinstance(kind, Anything) and kind.of else draw.value(kind)
        if value is SKIP:
            if argument.default is not REQUIRED:
                continue
            if not getattr(kind, "optional", False) or row.name.startswith("graphdef."):  # a node has every attribute
                value = _forced(draw, kind)
                if value is SKIP and row.name.startswith("graphdef."):
                    value = None  # of no matter here: the runner finds something
            elif row.framework == "torch":  # "None" must be said where the spelling has no default
                value = None
            else:
                continue
        if isinstance(kind, Sizes) and isinstance(kind.n, int) and isinstance(value, int) and row.name.startswith("aten."):
            value = (value,) * kind.n  # a graph's sizes are lists
        if value is not SKIP:
            values[argument.theirs] = value
    return values


def _forced(draw: Draw, kind: Parameter) -> Any:
    """A value for an argument that the spelling demands though the operator has a default."""
    for _ in range(20):
        value = draw.value(kind)
        if value is not SKIP:
            return value
    return SKIP


@dataclass(slots=True)
class Drawing:
    """A call while it is being drawn: what it has so far, by the spelling's own names, and the state of the draw."""

    row: Row
    draw: Draw
    values: dict[str, Any]
    init: dict[str, Any] | None = None

    def call(self) -> GeneratedCall:
        arguments = self.row.arguments if self.row.call_arguments is None else self.row.call_arguments
        return GeneratedCall(self.row, *_split(arguments, self.values), init=None if self.init is None else dict(self.init))

    def again(self, about: tuple[str, ...]) -> bool:
        """Draw anew the arguments that a refusal speaks of; False when it speaks of none."""
        done = False
        groups = [(self.row.arguments, self.values, False)]
        if self.init is not None and self.row.call_arguments is not None:
            groups = [(self.row.arguments, self.init, True), (self.row.call_arguments, self.values, False)]
        for arguments, values, construction in groups:
            chosen = tuple(a for a in arguments if a.ours in about)
            if not chosen:
                continue
            done = True
            for argument in chosen:
                values.pop(argument.theirs, None)
            values.update(_drawn_arguments(self.draw, chosen, kinds(self.row, construction), self.row))
        return done


def draw_call(row: Row, random: Random, zeros: bool = False) -> GeneratedCall:
    """One random call, valid or not."""
    return _drawing(row, random, zeros).call()


def _drawing(row: Row, random: Random, zeros: bool) -> Drawing:
    inputs = [p for p in kinds(row).values() if isinstance(p, (Tensor, Tensors))] or operator(row.op).inputs
    allowed = [element_types_named(row.only[p.name]) if p.name in row.only else p.dtypes for p in inputs]
    allowed = [a for a in allowed if a is not ANY]
    common = [d for d in COMMON if all(d in a for a in allowed)] or [d for a in allowed[:1] for d in COMMON if d in a] or [FLOAT32]
    base = common[0] if random.random() < 0.6 else random.choice(common)
    draw = Draw(random, lead=tuple(random.choice((1, 2, 3, 4)) for _ in range(random.choice((0, 1, 1, 2, 2, 3)))), base=base, zeros=zeros)
    if row.call_arguments is None:
        return Drawing(row, draw, _drawn_arguments(draw, row.arguments, kinds(row), row))
    init = _drawn_arguments(draw, row.arguments, kinds(row, construction=True), row)
    for made, given in ((row, init), *((v.row, v.init) for v in init.values() if isinstance(v, GeneratedCall) and v.init is not None)):
        draw.dims.update({a.ours: given[a.theirs] for a in made.arguments if a.theirs in given and isinstance(given[a.theirs], int)})
    return Drawing(row, draw, _drawn_arguments(draw, row.call_arguments, kinds(row), row), init)


def _split(arguments: tuple[Argument, ...], values: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional up to the first that is left out, the rest by name."""
    args: list[Any] = []
    kwargs = dict(values)
    for argument in arguments:
        if argument.keyword_only or argument.theirs not in kwargs:
            break
        value = kwargs.pop(argument.theirs)
        if argument.gathers:
            args.extend(value if isinstance(value, (list, tuple)) else [value])
            break
        args.append(value)
    return tuple(args), kwargs


REPAIRS = 3
"""How often the arguments that a refusal names are drawn anew before the whole call is."""


def _attempts(row: Row, random: Random, tries: int, opset: int | None) -> Iterator[GeneratedCall]:
    """Drawn calls, each with what the catalogue says of it; a refused one is repaired a few times first."""
    tried = 0
    while tried < tries:
        drawing = _drawing(row, random, zeros=tried % 4 == 3)
        for _ in range(1 + REPAIRS):
            tried += 1
            drawn = evaluate(drawing.call(), opset)
            yield drawn
            refused = drawn.outcome.refused
            if refused is None or not refused.about or not drawing.again(tuple(refused.about)):
                break


@dataclass(slots=True)
class Found:
    """What the search for calls of one spelling found: valid calls, how often one was drawn, and a few refused ones by their code."""

    valid: dict[str, GeneratedCall] = field(default_factory=dict[str, GeneratedCall])
    hits: int = 0
    refused: dict[str, GeneratedCall] = field(default_factory=dict[str, GeneratedCall])
    unknown: str = ""

    @property
    def exhausted(self) -> bool:
        """Whether all the calls that exist were found: the same few came again and again."""
        return self.hits > 40 * len(self.valid)


def search(name: str, count: int = 10, seed: int = 0, tries: int = 3000, opset: int | None = None) -> Found:
    """Different calls that hold every requirement, over all the rows of the spelling."""
    found = Found()
    overloads = [r for r in rows(name) if opset is None or r.opsets[0] <= opset <= r.opsets[1]]
    for turn, share in enumerate((-(-count // max(1, len(overloads))), count)):  # each row its share; then any row what others could not give
        for at, row in enumerate(overloads):
            wanted = min(count, len(found.valid) + share)
            if len(found.valid) >= wanted or found.hits > 100 * count:
                break
            for drawn in _attempts(row, Random(f"{seed}:{name}:{at}" + ":again" * turn), tries, opset):
                outcome = drawn.outcome
                if is_valid(outcome):
                    found.hits += 1
                    found.valid.setdefault(repr((drawn.init, drawn.args, drawn.kwargs)), drawn)
                    if len(found.valid) >= wanted or found.hits > 100 * count:
                        break
                elif outcome.refused is not None:
                    found.refused.setdefault(outcome.refused.code, replace(drawn, broken=outcome.refused.code))
                else:
                    found.unknown = outcome.unknown or "a requirement is left open"
    return found


def valid_calls(name: str, count: int = 10, seed: int = 0, tries: int = 3000, opset: int | None = None) -> list[GeneratedCall]:
    """Different calls that hold every requirement."""
    return list(search(name, count, seed, tries, opset).valid.values())


# --- violations ---


_WHOLE_BYTES = tuple(d for d in list(DType)[:20] if d.bits >= 8)


def _empty(outputs: Any) -> bool:
    """Whether a call has nothing to compute."""
    if isinstance(outputs, (tuple, list)):
        return any(_empty(o) for o in outputs)
    return isinstance(outputs, TensorType) and outputs.shape.known and 0 in outputs.shape


def _changed_tensors(t: TensorType, random: Random) -> Iterator[tuple[str, TensorType]]:
    shape = list(t.shape)
    for i, n in enumerate(shape):
        for other in {n + 1, n + 2, max(0, n - 1), 0, 17}:
            if other != n:
                yield f"axis {i} is {other}", t.but(shape=Shape([*shape[:i], other, *shape[i + 1 :]]), contents=None)
    if shape:
        yield "first axis dropped", t.but(shape=Shape(shape[1:]), contents=None)
    yield "axis added", t.but(shape=Shape([2, *shape]), contents=None)
    yield "two axes added", t.but(shape=Shape([2, 3, *shape]), contents=None)
    for dtype in (*COMMON, *random.sample(_WHOLE_BYTES, 3)):
        if dtype is not t.dtype and 0 not in shape:  # where there is nothing to compute, no library looks at the type
            yield f"element type {dtype!r}", t.but(dtype=dtype, contents=None)


def _changed(value: Any, random: Random) -> Iterator[tuple[str, Any]]:
    match value:
        case TensorType():
            yield from _changed_tensors(value, random)
        case bool():
            yield f"{not value}", not value
        case int():
            for other in (-1, 0, -2, 1, value + 1, value + 2, 7, 50, -50):
                if other != value:
                    yield f"{other}", other
        case float():
            for real in (-1.0, 2.0, -0.5):
                yield f"{real}", real
        case str():
            yield "no such word", "no_such_word"
        case list() | tuple():
            made = type(value)
            if value and all(isinstance(v, (int, TensorType)) for v in value):
                for i, item in enumerate(value):
                    for words, other in _changed(item, random):
                        yield f"item {i}: {words}", made([*value[:i], other, *value[i + 1 :]])
                yield "last item dropped", made(value[:-1])
                yield "last item twice", made([*value, value[-1]])
        case _:
            return


def mutants(valid: GeneratedCall, random: Random) -> Iterator[GeneratedCall]:
    """The call with one argument changed, in many ways."""
    for i, value in enumerate(valid.args):
        for words, other in _changed(value, random):
            yield replace(valid, args=(*valid.args[:i], other, *valid.args[i + 1 :]), mutation=f"argument {i}: {words}")
    for where in ("kwargs", "init"):
        given: dict[str, Any] | None = getattr(valid, where)
        for key, value in (given or {}).items():
            for words, other in _changed(value, random):
                yield replace(valid, **{where: {**(given or {}), key: other}}, mutation=f"{key}: {words}")  # type: ignore[arg-type]


def violations(name: str, valid: list[GeneratedCall], per_code: int = 2, seed: int = 0, opset: int | None = None, spread: bool = False) -> list[GeneratedCall]:
    """Calls that break exactly one requirement each, `per_code` for every requirement that a single change can break: the first, or any (`spread`)."""
    random = Random(f"{seed}:{name}:broken")
    found: dict[str, list[GeneratedCall]] = {}
    for one in valid:
        if _empty(one.outcome.outputs):  # where there is nothing to compute, a library may look at nothing
            continue
        for mutant in mutants(one, random):
            tried = evaluate(mutant, opset)
            refused = tried.outcome.refused
            if refused is not None and refused.code != "call/arguments" and (spread or len(found.get(refused.code, ())) < per_code):
                found.setdefault(refused.code, []).append(replace(tried, broken=refused.code))
    return [one for group in found.values() for one in (random.sample(group, min(per_code, len(group))) if spread else group)]
