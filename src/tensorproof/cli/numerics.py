"""The command `tensorproof numerics`: its options, and its exit status."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorproof.app.program import Options
from tensorproof.cli.shapes import inputs_of, seconds_of, target_of
from tensorproof.diagnostics.errors import BadInput

if TYPE_CHECKING:
    from tensorproof.app.numerics.report import Report

FLOATS = ("float64", "float32", "float16", "bfloat16")


def run(given: Any, arguments: tuple[str, ...]) -> tuple[int, str]:
    """The exit status and what is printed."""
    from tensorproof.app.explain import require_codes
    from tensorproof.app.numerics.report import numerics
    from tensorproof.engines.numerics.inputs.ranges import Given, parse_range, read_ranges
    from tensorproof.engines.numerics.records import Settings
    from tensorproof.reporters import numerics as report
    from tensorproof.reporters.numerics_json import as_json
    from tensorproof.terms.dtypes import BY_LABEL

    path, name = target_of(given, "numerics", "saved model or Python file")
    if given.dtype is not None and given.dtype not in FLOATS:
        raise BadInput(f"--dtype {given.dtype}: there are {', '.join(FLOATS)}")
    if given.html is not None and not os.path.isdir(os.path.dirname(given.html) or "."):
        raise BadInput(f"--html {given.html}: there is no folder {os.path.dirname(given.html)}")
    require_codes([*(given.select or ()), *(given.ignore or ())])
    ranges = read_ranges(given.ranges) if given.ranges is not None else {}
    ranges.update(map(parse_range, given.range or ()))
    options = Options(arguments, name, inputs_of(given.inputs or ()), tuple(given.path or ()), given.environment, time_limit=seconds_of(given.time_limit))
    settings = Settings(tensors=given.tensors, values=given.values, dtype=BY_LABEL[given.dtype] if given.dtype is not None else None)
    ranges_given = Given(ranges, given.unbounded_weights, given.unbounded_inputs)
    found = numerics(path, options, settings, ranges_given)
    every = found.operations
    _leave_out(found, given.select or (), given.ignore or ())
    if given.fix:
        from tensorproof.app.numerics.fixes import fix

        fix(found, options, settings, ranges_given, every)
    if given.confirm:
        from tensorproof.app.numerics.witness import confirm

        confirm(found, arguments, given.witness)
    if given.html is not None:
        _write_page(given.html, found)
    text = {"json": as_json, "concise": report.concise, "full": report.full}[given.output_format](found, given.quiet, given.verbose)
    return _status(found, given.fail_on), text


def _write_page(path: str, found: Report) -> None:
    """Write the whole page or nothing."""
    from tensorproof.reporters.numerics_html import page

    text, part = page(found), f"{path}.part"
    try:
        with open(part, "w", encoding="utf-8", errors="replace") as stream:
            stream.write(text)
        os.replace(part, path)
    except OSError as error:
        raise BadInput(f"--html {path} cannot be written: {(error.strerror or str(error)).lower()}") from None


def _status(found: Report, fail_on: str) -> int:
    failed = found.count("unsafe") > 0
    if fail_on in ("warning", "unknown"):
        failed = failed or found.count("possible") > 0
    if fail_on == "unknown":
        failed = failed or found.count("unknown") > 0 or bool(found.gaps) or not found.finished
    return int(failed)


def _leave_out(found: Report, select: Iterable[str], ignore: Iterable[str]) -> None:
    """Leave out operations of codes that the user did not choose, and those that a comment on their line suppresses."""
    from tensorproof.app.suppress import ignored_on
    from tensorproof.cli.options import chosen

    before = len(found.operations)
    found.operations = [
        one
        for one in found.operations
        if chosen(one.code, list(select), list(ignore)) and not (one.span.path == found.path and ignored_on(found.text, one.span.line, one.code))
    ]
    found.suppressed = before - len(found.operations)
