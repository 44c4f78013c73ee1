"""The use case of `tensorproof space`: which vectors of a search space can run, why the others cannot, and what the valid ones have in common."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from tensorproof.app.program import Options
from tensorproof.app.spaces.engines import Engine, tallies
from tensorproof.app.spaces.models import space_of
from tensorproof.app.spaces.programs import Analysed, ProgramSpace
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.checks import Cause, Check, checks_of
from tensorproof.engines.space.completing import Completing
from tensorproof.engines.space.counting import TooLarge, count, valid_values
from tensorproof.engines.space.deciding import Deciding
from tensorproof.engines.space.endless import listed
from tensorproof.engines.space.listing import VALID, positions
from tensorproof.engines.space.parameters import Parameter, Value, checked
from tensorproof.engines.space.ranges import Tally
from tensorproof.engines.space.region import relations, values_left
from tensorproof.engines.space.scenarios import MOST_ANALYSES, Planning, Scenario
from tensorproof.engines.space.solving import refuse_too_large, verdicts_by
from tensorproof.solve.port import Answer
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import begin_file
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.terms.substitution import symbols

Vector = dict[str, Value]
MOST_DECIDED = BUDGETS.spaces.vectors
HERE = Engine()
MOST_FOR_CORES = BUDGETS.spaces.vectors_for_causes
LONGEST = 120
"""A longer message is written with the numbers of an example."""
MOST_EXAMPLES = 5


@dataclass(slots=True)
class Group:
    """The vectors that one cause concerns first, and one of them."""

    cause: Cause
    count: int
    example: Vector
    nearest: Vector | None = None
    core: Vector | None = None
    """As few of the example's values as are enough: no valid vector has them."""
    more: bool = False
    """Whether there are, or may be, more than were counted."""


@dataclass(slots=True)
class Report:
    path: str
    parameters: tuple[Parameter, ...]
    scenarios: list[Scenario]
    valid: int = 0
    groups: list[Group] = field(default_factory=list[Group])
    warnings: list[Group] = field(default_factory=list[Group])
    """What runs and is wrong all the same, where that makes no vector invalid."""
    example: Vector | None = None
    """A valid vector."""
    more: bool = False
    """Whether there are, or may be, more valid vectors than were counted."""
    region: list[str] = field(default_factory=list[str])
    bound: dict[str, str] = field(default_factory=dict[str, str])
    """Where the program has each parameter, in words."""
    analyses: int = 0
    seconds: float = 0.0

    @property
    def invalid(self) -> int:
        return sum(group.count for group in self.groups if not group.cause.unknown)

    @property
    def unknown(self) -> int:
        return sum(group.count for group in self.groups if group.cause.unknown)

    @property
    def vectors(self) -> int:
        return self.valid + self.invalid + self.unknown


def space(path: str, parameters: Sequence[Parameter], options: Options, mode: str = "vectorised", engine: Engine = HERE, strict: bool = False) -> Report:
    """Decide every vector of a program's space; if `strict`, one that runs and is wrong all the same is invalid."""
    start = perf_counter()
    begin_file()
    chosen = checked(parameters)
    endless = next((p.name for p in chosen if p.endless), None)
    if endless is not None and mode == "vectorised":
        raise BadInput(f"{endless} has no upper end, and --mode vectorised decides finite spaces; --mode bulk fits")
    program = space_of(path, chosen, options)
    if endless is not None and not isinstance(program, ProgramSpace):
        raise BadInput(f"{endless} has no upper end; the parameters of a saved model need both ends")
    planning = Planning(chosen, program.analyse, strict=strict)
    report = Report(path, chosen, planning.scenarios())
    report.analyses = MOST_ANALYSES - planning.left
    if isinstance(program, ProgramSpace):
        report.bound = {p.name: program.bound[word] for p in chosen if (word := p.name.lstrip("-").replace("-", "_")) in program.bound}
    if endless is not None:
        _list(report)
    else:
        _count(report, mode, engine)
        if not strict:
            _warn(report)
        _describe(report)
    _with_numbers(report, program)
    report.seconds = perf_counter() - start
    return report


def _count(report: Report, mode: str, engine: Engine) -> None:
    total = sum(s.vectors for s in report.scenarios)
    if mode != "vectorised":
        refuse_too_large(mode, total)
    decided = tallies(report.scenarios, engine) if mode == "vectorised" and (total <= MOST_DECIDED or engine.name != "local") else None
    groups: dict[tuple[str, object, str, bool], Group] = {}
    for number, scenario in enumerate(report.scenarios):
        counts, examples = _counted(scenario, mode) if decided is None else _numbered(scenario, decided[number])
        for at, number in counts.items():
            vector = _vector(scenario, report.parameters, examples[at])
            if at == VALID:
                report.valid += number
                report.example = report.example or vector
                continue
            cause = scenario.checks.order[at].cause
            if cause.absent:
                continue
            group = groups.setdefault((cause.code, cause.span, cause.category, cause.unknown), Group(cause, 0, vector))
            group.count += number
    report.groups = sorted(groups.values(), key=lambda g: (g.cause.unknown, -g.count, g.cause.span.line, g.cause.code))


def _list(report: Report) -> None:
    """Let the solver find vectors of each cause, and valid ones, where a parameter has no upper end; the region is what is required."""
    for scenario in report.scenarios:
        for found in listed(scenario.parameters, scenario.checks.order):
            vectors: list[Vector] = [{p.name: {**scenario.fixed, **vector}[p.name] for p in report.parameters} for vector in found.vectors]
            more = found.answer is not Answer.UNSAT
            if found.at == VALID:
                report.valid += len(vectors)
                report.more = report.more or more
                report.example = report.example or next(iter(vectors), None)
            elif vectors and not scenario.checks.order[found.at].cause.absent:
                report.groups.append(Group(scenario.checks.order[found.at].cause, len(vectors), vectors[0], more=more))
            elif more:
                cause = replace(scenario.checks.order[found.at].cause, message="the solver does not say whether a vector breaks this", unknown=True)
                report.groups.append(Group(cause, 0, {p.name: p.values[0] for p in report.parameters}, more=True))
    report.groups.sort(key=lambda g: (g.cause.unknown, g.cause.span.line, g.cause.code))
    broken = {(g.cause.code, g.cause.span) for g in report.groups}
    checks = [c for s in report.scenarios for c in s.checks.order if (c.cause.code, c.cause.span) in broken and not c.cause.unknown]
    report.region = relations(checks, report.parameters) if len(report.scenarios) == 1 else []


def _warn(report: Report) -> None:
    """How many vectors do what is advised against, whether they are valid or not."""
    groups: dict[tuple[str, object], Group] = {}
    for scenario in report.scenarios:
        found = count(scenario.parameters, scenario.checks.warnings) if scenario.checks.warnings else None
        for at, number in found.counts.items() if found is not None else ():
            if at != VALID and found is not None:
                cause = scenario.checks.warnings[at].cause
                group = groups.setdefault((cause.code, cause.span), Group(cause, 0, _vector(scenario, report.parameters, found.examples[at])))
                group.count += number
    report.warnings = sorted(groups.values(), key=lambda g: -g.count)


def _with_numbers(report: Report, program: Analysed) -> None:
    """Say of the largest groups what goes wrong with the numbers of their examples, where the symbols make a long sentence."""
    long = [g for g in report.groups if len(g.cause.message) > LONGEST and not g.cause.unknown]
    for group in long[:MOST_EXAMPLES]:
        found = checks_of(program.analyse(group.example), frozenset()).order
        same = next((c.cause for c in found if (c.cause.code, c.cause.span) == (group.cause.code, group.cause.span)), None)
        if same is not None:
            group.cause = replace(group.cause, message=f"{same.message} (with the example's numbers)")


def _describe(report: Report) -> None:
    """The valid region, and for each cause the nearest valid vector."""
    if report.valid:
        deciding = Deciding(report.parameters, report.scenarios)
        completing = Completing(report.parameters, report.scenarios) if report.vectors <= MOST_FOR_CORES else None
        for group in report.groups:
            if not group.cause.unknown:
                group.nearest = deciding.nearest(group.example)
                group.core = _core(completing, deciding, group.example) if completing is not None else None
    broken = {(g.cause.code, g.cause.span) for g in report.groups if not g.cause.unknown}
    checks = [c for s in report.scenarios for c in s.checks.order if (c.cause.code, c.cause.span) in broken]
    found = relations(checks, report.parameters) if len(report.scenarios) == 1 else []
    named = _alone(checks) if found else set[str]()
    left = [_values_left(report, p) for p in report.parameters if p.name not in named]
    report.region = list(dict.fromkeys([*filter(None, left), *found]))


def _core(completing: Completing, deciding: Deciding, example: Vector) -> Vector:
    broken = deciding.check(example)
    known = {atom.name for atom in symbols(broken.required)} if broken is not None else set()
    places = {p.name: p.values.index(example[p.name]) for p in completing.parameters.values()}
    return {name: example[name] for name in completing.core(places, known)}


def _values_left(report: Report, p: Parameter) -> str:
    """Which values of a parameter some valid vector has, in words; empty where all have one, or where it takes too long to say."""
    totals: dict[int, int] = {}
    for scenario in report.scenarios:
        if p.name in scenario.fixed:
            at = p.values.index(scenario.fixed[p.name])
            totals[at] = totals.get(at, 0) + count(scenario.parameters, scenario.checks.order).valid
            continue
        try:
            found = valid_values(scenario.parameters, scenario.checks.order, p)
        except TooLarge:
            return ""
        for at, number in found.items():
            totals[at] = totals.get(at, 0) + number
    return values_left(p, totals)


def _alone(checks: Sequence[Check]) -> set[str]:
    """The parameters of which a requirement speaks that speaks of no other."""
    found = [symbols(check.required) for check in checks]
    return {atom.name for one in found if len(one) == 1 for atom in one}


def _numbered(scenario: Scenario, found: Tally) -> tuple[dict[int, int], dict[int, dict[str, int]]]:
    """Counts and examples from a tally, whose examples are numbers of vectors."""
    sizes = [len(p.values) for p in scenario.parameters]
    names = [p.name for p in scenario.parameters]
    return {at: n for at, (n, _) in found.items()}, {at: dict(zip(names, positions(first, sizes))) for at, (_, first) in found.items()}


def _counted(scenario: Scenario, mode: str) -> tuple[dict[int, int], dict[int, dict[str, int]]]:
    """How many vectors of a scenario each check concerns first, with an example each."""
    if mode == "vectorised":
        found = count(scenario.parameters, scenario.checks.order)
        return found.counts, found.examples
    counts: dict[int, int] = {}
    examples: dict[int, dict[str, int]] = {}
    sizes = [len(p.values) for p in scenario.parameters]
    for start, part in verdicts_by(mode)(scenario.parameters, scenario.checks.order):
        for number, at in enumerate(part.tolist(), start):
            counts[at] = counts.get(at, 0) + 1
            if at not in examples:
                examples[at] = dict(zip([p.name for p in scenario.parameters], positions(number, sizes)))
    return counts, examples


def _vector(scenario: Scenario, parameters: Sequence[Parameter], positions: dict[str, int]) -> Vector:
    return {p.name: scenario.fixed[p.name] if p.name in scenario.fixed else p.values[positions[p.name]] for p in parameters}
