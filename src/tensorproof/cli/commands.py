"""The commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.cli import options
from tensorproof.cli.version import VERSION
from tensorproof.diagnostics.errors import BadInput

if TYPE_CHECKING:
    from tensorproof.app.program import Program


def _require_codes(rules: list[str]) -> None:
    if rules:
        from tensorproof.app.explain import require_codes

        require_codes(rules)


def check(given: Any, arguments: tuple[str, ...]) -> int:
    """Will these programs crash on a tensor's shape, type or format?"""
    from tensorproof.app.check import check as check_programs
    from tensorproof.app.program import Options
    from tensorproof.app.suppress import leave_out
    from tensorproof.cli.shapes import data_of, entry_of, inputs_of, seconds_of, versions_of
    from tensorproof.diagnostics.diagnostic import Severity, Verdict
    from tensorproof.reporters import text
    from tensorproof.values.directives import Directives

    paths: list[str] = given.paths
    name: str | None = None
    if given.entry is not None:
        file, name = entry_of(given.entry)
        paths = [file] if file not in paths else paths
    if not paths:
        raise BadInput("check needs a Python file, a directory or a saved model")
    directives = Directives(data_of(given.data or ()), frozenset(word.lstrip("-").replace("-", "_") for word in given.vary or ()))
    shapes, limit, target = inputs_of(given.inputs or ()), seconds_of(given.time_limit), versions_of(given.target)
    asked = Options(arguments, name, shapes, tuple(given.path or ()), given.environment, target, directives, limit)
    _require_codes([*(given.select or ()), *(given.ignore or ())])
    done: list[Program] = []

    def ended(program: Program) -> None:
        """A program was checked: its findings are printed at once."""
        refused = next((d for d in program.diagnostics if d.code == "python/arguments"), None)
        if arguments and refused is not None:
            raise BadInput(f"{paths[0]}: {refused.message}")
        leave_out(program, lambda code: options.chosen(code, given.select or [], given.ignore or []))
        done.append(program)
        if given.output_format != "json":
            _say_next(text.full_of(program, given.verbose) if given.output_format == "full" else text.concise_of(program), given.output_format == "full")

    begun = False

    def _say_next(words: str, apart: bool) -> None:
        nonlocal begun
        if words:
            _say("\n" + words if begun and apart else words)
            begun = True

    try:
        programs = check_programs(paths, asked, ended)
    except KeyboardInterrupt:
        if given.output_format == "json":
            _say(_as_json(done, arguments))
        raise
    if given.output_format == "json":
        _say(_as_json(programs, arguments))
    elif not given.quiet:
        _say_next(text.summary(programs), given.output_format == "full")
    severities = {d.severity for p in programs for d in p.diagnostics}
    failed = Severity.ERROR in severities
    if given.fail_on in ("warning", "unknown"):
        failed = failed or Severity.WARNING in severities
    if given.fail_on == "unknown":
        failed = failed or any(p.verdict is Verdict.UNKNOWN for p in programs)
    return int(failed)


def _as_json(programs: list[Program], arguments: tuple[str, ...]) -> str:
    from tensorproof.reporters.as_json import render

    return render(programs, arguments)


def infer(given: Any, arguments: tuple[str, ...]) -> int:
    """What inputs do the modules of this file take, and what comes out?"""

    from tensorproof.app.infer import infer as infer_modules
    from tensorproof.app.program import is_model
    from tensorproof.cli.shapes import inputs_of
    from tensorproof.frontends.python.modules.environment import site_packages
    from tensorproof.frontends.python.modules.source import read
    from tensorproof.reporters import contracts

    file, _, name = given.target.partition("::")
    if is_model(file):
        from tensorproof.app.models.contracts import infer_model

        found = infer_model(file, name, inputs_of(given.inputs or ()))
    else:
        roots, site = tuple(given.path or ()), site_packages(given.environment)
        found = infer_modules(read(file), name or None, inputs_of(given.inputs or ()), roots, site)
    _say(contracts.as_json(found) if given.output_format == "json" else contracts.lines(found, file))
    return int(any(i.verdict.value == "invalid" for i in found))


def numerics(given: Any, arguments: tuple[str, ...]) -> int:
    """Which operations can yield NaN or Inf, from which inputs?"""
    from tensorproof.cli.numerics import run as run_numerics

    status, text = run_numerics(given, arguments)
    if text:
        _say(text)
    return status


def space(given: Any, arguments: tuple[str, ...]) -> int:
    """Which vectors of a search space can run, and why can the others not?"""
    from tensorproof.cli.space import run as run_space

    status, text = run_space(given, arguments)
    if text:
        _say(text)
    return status


def library(given: Any, arguments: tuple[str, ...]) -> int:
    """Does an installed library compute the same thing along two equivalent ways?"""
    from tensorproof.cli.library import run as run_library

    status, text = run_library(given, arguments)
    if text:
        _say(text)
    return status


def explain(given: Any, arguments: tuple[str, ...]) -> int:
    """What does this code mean, and what is to be done?"""
    from tensorproof.app.explain import explain as page

    _say(page(given.code))
    return 0


def ops(given: Any, arguments: tuple[str, ...]) -> int:
    """List the operators, or explain one: by its name or by a framework's spelling of it."""
    from tensorproof.app.operators import describe, everything, find
    from tensorproof.reporters import operators

    described = [describe(op) for op in (everything() if given.name is None else find(given.name))]
    if given.output_format == "json":
        _say(operators.as_json(described))
    elif given.name is None or given.output_format == "concise":
        _say(operators.listing(described))
    else:
        _say("\n\n".join(operators.page(d) for d in described))
    return 0


Command = Callable[[Any, tuple[str, ...]], int]
COMMANDS: dict[str, tuple[Command, Callable[[options.Parser], None]]] = {
    "check": (check, options.check), "infer": (infer, options.infer), "numerics": (numerics, options.numerics), "space": (space, options.space),
    "library": (library, options.library),
    "explain": (explain, options.explain), "ops": (ops, options.ops),
}  # fmt: skip


def run(arguments: list[str]) -> int:
    """Run a command; every failure is one sentence on standard error and the exit status 2."""
    try:
        if not arguments or arguments[0] in ("-h", "--help"):
            _say(overview())
            return 0 if arguments else 2
        command, *words = arguments
        if command == "--version" or "--version" in words[: words.index("--") if "--" in words else None]:
            _say(f"tensorproof {VERSION}")
            return 0
        if command not in COMMANDS:
            raise BadInput(f"there is no command {command}; there are {', '.join(COMMANDS)}")
        words, after = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, list[str]())
        act, declare = COMMANDS[command]
        return act(options.read(command, act.__doc__ or "", declare, words, _settings(words)), tuple(after))
    except BadInput as error:
        return _complain(str(error))
    except SystemExit:  # after --help
        return 0
    except KeyboardInterrupt:
        return _complain("interrupted")
    except BrokenPipeError:
        return 2
    except Exception as error:
        return _complain(f"internal error: {type(error).__name__}: {error}; please report it")


def overview() -> str:
    """What `tensorproof --help` prints."""
    lines = [f"  {name:<10}{(act.__doc__ or '').strip()}" for name, (act, _) in COMMANDS.items()]
    return "\n".join([
        f"tensorproof {VERSION}: find the bugs of a deep-learning job before the job runs.", "", "usage: tensorproof COMMAND …", "", *lines, "",
        "`tensorproof COMMAND --help` lists the options of a command.",
    ])  # fmt: skip


def _settings(words: list[str]) -> dict[str, Any]:
    """The configuration: of the file after --config, else of the project."""
    from tensorproof.app.config import load

    file: str | None = None
    for at, word in enumerate(words):
        if word.startswith("--config="):
            file = word.partition("=")[2]
        elif word == "--config":
            if at + 1 >= len(words):
                raise BadInput("--config needs a file")
            file = words[at + 1]
    return {key.replace("-", "_"): value for key, value in load(file).items()}


def _say(text: str) -> None:
    try:
        print(text, flush=True)
    except UnicodeEncodeError:  # a terminal that cannot show every letter
        encoding = sys.stdout.encoding or "ascii"
        print(text.encode(encoding, "replace").decode(encoding), flush=True)


def _complain(sentence: str) -> int:
    print(f"tensorproof: {' '.join(sentence.split())}", file=sys.stderr)
    return 2
