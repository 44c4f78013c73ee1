"""The commands and their options."""

from __future__ import annotations

import sys
from typing import Any

import click

from tensorproof.cli.main import VERSION
from tensorproof.diagnostics.errors import BadInput

FORMATS = ("full", "concise", "json")
LATER = ("numerics", "space", "library")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="tensorproof", message="%(prog)s %(version)s")
def tensorproof() -> None:
    """Find the bugs of a deep-learning job before the job runs."""


def _output_options(command: Any) -> Any:
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Also list every call that was not understood."),
        click.option("-q", "--quiet", is_flag=True, help="Findings only, no closing line."),
        click.option("--fail-on", type=click.Choice(["error", "warning", "unknown"]), default="error", help="What makes the exit status 1."),
        click.option("--ignore", multiple=True, metavar="CODE", help="Leave out findings of this code or prefix."),
        click.option("--select", multiple=True, metavar="CODE", help="Only findings of this code or prefix."),
        click.option("--output-format", "output_format", default="full", metavar="|".join(FORMATS), help="How to print."),
    ):
        command = option(command)
    return command


@tensorproof.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--entry", metavar="FILE.py::Name", help="Enter this module instead of running the program.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=SHAPE", help="The shape of an input, such as x=8,3,H,W.")
@click.option("--python", "environment", metavar="ENV", help="The environment whose packages the program imports (a folder).")
@click.option("--path", "roots", multiple=True, metavar="DIR", help="Another folder from which the program imports.")
@_output_options
def check(
    paths: tuple[str, ...], entry: str | None, inputs: tuple[str, ...], roots: tuple[str, ...], environment: str | None,
    output_format: str, select: tuple[str, ...], ignore: tuple[str, ...], fail_on: str, quiet: bool, verbose: bool,
) -> int:  # fmt: skip
    """Will these programs crash on a tensor's shape, type or format? Arguments of the program follow after --."""
    _known_format(output_format)
    from tensorproof.app.check import Options
    from tensorproof.app.check import check as check_programs
    from tensorproof.app.suppress import suppressed
    from tensorproof.cli.shapes import entry_of, inputs_of
    from tensorproof.diagnostics.diagnostic import Severity, Verdict

    arguments: tuple[str, ...] = click.get_current_context().obj or ()
    listed = list(paths)
    name: str | None = None
    if entry is not None:
        file, name = entry_of(entry)
        listed = [file] if file not in listed else listed
    programs = check_programs(listed, Options(arguments, name, inputs_of(inputs), roots, environment))
    for program in programs:
        program.diagnostics = [d for d in suppressed(program.path, program.text, program.diagnostics) if _chosen(d.code, select, ignore)]
    if output_format == "json":
        from tensorproof.reporters import as_json

        click.echo(as_json.render(programs, arguments))
    else:
        from tensorproof.reporters import text

        click.echo(text.full(programs, quiet, verbose) if output_format == "full" else text.concise(programs, quiet))
    severities = {d.severity for p in programs for d in p.diagnostics}
    failed = Severity.ERROR in severities
    if fail_on in ("warning", "unknown"):
        failed = failed or Severity.WARNING in severities
    if fail_on == "unknown":
        failed = failed or any(p.verdict is Verdict.UNKNOWN for p in programs)
    return int(failed)


@tensorproof.command()
@click.argument("target", metavar="FILE[::Name]")
@click.option("--input", "inputs", multiple=True, metavar="NAME=SHAPE", help="The shape of an input, such as x=8,3,H,W.")
@click.option("--output-format", "output_format", default="full", metavar="|".join(FORMATS), help="How to print.")
def infer(target: str, inputs: tuple[str, ...], output_format: str) -> int:
    """What inputs do the modules of this file take, and what comes out?"""
    _known_format(output_format)
    from tensorproof.app.infer import infer as infer_modules
    from tensorproof.cli.shapes import inputs_of
    from tensorproof.frontends.python.source import read
    from tensorproof.reporters import contracts

    file, _, name = target.partition("::")
    found = infer_modules(read(file), name or None, inputs_of(inputs))
    click.echo(contracts.as_json(found) if output_format == "json" else contracts.lines(found, file))
    return int(any(i.verdict.value == "invalid" for i in found))


@tensorproof.command()
@click.argument("code")
def explain(code: str) -> int:
    """What does this code mean, and what is to be done?"""
    from tensorproof.app.explain import explain as page

    click.echo(page(code))
    return 0


def _known_format(output_format: str) -> None:
    if output_format not in FORMATS:
        raise BadInput(f"the output format {output_format} is not built yet; there are {', '.join(FORMATS)}")


@tensorproof.command()
@click.argument("name", required=False)
@click.option("--output-format", "output_format", default="full", metavar="|".join(FORMATS), help="How to print.")
def ops(name: str | None, output_format: str) -> int:
    """List the operators, or explain one: by its name or by a framework's spelling of it."""
    _known_format(output_format)
    from tensorproof.app.operators import describe, everything, find
    from tensorproof.reporters import operators

    described = [describe(op) for op in (everything() if name is None else find(name))]
    if output_format == "json":
        click.echo(operators.as_json(described))
    elif name is None or output_format == "concise":
        click.echo(operators.listing(described))
    else:
        click.echo("\n\n".join(operators.page(d) for d in described))
    return 0


def _chosen(code: str, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    def names(rule: str) -> bool:
        return code == rule or code.startswith(rule.rstrip("/") + "/")

    return (not select or any(map(names, select))) and not any(map(names, ignore))


def run(arguments: list[str]) -> int:
    """Run a command; every failure is one sentence on standard error and the exit status 2."""
    if arguments and arguments[0] in LATER:
        return _complain(f"the command {arguments[0]} is not built yet")
    try:
        own, settings = _settings(arguments)
        own, after = (own[: own.index("--")], own[own.index("--") + 1 :]) if "--" in own else (own, list[str]())
        return int(tensorproof.main(own, prog_name="tensorproof", standalone_mode=False, obj=tuple(after), default_map=settings) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        return _complain(error.format_message())
    except BadInput as error:
        return _complain(str(error))
    except click.Abort:
        return _complain("interrupted")
    except BrokenPipeError:
        return 2
    except Exception as error:
        return _complain(f"internal error: {type(error).__name__}: {error}; please report it")


def _settings(arguments: list[str]) -> tuple[list[str], dict[str, dict[str, object]]]:
    """The arguments without --config, and the configuration as defaults of the commands."""
    from tensorproof.app.config import load

    file: str | None = None
    if "--config" in arguments:
        at = arguments.index("--config")
        if at + 1 >= len(arguments):
            raise BadInput("--config needs a file")
        file, arguments = arguments[at + 1], arguments[:at] + arguments[at + 2 :]
    found = {key.replace("-", "_"): value for key, value in load(file).items()}
    if "path" in found:
        found["roots"] = found.pop("path")
    return arguments, dict.fromkeys(("check", "infer", "ops"), found)


def _complain(sentence: str) -> int:
    print(f"tensorproof: {sentence}", file=sys.stderr)
    return 2
