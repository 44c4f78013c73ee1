"""The spelling tables hold nothing but comments, sections, rows and what follows a row."""

from __future__ import annotations

import pytest

from tensorproof.bindings import rows

LIBRARIES = sorted(set(rows.LIBRARIES.values()))


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_line_is_read(library: str) -> None:
    for table, text in rows._tables(library).items():
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith(("#", "[", "    ")):
                assert rows._HEAD.match(line), f"{library}/{table}:{number} is not a row: {line}"


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_row_parses_and_names_its_place(library: str) -> None:
    for name in rows.names(library):
        for row in rows.rows(name):
            place, _, line = row.source.rpartition(":")
            text = rows._tables(library)[place.partition("/")[2]]
            assert name.removesuffix("_").rpartition(".")[2] in text.splitlines()[int(line) - 1]
