"""A hyperparameter space as a Python object: the program is analysed once, and then every vector has its verdict in well under a millisecond."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from typing import Any

from tensorproof.app.program import Options
from tensorproof.app.spaces.files import read_space
from tensorproof.app.spaces.report import Group, Report, space
from tensorproof.app.written_shapes import inputs_of
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.checks import Cause, Checks
from tensorproof.engines.space.completing import Completing
from tensorproof.engines.space.deciding import Deciding
from tensorproof.engines.space.listing import VALID, positions, verdicts
from tensorproof.engines.space.parameters import MOST_VALUES, Parameter, Value, parameter
from tensorproof.engines.space.scenarios import Scenario
from tensorproof.engines.space.shipping import pack, unpack
from tensorproof.terms.records import replace
from tensorproof.values.directives import Directives

Domain = Iterable[Any] | str
"""`range(1, 12)`, `["relu", "gelu"]`, or as on the command line: `"1..11"`, `"1..8 if attention=true"`."""
Vector = dict[str, Value]


class Verdict(Enum):
    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"


class Space:
    """The vectors of a space, each with its verdict. A vector is a mapping from names to values; names that are not parameters are ignored."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.parameters = {p.name: p for p in report.parameters}
        self._deciding = Deciding(report.parameters, report.scenarios)
        self._completing: dict[bool, Completing] = {}
        self._places = {p.name: {_key(v): at for at, v in enumerate(p.values)} for p in report.parameters}

    @classmethod
    def of_program(
        cls, path: str, parameters: Mapping[str, Domain], *, entry: str | None = None, inputs: Mapping[str, str | Sequence[int | str]] | None = None,
        arguments: Sequence[str] = (), strict: bool = False,
    ) -> Space:  # fmt: skip
        """The space of a program, as `tensorproof space` has it: `inputs` are shapes of the entry's arguments, such as `{"x": (8, 3, "size", "size")}`."""
        shapes = [f"{name}={shape if isinstance(shape, str) else ','.join(map(str, shape))}" for name, shape in (inputs or {}).items()]
        options = Options(tuple(map(str, arguments)), entry, inputs_of(shapes), directives=Directives())
        return cls(space(str(path), [_parameter(name, domain) for name, domain in parameters.items()], options, strict=strict))

    @classmethod
    def of_model(cls, path: str, parameters: Mapping[str, Domain], *, inputs: Mapping[str, str | Sequence[int | str]] | None = None) -> Space:
        """The space of a saved model, whose parameters are arguments of its nodes, sizes of its layers, and its inputs."""
        return cls.of_program(path, parameters, inputs=inputs)

    @classmethod
    def of_file(cls, path: str) -> Space:
        """The space that a TOML file defines."""
        asked = read_space(str(path))
        options = Options(asked.arguments, asked.entry, inputs_of(asked.inputs), directives=Directives())
        return cls(space(asked.path, asked.parameters, options, strict=asked.strict))

    def verdict(self, vector: Mapping[str, Any]) -> Verdict:
        cause = self.cause(vector)
        return Verdict.VALID if cause is None else Verdict.UNKNOWN if cause.unknown else Verdict.INVALID

    def valid(self, vector: Mapping[str, Any]) -> bool:
        """Whether a vector is proved to run."""
        return self.cause(vector) is None

    def cause(self, vector: Mapping[str, Any]) -> Cause | None:
        """The first requirement that a vector breaks, or what was not understood on its path; None for a valid one."""
        return self._deciding.cause(self._whole(vector))

    def explain(self, vector: Mapping[str, Any]) -> str:
        """The cause in one line; empty for a valid vector."""
        cause = self.cause(vector)
        if cause is None:
            return ""
        kind = "unknown" if cause.unknown else cause.category
        return f"{cause.span.path}:{cause.span.line}: {kind} [{cause.code}]: {cause.message}"

    def core(self, vector: Mapping[str, Any]) -> Vector:
        """As few values of an invalid vector as are enough: no vector that has them may run. Empty for a vector that may run."""
        places = self._chosen(vector)
        if self._partly(True).possible(places):
            return {}
        return {name: self.parameters[name].values[at] for name, at in self._partly(True).core(places).items()}

    def nearest(self, vector: Mapping[str, Any]) -> Vector | None:
        """The vector itself if it is valid, else a valid one that differs in as few parameters as can be, and there by as few steps."""
        whole = self._whole(vector)
        return whole if self._deciding.cause(whole) is None else self._deciding.nearest(self._deciding.counted(whole))

    def count(self, verdict: Verdict = Verdict.VALID) -> int:
        """How many vectors have a verdict."""
        return {Verdict.VALID: self.report.valid, Verdict.INVALID: self.report.invalid, Verdict.UNKNOWN: self.report.unknown}[verdict]

    def region(self) -> list[str]:
        """What every valid vector meets, in words."""
        return list(self.report.region)

    def causes(self) -> list[Group]:
        """Why vectors are invalid or unknown, each with how many there are and an example."""
        return list(self.report.groups)

    def allowed(self, name: str, chosen: Mapping[str, Any], unknown: bool = True) -> list[Value]:
        """The values of a parameter with which the values chosen so far can become a vector that may run (one that is unknown included, if `unknown`)."""
        p = self._known(name)
        found = self._partly(unknown).left(name, self._chosen(chosen))
        return [value for value, good in zip(p.values, found.tolist()) if good]

    def possible(self, chosen: Mapping[str, Any], unknown: bool = True) -> bool:
        """Whether the values chosen so far can become a vector that may run."""
        return self._partly(unknown).possible(self._chosen(chosen))

    def repaired(self, chosen: Mapping[str, Any], unknown: bool = True) -> Vector:
        """The values, one after the other changed to the nearest with which a vector may run."""
        found: Vector = {}
        for name in [p.name for p in self.report.parameters if p.name in chosen]:
            at = self.place(name, chosen[name]) or 0
            found[name] = min(self.allowed(name, found, unknown), key=lambda v: abs((self.place(name, v) or 0) - at))
        return found

    def refuse_empty(self, unknown: bool = True) -> None:
        """Refuse a space in which nothing may run."""
        if not self.possible({}, unknown):
            raise BadInput("no vector of the space is valid" + "".join(f": {group.cause.message}" for group in self.report.groups[:1]))

    def vectors(self, verdict: Verdict = Verdict.VALID) -> Iterator[Vector]:
        """All vectors with a verdict, in the order of the domains."""
        for scenario in self.report.scenarios:
            kinds = [None if c.cause.absent else Verdict.UNKNOWN if c.cause.unknown else Verdict.INVALID for c in scenario.checks.order]
            sizes, names = [len(p.values) for p in scenario.parameters], [p.name for p in scenario.parameters]
            for start, part in verdicts(scenario.parameters, scenario.checks.order):
                for number, at in enumerate(part.tolist(), start):
                    if (Verdict.VALID if at == VALID else kinds[at]) is verdict:
                        places = dict(zip(names, positions(number, sizes)))
                        yield {p.name: scenario.fixed[p.name] if p.name in scenario.fixed else p.values[places[p.name]] for p in self.report.parameters}

    def place(self, name: str, value: object) -> int | None:
        """The position of a value in the domain of a parameter; None where the domain does not have it."""
        p = self._known(name)
        return 0 if p.real else self._places[name].get(_key(_plain(value)))

    def _partly(self, unknown: bool) -> Completing:
        if unknown not in self._completing:
            self._completing[unknown] = Completing(self.report.parameters, self.report.scenarios, unknown)
        return self._completing[unknown]

    def _known(self, name: str) -> Parameter:
        if name not in self.parameters:
            raise BadInput(f"the space has no parameter {name}" + _closest(name, self.parameters))
        return self.parameters[name]

    def _whole(self, vector: Mapping[str, Any]) -> Vector:
        """The vector with the values of its own parameters; what does not count has the first value."""
        chosen = self._chosen(vector)
        for p in self.report.parameters:
            if p.name in chosen:
                continue
            other = p.needs and self.parameters[p.needs[0]]
            if p.needs is None or other is None or (other.name in chosen and other.values[chosen[other.name]] in p.needs[1]):
                raise BadInput(f"the vector has no value for {p.name}" + _closest(p.name, vector))
            chosen[p.name] = 0
        return {p.name: p.values[chosen[p.name]] for p in self.report.parameters}

    def _chosen(self, vector: Mapping[str, Any]) -> dict[str, int]:
        found: dict[str, int] = {}
        for p in self.report.parameters:
            if p.name in vector:
                at = self.place(p.name, vector[p.name])
                if at is None:
                    raise BadInput(f"{p.name}={vector[p.name]!r} is not a value of the space, which has {_listed(p.values)}")
                found[p.name] = at
        return found

    def __getstate__(self) -> dict[str, Any]:
        """What goes to other processes: requirements as plain tuples."""
        packed = [(s.fixed, pack(s.parameters, s.checks.order), [c.cause for c in s.checks.order]) for s in self.report.scenarios]
        plain = tuple(replace(p, kept=None) for p in self.report.parameters)
        return {"report": replace(self.report, parameters=plain, scenarios=[]), "packed": packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        report: Report = state["report"]
        report.parameters = tuple(replace(p, kept=p.term) for p in report.parameters)
        known = {p.name: p for p in report.parameters}
        for fixed, packed, causes in state["packed"]:
            given, checks = unpack(packed)
            order = [replace(check, cause=cause) for check, cause in zip(checks, causes)]
            report.scenarios.append(Scenario(fixed, tuple(known[p.name] for p in given), Checks(order)))
        self.__init__(report)  # type: ignore[misc]


def _parameter(name: str, domain: Domain) -> Parameter:
    if isinstance(domain, str):
        return parameter(f"{name}={domain}")
    if isinstance(domain, (bool, int, float)) or not isinstance(domain, Iterable):
        domain = (domain,)
    if isinstance(domain, range) and len(domain) > MOST_VALUES:
        raise BadInput(f"{name}: a parameter has at most {MOST_VALUES:,} values, and this range has {len(domain):,}")
    values = [_plain(value) for value in domain]
    strange = next((v for v in values if not isinstance(v, (bool, int, float, str))), None)
    if strange is not None or None in values:
        raise BadInput(f"{name} has the value {strange!r}, which is not a number, text or truth value")
    if not values:
        raise BadInput(f"{name}: there is no value")
    return Parameter(name, tuple({_key(v): v for v in values}.values()))


def _plain(value: object) -> Any:
    """NumPy's numbers and texts as Python's."""
    return value.item() if hasattr(value, "item") else value


def _key(value: object) -> tuple[type, Any]:
    return (type(value), value) if isinstance(value, (bool, int, float, str)) else (type(value), repr(value))


def _closest(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, sorted(known), 3, 0.5)
    return f"; the closest names are {', '.join(close)}" if close else ""


def _listed(values: Sequence[Value]) -> str:
    words = [str(v) for v in (values if len(values) <= 8 else (*values[:6], "…", values[-1]))]
    return ", ".join(words)
