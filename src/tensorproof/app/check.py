"""The use case of `tensorproof check`: read each program, run it along its paths, decide each."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter

from tensorproof.app.program import Options, Program, is_model
from tensorproof.bindings.names import versions
from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Gap, Severity, Verdict
from tensorproof.diagnostics.errors import BadFile, BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.shapes.decide import decide, fails_on_every_path, weigh
from tensorproof.frontends.python.entry.driver import has_driver
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.environment import site_packages
from tensorproof.frontends.python.modules.source import Source, read
from tensorproof.solve import limits
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Origin, begin_file
from tensorproof.terms.labels import names_in, replaced
from tensorproof.terms.records import replace
from tensorproof.terms.substitution import symbols
from tensorproof.values.directives import Directives
from tensorproof.values.path import Path


def check(paths: list[str], options: Options | None = None, ended: Callable[[Program], None] | None = None) -> list[Program]:
    """Check programs one by one; `ended` gets each as it ends. One of several that cannot be read, or that makes us fail, costs itself alone."""
    chosen = options or Options()
    refused: list[BadFile] = []
    given = files(paths, refused)
    alone = len(given) == 1 and (not os.path.isdir(paths[0]) or is_model(paths[0]))
    if chosen.arguments and len(given) != 1:
        raise BadInput(f"program arguments need exactly one program, {len(given)} are given")
    checked: list[Program] = []
    todo: list[str | BadFile] = [*refused, *given]
    for path in todo:
        if isinstance(path, BadFile):
            checked.append(_unreadable(path))
        else:
            checked.append(_checked(path, chosen) if alone else _check_one(path, chosen))
        label_symbols(checked[-1])
        if ended is not None:
            ended(checked[-1])
    unmet(chosen.directives)
    return checked


def label_symbols(program: Program) -> None:
    """Put the labels of symbols in place of their keys, in all that is shown of a program."""
    program.diagnostics = [_labelled(d) for d in program.diagnostics]
    for gaps in (program.gaps, program.open, program.later):
        gaps[:] = [replace(g, reason=replaced(g.reason, names_in([g.reason]))) for g in gaps]
    program.region = [replaced(text, names_in([text])) for text in program.region]


def _labelled(d: Diagnostic) -> Diagnostic:
    names = names_in([d.message, d.label, d.fix, *d.witness, *(s.message for s in d.trail)])
    trail = tuple(replace(s, message=replaced(s.message, names)) for s in d.trail)
    witness = {replaced(k, names): v for k, v in d.witness.items()}
    message = of_last_batch(replaced(d.message, names), witness)
    return replace(d, message=message, label=replaced(d.label, names), fix=replaced(d.fix, names), witness=witness, trail=trail)


_REST = r"\(?\b(len\([^()]*\)) % (\d+)\)?"


def of_last_batch(message: str, witness: Mapping[str, int]) -> str:
    """A message about the samples that are left for the last batch, which it calls r; with the r of the witness."""
    rests = {(found[1], found[2]) for found in re.finditer(_REST, message)}
    if len(rests) != 1:
        return message
    length, size = rests.pop()
    text = f"{length} % {size}"
    short = message.replace(f"({text})", "r").replace(text, "r")
    fails = f"; fails for r = {witness[length] % int(size)}" if length in witness else ""
    return f"the last batch has r = {text} samples: {short}{fails}"


def _checked(path: str, options: Options) -> Program:
    """One Python file or saved model."""
    if not is_model(path):
        return check_source(read(path), options)
    if path.removesuffix(".gz").endswith(".keras"):
        from tensorproof.app.models.keras import check_keras

        return check_keras(path, options)
    from tensorproof.app.models.check import check_model

    return check_model(path, options)


def _check_one(path: str, options: Options) -> Program:
    """One file of several."""
    start = perf_counter()
    try:
        return _checked(path, options)
    except BadFile as error:
        return _unreadable(error)
    except BadInput as error:
        if not is_model(path):
            raise  # of what the user said beyond the files
        return _unreadable(BadFile(path, str(error).removeprefix(path).strip().rstrip(".")))
    except Exception as bug:
        about = f"the analysis of this file failed: {type(bug).__name__}: {' '.join(str(bug).split())[:200]}; please report it"
        return _failed(Verdict.UNKNOWN, Diagnostic("internal/failure", Severity.ERROR, about, Span(path, 1, 1, 1, 2)), perf_counter() - start)


def _unreadable(error: BadFile) -> Program:
    """A file or folder of several that cannot be read or parsed."""
    verdict = Verdict.INVALID if error.code == "python/syntax" else Verdict.UNKNOWN
    about = error.about if error.about.startswith("syntax") else f"the {'folder' if os.path.isdir(error.path) else 'file'} {error.about}"
    return _failed(verdict, Diagnostic(error.code, Severity.ERROR, about, Span(error.path, error.line, error.column, error.line, error.column + 1)))


def _failed(verdict: Verdict, found: Diagnostic, seconds: float = 0.0) -> Program:
    counts = {v.value: int(v is verdict) for v in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
    return Program(found.span.path, "", verdict, counts, 0, [], seconds, [found])


def unmet(directives: Directives) -> None:
    """Refuse what the user said of names that no program uses: it was misspelt, or would be thought to hold."""
    for name in directives.data:
        if name not in directives.met:
            raise BadInput(f"--data {name}: no class and no function of that name makes a dataset here")
    for name in sorted(directives.vary - directives.met):
        raise BadInput(f"--vary {name}: there is no command-line argument and no configuration value of that name")


def files(paths: list[str], unreadable: list[BadFile] | None = None) -> list[str]:
    """The Python files that the paths name: a directory stands for all files in it, hidden folders and virtual environments left aside.
    Folders that cannot be read are put into the second list, else they are refused."""

    found: list[str] = []

    def refused(error: OSError) -> None:
        bad = BadFile(str(error.filename), f"cannot be read: {(error.strerror or str(error)).lower()}")
        if unreadable is None:
            raise bad
        unreadable.append(bad)

    for path in paths:
        if not os.path.isdir(path) or is_model(path):
            found.append(path)
            continue
        inside: list[str] = []
        for folder, folders, names in os.walk(path, onerror=refused):
            folders[:] = [f for f in folders if not f.startswith(".") and not os.path.exists(os.path.join(folder, f, "pyvenv.cfg"))]
            inside += [os.path.join(folder, n) for n in names if n.endswith(".py") and not n.startswith(".")]
        if not inside and not unreadable:
            raise BadInput(f"{path} holds no Python file")
        found += sorted(inside)
    return list(dict.fromkeys(found))


def check_source(source: Source, options: Options | None = None) -> Program:
    """Run a program that has a driver; enter the modules of a file that has none."""
    chosen = options or Options()
    source = replace(source, directives=chosen.directives)
    begin_file()
    start = perf_counter()
    try:
        with versions.chosen(chosen.target, site_packages(chosen.environment)):
            return _within_limit(source, chosen, start)
    except limits.OutOfBudget as spent:  # the clock ran out where nothing could be kept
        lost = Path(gaps=[Gap("the program", Span(source.path, 1, 1, 1, 1), str(spent))])
        return _decided(source, [lost], start)


def _within_limit(source: Source, chosen: Options, start: float) -> Program:
    if chosen.entry is not None or (not has_driver(source.tree) and not chosen.arguments):
        with limits.limited(chosen.time_limit):
            return check_modules(source, chosen)
    with limits.limited(chosen.time_limit):
        found = explore(source, chosen.arguments, chosen.roots, site_packages(chosen.environment))
    with limits.limited(chosen.time_limit * limits.TO_DECIDE):
        program = _decided(source, found.paths, start)
    if program.verdict is Verdict.UNKNOWN and not any(d.severity is Severity.ERROR for d in program.diagnostics):
        with limits.limited(chosen.time_limit * TO_ENTER):
            _add_unreached(program, source, chosen, found.last, start)
    if program.verdict is Verdict.UNKNOWN and not any(d.severity is Severity.ERROR for d in program.diagnostics):
        with limits.limited(chosen.time_limit * TO_SETTLE):
            _add_settled(program, source, chosen, found.paths, start)
    packages = frozenset(one.name.partition(".")[0] for one in found.last.modules.running.values() if one.foreign)
    if packages and program.verdict is Verdict.UNKNOWN and not any(d.severity is Severity.ERROR for d in program.diagnostics):
        with limits.limited(chosen.time_limit * TO_SETTLE):
            _add_unread(program, source, chosen, packages, start)
    return program


TO_ENTER = 0.25
"""The part of a file's time limit for what its own run did not enter."""
TO_SETTLE = 0.5
"""The part of a file's time limit for one more run, with the answers of the machine settled."""


def _add_settled(program: Program, source: Source, options: Options, paths: list[Path], start: float) -> None:
    """What is unknown when every answer of the machine is possible may be an error with one: the run with those that leave least unknown says so."""
    world = {p: side for path in paths for p, side in path.worlds.items() if p.args[0] in path.of_worlds}
    if not world:
        return
    found = explore(source, options.arguments, options.roots, site_packages(options.environment), world=world)
    settled = _decided(source, found.paths, start)
    _add_errors(program, [replace(d, certainty=Certainty.POSSIBLE) for d in settled.diagnostics if d.severity is Severity.ERROR], start)


def _add_unread(program: Program, source: Source, options: Options, packages: frozenset[str], start: float) -> None:
    """Reading a package never hides an error: where it could not be followed, the program is run as if its packages had no source."""
    found = explore(source, options.arguments, options.roots, site_packages(options.environment), left=packages)
    unread = _decided(source, found.paths, start)
    _add_errors(program, [d for d in unread.diagnostics if d.severity is Severity.ERROR], start)


def _add_unreached(program: Program, source: Source, options: Options, last: Interpreter, start: float) -> None:
    """Enter what the program uses and its run did not come to."""
    from tensorproof.app.unreached import errors_of_unreached

    _add_errors(program, errors_of_unreached(source, options, last), start)


def _add_errors(program: Program, found: list[Diagnostic], start: float) -> None:
    """What another look at a program found that was unknown before. An error says better what was reported with doubt at its place."""
    if found:
        program.verdict = Verdict.INVALID
        program.paths["invalid"] += 1
        places = {(d.code, d.span) for d in found}
        kept = [d for d in program.diagnostics if (d.code, d.span) not in places]
        program.diagnostics = sorted([*kept, *found], key=lambda d: (d.span.path, d.span.line, d.span.column))
    program.seconds = perf_counter() - start


def _decided(source: Source, paths: list[Path], start: float) -> Program:
    """What the paths of a program say."""
    counts = {v.value: 0 for v in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
    findings: dict[tuple[str, object, str], Diagnostic] = {}
    gaps: dict[Gap, None] = {}
    guards: dict[tuple[str, object, str], Diagnostic] = {}
    left = Verdict.VALID
    for path in paths:
        verdict, diagnostics, without = weigh(path)
        counts[verdict.value] += 1
        left = left if without in (Verdict.VALID, Verdict.UNREACHABLE) else without
        of = findings if verdict is not Verdict.UNREACHABLE else guards
        for d in diagnostics:
            key = d.code, d.span, d.message
            if key not in of or of[key].severity is not Severity.ERROR:  # an error of one path is no doubt of another's
                of[key] = d
        gaps.update(dict.fromkeys(path.gaps))
    if counts[Verdict.UNREACHABLE.value] == len(paths):  # every path ends at a `raise` of the program, whatever is chosen
        findings.update(guards)
        counts = {**counts, Verdict.INVALID.value: len(paths), Verdict.UNREACHABLE.value: 0}
    if len(paths) > 1 and not any(d.severity is Severity.ERROR for d in findings.values()):
        findings = {key: _certain(d, paths) for key, d in findings.items()}
    errors = any(d.severity is Severity.ERROR for d in findings.values())
    if errors and not counts[Verdict.INVALID.value]:
        counts = {**counts, Verdict.INVALID.value: counts[Verdict.UNKNOWN.value], Verdict.UNKNOWN.value: 0}
    findings = {key: d for key, d in findings.items() if not _explained(d, findings.values())}
    whole = Verdict.INVALID if errors else Verdict.UNKNOWN if counts["unknown"] or counts["invalid"] else Verdict.VALID
    later = list(dict.fromkeys(g for path in paths for g in path.later))
    if not errors:
        gaps.update(dict.fromkeys(later))
    shown = sorted(findings.values(), key=lambda d: (d.span.path, d.span.line, d.span.column))
    calls, open_ = max(path.calls for path in paths), _one_for_each_place([g for path in paths for g in path.open])
    region = _region(paths) if source.directives.vary else []
    return Program(
        source.path, source.text, whole, counts, calls, list(gaps), perf_counter() - start, shown, later=later, without_errors=left, open=open_, region=region
    )  # fmt: skip


def _region(paths: list[Path]) -> list[str]:
    """The relations that the values of the command line and of configurations must meet for the program to run."""
    from tensorproof.engines.shapes.contract import remaining
    from tensorproof.engines.space.checks import checks_of
    from tensorproof.engines.space.region import relations

    chosen = {a for p in paths for s in p.stated for part in (s.requirement.predicate, *s.facts) for a in symbols(part) if a.origin is Origin.USER}
    known = [c for c in checks_of(paths, frozenset(chosen)).order if not c.cause.unknown]
    needed = set(remaining([c.required for c in known])) if len(known) <= MOST_COMPARED else None
    return relations([c for c in known if needed is None or c.required in needed], ())


MOST_COMPARED = BUDGETS.exploration.relations_compared


def _certain(finding: Diagnostic, paths: list[Path]) -> Diagnostic:
    """A finding that is reported with doubt on each path and holds on all of them is an error."""
    sure = finding.severity is Severity.WARNING and fails_on_every_path(paths, finding)
    return replace(finding, severity=Severity.ERROR, certainty=Certainty.ALWAYS) if sure else finding


def _explained(finding: Diagnostic, findings: Iterable[Diagnostic]) -> bool:
    """Whether a suspicion stands where an error was found: the error says it better."""
    suspect = finding.severity is Severity.WARNING and finding.code.startswith("suspect/")
    return suspect and any(d.severity is Severity.ERROR and d.span == finding.span for d in findings)


def _one_for_each_place(open_: list[Gap]) -> list[Gap]:
    """The first of the requirements of one code at one place: the paths and the iterations of a loop repeat them."""
    return list({(g.callee, g.span): g for g in reversed(open_)}.values())[::-1]


def check_modules(source: Source, options: Options) -> Program:
    """A file without a driver: its top level is run, its modules are entered with symbolic inputs, its other functions with unknown arguments."""
    from tensorproof.app.entering import Entering, started
    from tensorproof.app.infer import infer
    from tensorproof.frontends.python.modules.modules import Modules
    from tensorproof.frontends.python.modules.places import places

    start = perf_counter()
    site = site_packages(options.environment)
    modules = Modules(source, places(source, options.roots, imported=True), site)
    top = started(modules, {}).path
    findings = list(decide(top)[1])
    broken = any(d.severity is Severity.ERROR for d in findings)
    found = [] if broken else infer(source, options.entry, options.inputs, options.roots, site, modules)
    alone = options.entry is not None or broken
    others = [] if alone else Entering(modules).all({f"{i.module}.forward" for i in found} | {i.module for i in found})
    verdicts = [*(i.verdict for i in found), *(e.verdict for e in others), *([Verdict.INVALID] if broken else [])]
    counts = {v.value: verdicts.count(v) for v in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
    gaps = list(dict.fromkeys([*top.gaps, *(g for i in found for p in i.paths for g in p.gaps), *(g for e in others for g in e.gaps)]))
    findings += [d for i in found for d in i.diagnostics] + [d for e in others for d in e.diagnostics]
    whole = Verdict.INVALID if counts["invalid"] else Verdict.UNKNOWN if counts["unknown"] or gaps else Verdict.VALID
    calls = top.calls + sum(max((p.calls for p in i.paths), default=0) for i in found) + sum(e.calls for e in others)
    kept = {(d.code, d.span, d.message): d for d in findings}
    shown = sorted(kept.values(), key=lambda d: (d.span.path, d.span.line, d.span.column))
    open_ = _one_for_each_place([*top.open, *(g for i in found for p in i.paths for g in p.open)])
    return Program(source.path, source.text, whole, counts, calls, gaps, perf_counter() - start, shown, found, open=open_)
