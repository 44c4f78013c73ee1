"""Reports of `tensorproof space`: how many vectors are valid, why the others are not, and the valid region."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, TextIO

from tensorproof.app.spaces.report import Group, Report, Vector
from tensorproof.diagnostics.errors import BadInput
from tensorproof.diagnostics.span import Span
from tensorproof.engines.space.checks import Cause
from tensorproof.engines.space.listing import VALID, positions, verdicts
from tensorproof.engines.space.parameters import Value

MOST_CAUSES = 12
ROWS_AT_ONCE = 200_000


def as_json(found: Report) -> str:
    report = {
        "version": 1,
        "path": found.path,
        "diagnostics": [],
        "results": {
            "vectors": found.vectors, "valid": found.valid, "invalid": found.invalid, "unknown": found.unknown,
            "causes": [_cause(group) for group in found.groups], "warnings": [_cause(group) for group in found.warnings],
            "region": found.region, "example": found.example, "more": found.more,
        },
        "parameters": {p.name: list(p.values) for p in found.parameters}, "bound": found.bound,
        "analyses": found.analyses, "seconds": round(found.seconds, 6),
    }  # fmt: skip
    return json.dumps(report, indent=1, ensure_ascii=False)


def _cause(group: Group) -> dict[str, Any]:
    cause = group.cause
    return {
        "code": cause.code, "category": cause.category, "node": cause.span.node or None, "path": cause.span.path, "line": cause.span.line,
        "message": cause.message, "unknown": cause.unknown, "count": group.count, "example": group.example,
        "core": group.core, "nearest": group.nearest, "more": group.more,
    }  # fmt: skip


def full(found: Report) -> str:
    lines = [_head(found)]
    shown = found.groups[:MOST_CAUSES]
    if shown:
        lines += ["", "causes (the first requirement that a vector breaks):"]
    for group in shown:
        lines += _lines(group)
    if len(found.groups) > len(shown):
        lines.append(f"  … and {len(found.groups) - len(shown)} more causes")
    if found.warnings:
        lines += ["", "warnings (what runs and is wrong all the same; invalid with --strict):"]
        lines += [line for group in found.warnings[:MOST_CAUSES] for line in _lines(group)]
    if found.region:
        lines += ["", "every valid vector meets:", *(f"  {text}" for text in found.region)]
    if found.example is not None and found.groups:
        lines += ["", f"a valid vector: {written(found.example)}"]
    if found.bound:
        lines += ["", "parameters:", *(f"  {name}: {where}" for name, where in found.bound.items())]
    runs = "1 analysis" if found.analyses == 1 else f"{found.analyses:,} analyses"
    return "\n".join([*lines, "", f"{found.seconds:.2f} s, {runs} of the program"])


def _head(found: Report) -> str:
    if not any(p.endless for p in found.parameters):
        return f"{found.vectors:,} vectors: {found.valid:,} valid, {found.invalid:,} invalid" + (f", {found.unknown:,} unknown" if found.unknown else "")
    more = " or more" if any(group.more for group in found.groups) else ""
    return f"no upper end: {found.valid:,}{' or more' if found.more else ''} valid, {found.invalid + found.unknown:,}{more} invalid or unknown"


def concise(found: Report) -> str:
    return "\n".join([
        *(f"{_place(g.cause.span)}: {g.count} {_kind(g.cause)} [{g.cause.code}]: {g.cause.message}" for g in [*found.groups, *found.warnings]),
        f"{found.vectors} vectors: {found.valid} valid, {found.invalid} invalid, {found.unknown} unknown",
    ])  # fmt: skip


def _lines(group: Group) -> list[str]:
    cause = group.cause
    head = f"  {group.count:>12,}{' or more' if group.more else ''}  {_kind(cause)} · {cause.code} · {_place(cause.span)}"
    lines = [head, f"{'':16}{cause.message}", f"{'':16}such as {written(group.example)}"]
    if group.core and len(group.core) < len(group.example):
        lines.append(f"{'':16}no valid vector has {written(group.core)}")
    if group.nearest is not None:
        changed = {name: value for name, value in group.nearest.items() if value != group.example[name]}
        lines.append(f"{'':16}the nearest valid vector has {written(changed)}")
    return lines


def _kind(cause: Cause) -> str:
    return "unknown" if cause.unknown else cause.category


def _place(span: Span) -> str:
    return f"{span.path} node {span.node}" if span.node else f"{span.path}:{span.line}"


def written(vector: Vector) -> str:
    return ", ".join(f"{name}={_text(value)}" for name, value in vector.items())


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def rows(found: Report) -> Iterator[list[Any]]:
    """A row for each vector: its values, the verdict, the code and the category. A parameter that does not count is empty."""
    for scenario in found.scenarios:
        order = scenario.checks.order
        sizes = [len(p.values) for p in scenario.parameters]
        at = {p.name: i for i, p in enumerate(scenario.parameters)}
        ends = [("valid", "", "") if c is None else ("unknown" if c.cause.unknown else "invalid", c.cause.code, c.cause.category) for c in [*order, None]]
        for start, part in verdicts(scenario.parameters, order):
            for number, code in enumerate(part.tolist(), start):
                if code != VALID and order[code].cause.absent:
                    continue
                at_each = positions(number, sizes)
                vector = {p.name: scenario.fixed[p.name] if p.name in scenario.fixed else p.values[at_each[at[p.name]]] for p in found.parameters}
                values = ["" if p.needs is not None and vector[p.needs[0]] not in p.needs[1] else _text(vector[p.name]) for p in found.parameters]
                yield [*values, *ends[-1 if code == VALID else code]]


def write_csv(found: Report, stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*(p.name for p in found.parameters), "verdict", "code", "category"])
    writer.writerows(rows(found))


def write_parquet(found: Report, path: str) -> None:
    """The same columns as a Parquet file; values of whole-number parameters are numbers."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise BadInput("a .parquet file needs pyarrow: pip install pyarrow") from None
    names = [*(p.name for p in found.parameters), "verdict", "code", "category"]
    types = [pyarrow.int64() if p.whole else pyarrow.string() for p in found.parameters] + [pyarrow.string()] * 3
    schema = pyarrow.schema(list(zip(names, types)))
    with parquet.ParquetWriter(path, schema) as writer:
        listed = rows(found)
        while part := list(islice(listed, ROWS_AT_ONCE)):
            columns = [
                [None if value == "" else int(value) for value in column] if kind == pyarrow.int64() else list(column)
                for kind, column in zip(types, zip(*part))
            ]  # fmt: skip
            writer.write_table(pyarrow.table(dict(zip(names, columns)), schema=schema))
