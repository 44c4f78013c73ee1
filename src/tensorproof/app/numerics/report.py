"""The use case of `tensorproof numerics`: which operations of a program or a saved model can yield NaN or Inf, for inputs and parameters in their ranges."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tensorproof.app.numerics.graphs import run_later
from tensorproof.app.program import Options, is_model
from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Gap, Severity, Step
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.numerics.analysis import analyse
from tensorproof.engines.numerics.differentiated import differentiated, trains
from tensorproof.engines.numerics.inputs.ranges import TRAINED, Assumption, Given
from tensorproof.engines.numerics.inputs.roles import Ranged, ranged
from tensorproof.engines.numerics.records import Analysis, Operation, Settings
from tensorproof.program.form import Record
from tensorproof.solve import limits
from tensorproof.terms.collector import collector_paused
from tensorproof.terms.ints import begin_file
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.path import Path

if TYPE_CHECKING:
    from tensorproof.app.numerics.fixes import Fix
    from tensorproof.app.numerics.preconditions import Precondition
    from tensorproof.frontends.python.machine import Interpreter

ORDER = ("unsafe", "possible", "unknown", "safe")
"""Of two verdicts about one operation, on two paths or in two iterations, the first counts."""


@dataclass(slots=True)
class Report:
    """What was found out about one program or model."""

    path: str
    operations: list[Operation] = field(default_factory=list[Operation])
    """One for each hazard at each place; those of several iterations and paths are one."""
    suppressed: int = 0
    """How many operations the user left out, by code or by a comment."""
    assumptions: list[Assumption] = field(default_factory=list[Assumption])
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    shapes: dict[str, str] = field(default_factory=dict[str, str])
    """What was assumed of the shapes of inputs, by name."""
    gaps: list[Gap] = field(default_factory=list[Gap])
    unbounded: Counter[str] = field(default_factory=Counter[str])
    """How often operators without a rule for bounds are applied."""
    applied: int = 0
    """How many operators are applied."""
    seconds: float = 0.0
    fixes: list[Fix] = field(default_factory=list["Fix"])
    preconditions: list[Precondition] = field(default_factory=list["Precondition"])
    """Narrower ranges of inputs under which further operations are safe."""
    unfixed: list[Operation] = field(default_factory=list[Operation])
    """Operations for which no change was found."""
    fixing: bool = False
    """Whether changes were looked for."""
    text: str = ""
    finished: bool = True
    left: int = 0
    """How many operators were not analysed because the time was not enough."""
    forms: list[Form] = field(default_factory=list["Form"])
    """What was analysed, one for each path, module or graph."""
    analysed: list[tuple[Form, Ranged, Analysis]] = field(default_factory=list["tuple[Form, Ranged, Analysis]"])
    """The program forms, with the ranges of their sources and what the analysis found out about them."""

    def count(self, verdict: str) -> int:
        return sum(one.verdict == verdict for one in self.operations)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return [finding(one) for one in self.operations if one.verdict in ("unsafe", "possible")]


@dataclass(slots=True)
class Form:
    """The program form of one path, with the names of its inputs and parameters by identity."""

    records: Sequence[Record]
    names: dict[int, list[str]]
    gaps: list[Gap] = field(default_factory=list[Gap])
    kept: list[object] = field(default_factory=list[object])
    """What holds the named tensors, so that their identities stay theirs."""
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    """Numbers for sizes that the program leaves open, by the names of their symbols, with which its requirements hold."""
    bounds: Mapping[int, Any] = field(default_factory=dict[int, Any])
    """What the analysis found: bounds by the identity of tensors, with `least` and `most`."""


def numerics(path: str, options: Options, settings: Settings, given: Given, text: str | None = None) -> Report:
    """Analyse one Python file or saved model; `text` stands in place of what the file holds."""
    start = perf_counter()
    begin_file()
    found = Report(path)
    with limits.limited(options.time_limit):
        forms = list(_of_model(path, options, given, found) if is_model(path) else _of_source(path, options, found, text))
    end = process_time() + (options.time_limit if settings.seconds is None else settings.seconds)
    seen: set[str] = set()
    found.forms = forms
    for form in forms:
        seen.update(name for names in form.names.values() for name in names)
        analysed(form, replace(settings, seconds=max(0.0, end - process_time())), given, found)
    given.unmet(seen)
    found.gaps = list(dict.fromkeys(found.gaps))
    found.operations.sort(key=lambda one: (one.span.path, one.span.line, one.span.column, one.code))
    found.seconds = perf_counter() - start
    return found


# --- where program forms come from ---


def _of_model(path: str, options: Options, given: Given, found: Report) -> Iterator[Form]:
    """The graphs of a saved model."""
    from tensorproof.app.models.files import model_forms

    for one in model_forms(path, options, weights=not given.unbounded_weights):
        found.shapes.update(one.shapes)
        yield Form(one.records, one.names, one.gaps, one.kept)


def _of_source(path: str, options: Options, found: Report, text: str | None) -> Iterator[Form]:
    """The paths of a program, or the modules of a file that has no driver."""
    from tensorproof.frontends.python.entry.driver import has_driver
    from tensorproof.frontends.python.explore import explore
    from tensorproof.frontends.python.modules.environment import site_packages
    from tensorproof.frontends.python.modules.source import parse, read

    source = replace(read(path) if text is None else parse(path, text), directives=options.directives)
    found.text, site = source.text, site_packages(options.environment)
    if options.entry is None and (has_driver(source.tree) or options.arguments):
        names: dict[int, list[str]] = {}
        kept: list[object] = []
        explored = explore(source, options.arguments, options.roots, site, ended=lambda m: kept.append(_variables(m, names)), record=True)
        for one in explored.paths:
            if one.program is not None:
                yield Form(one.program.records, names, [*one.gaps, *one.later], kept, _sizes(one))
        return
    from tensorproof.app.infer import infer

    modules = infer(source, options.entry, options.inputs, options.roots, site, record=True)
    if not modules:
        raise BadInput(f"{path} runs nothing and defines no module that could be entered")
    for module in modules:
        for one in module.paths:
            if one.program is not None:
                yield Form(one.program.records, {id(t): [name] for name, t in module.inputs.items()}, one.gaps, [module], _sizes(one))


def _sizes(path: Path) -> dict[str, int]:
    """Sizes for which all that the program requires holds."""
    from tensorproof.solve.layered import LayeredSolver

    required = [(str(i), one.requirement.predicate) for i, one in enumerate(path.stated) if isinstance(one.requirement.predicate, Predicate)]
    if not required:
        return {}
    solver = LayeredSolver()
    for fact in path.facts:
        solver.assume(fact)
    found = solver.check(required)
    return {name: size for name, size in found.witness.items() if size >= 1}


def _variables(m: Interpreter, names: dict[int, list[str]]) -> object:
    """The tensors that variables of the main file hold at the end, by name."""
    from tensorproof.libraries.torch.module_tree import state

    kept: list[object] = []
    for name, value in m.modules.main.space.items():
        held = {name: value} if isinstance(value, TensorType) else state(value, f"{name}.")
        for label, tensor in held.items():
            names.setdefault(id(tensor), []).append(label)
            kept.append(tensor)
    return kept


# --- analysis ---


def analysed(form: Form, settings: Settings, given: Given, found: Report) -> None:
    """Analyse one path, and add what it says to the report."""
    with collector_paused():
        _analysed(form, settings, given, found)


def _analysed(form: Form, settings: Settings, given: Given, found: Report) -> None:
    sources = ranged(form.records, form.names, given)
    names = {i: labels[0] for i, labels in form.names.items()} | {id(v.tensor): v.names[0] for v in sources.values if v.names}
    moved = math.inf if given.unbounded_weights else TRAINED
    gradients = settings.gradients or trains(form.records)
    chosen = replace(settings, names=names, sizes=form.sizes, open_sources=frozenset(sources.open), trained=moved, gradients=gradients,
                     differentiated=differentiated(form.records), unjudged=run_later(form.records))  # fmt: skip
    made = analyse(form.records, {i: (r.lo, r.hi) for i, r in sources.ranges.items()}, chosen)
    form.bounds = made.values
    found.analysed.append((form, sources, made))
    found.operations = list(_merged([*found.operations, *made.operations, *made.not_analysed]))
    found.assumptions = list(dict.fromkeys([*found.assumptions, *sources.assumptions]))
    found.sizes.update(made.assumed_sizes)
    found.unbounded.update(made.unbounded)
    found.applied += made.applied
    found.gaps += form.gaps
    found.finished = found.finished and made.finished
    found.left += made.left


def _merged(operations: Iterable[Operation]) -> Iterator[Operation]:
    """One for each hazard at each place, with the worst verdict; operands that came to the same verdict are joined."""
    by_place: dict[tuple[str, Span], Operation] = {}
    for one in operations:
        before = by_place.setdefault((one.code, one.span), one)
        if before is one:
            continue
        if before.verdict == one.verdict:
            joined = min(before.operand[0], one.operand[0]), max(before.operand[1], one.operand[1])
            by_place[one.code, one.span] = replace(before, operand=joined, cause=tuple(dict.fromkeys([*before.cause, *one.cause])))
        elif ORDER.index(one.verdict) < ORDER.index(before.verdict):
            by_place[one.code, one.span] = one
    return iter(by_place.values())


def finding(one: Operation) -> Diagnostic:
    """An operation that is not safe, as a finding."""
    unsafe = one.verdict == "unsafe"
    lo, hi = one.operand
    message = f"{one.op} {'yields' if unsafe else 'may yield'} {one.yields}: it is safe where {one.needed}, but its operand is in [{lo:g}, {hi:g}]"
    trail = tuple(Step(one.span, f"it comes from {cause}") for cause in one.cause[:1])
    severity = Severity.ERROR if unsafe else Severity.WARNING
    return Diagnostic(one.code, severity, message, one.span, Certainty.POSSIBLE, trail=trail, label=f"comes from {', '.join(one.cause)}" if one.cause else "")
