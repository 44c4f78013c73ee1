"""The use case of `tensorproof check`: read each program, run it along its paths, decide each."""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from time import perf_counter
from typing import TYPE_CHECKING

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.shapes.decide import decide
from tensorproof.frontends.python.driver import has_driver
from tensorproof.frontends.python.environment import site_packages
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.source import Source, read
from tensorproof.terms.records import dataclass, field, replace
from tensorproof.values.told import NOTHING, Told

if TYPE_CHECKING:
    from tensorproof.app.infer import Inferred
    from tensorproof.frontends.python.entry import Input


@dataclass(frozen=True, slots=True)
class Options:
    """What the user says beyond the files: the program's arguments, one module to enter, shapes of its inputs."""

    arguments: tuple[str, ...] = ()
    entry: str | None = None
    inputs: dict[str, Input] = field(default_factory=dict[str, "Input"])
    roots: tuple[str, ...] = ()
    environment: str | None = None
    told: Told = NOTHING


@dataclass(slots=True)
class Program:
    """What was found out about one program."""

    path: str
    text: str
    verdict: Verdict
    paths: dict[str, int]
    calls: int
    gaps: list[Gap]
    seconds: float
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    contracts: list[Inferred] = field(default_factory=list["Inferred"])


def check(paths: list[str], options: Options | None = None) -> list[Program]:
    """Check programs one by one. Every file is read before the first is checked, so that bad input is told at once."""
    chosen = options or Options()
    sources = [read(path) for path in files(paths)]
    if chosen.arguments and len(sources) != 1:
        raise BadInput(f"program arguments need exactly one program, {len(sources)} are given")
    checked = [check_source(source, chosen) for source in sources]
    unmet(chosen.told)
    return checked


def unmet(told: Told) -> None:
    """Refuse what the user told of names that no program uses: it was misspelt, or would be thought to hold."""
    for name in told.data:
        if name not in told.met:
            raise BadInput(f"--data {name}: no class and no function of that name makes a dataset here")
    for name in sorted(told.vary - told.met):
        raise BadInput(f"--vary {name}: there is no command-line argument and no configuration value of that name")


def files(paths: list[str]) -> list[str]:
    """The Python files that the paths name: a directory stands for all files in it, hidden folders and virtual environments left aside."""

    def refuse(error: OSError) -> None:
        raise BadInput(f"{error.filename} cannot be read: {(error.strerror or str(error)).lower()}")

    found: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        inside: list[str] = []
        for folder, folders, names in os.walk(path, onerror=refuse):
            folders[:] = [f for f in folders if not f.startswith(".") and not os.path.exists(os.path.join(folder, f, "pyvenv.cfg"))]
            inside += [os.path.join(folder, n) for n in names if n.endswith(".py") and not n.startswith(".")]
        if not inside:
            raise BadInput(f"{path} holds no Python file")
        found += sorted(inside)
    return list(dict.fromkeys(found))


def check_source(source: Source, options: Options | None = None) -> Program:
    """Run a program that has a driver; enter the modules of a file that has none."""
    chosen = options or Options()
    source = replace(source, told=chosen.told)
    if chosen.entry is not None or (not has_driver(source.tree) and not chosen.arguments):
        return check_modules(source, chosen)
    start = perf_counter()
    found = explore(source, chosen.arguments, tuple(FilePath(r) for r in chosen.roots), site_packages(chosen.environment))
    counts = {v.value: 0 for v in (Verdict.VALID, Verdict.INVALID, Verdict.UNREACHABLE, Verdict.UNKNOWN)}
    findings: dict[tuple[str, object, str], Diagnostic] = {}
    gaps: dict[Gap, None] = {}
    for path in found.paths:
        verdict, diagnostics = decide(path)
        counts[verdict.value] += 1
        findings.update({(d.code, d.span, d.message): d for d in diagnostics})
        gaps.update(dict.fromkeys(path.gaps))
    errors = any(d.severity is Severity.ERROR for d in findings.values())
    whole = Verdict.INVALID if errors else Verdict.UNKNOWN if counts["unknown"] else Verdict.VALID
    shown = sorted(findings.values(), key=lambda d: (d.span.path, d.span.line, d.span.column))
    calls = max(path.calls for path in found.paths)
    return Program(source.path, source.text, whole, counts, calls, list(gaps), perf_counter() - start, shown)


def check_modules(source: Source, options: Options) -> Program:
    """A file without a driver: its top level is run, its modules are entered with symbolic inputs, its other functions with unknown arguments."""
    from tensorproof.app.entering import Entering, started
    from tensorproof.app.infer import infer
    from tensorproof.frontends.python.modules import Modules
    from tensorproof.frontends.python.places import places

    start = perf_counter()
    roots, site = tuple(FilePath(r) for r in options.roots), site_packages(options.environment)
    modules = Modules(source, places(source, roots, imported=True), site)
    top = started(modules, {}).path
    findings = list(decide(top)[1])
    broken = any(d.severity is Severity.ERROR for d in findings)
    found = [] if broken else infer(source, options.entry, options.inputs, roots, site, modules)
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
    return Program(source.path, source.text, whole, counts, calls, gaps, perf_counter() - start, shown, found)
