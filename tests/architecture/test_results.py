"""The rows of `libraries/results.txt`: each says a kind that is known, of a name that nothing else says, and of objects and classes that are modelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.libraries import registry, results

ROWS = Path(results._FILE).read_text(encoding="utf-8").splitlines()


def _parts(row: str) -> tuple[str, str, list[str], str]:
    left, _, kind = row.partition(" -> ")
    owner, _, names = left.partition(": ")
    sort, _, home = owner.partition(" ") if " " in owner else ("", "", owner)
    return sort, home, names.split(), kind


@pytest.mark.parametrize("row", ROWS)
def test_the_kind_is_known(row: str) -> None:
    _, home, names, kind = _parts(row)
    assert names and callable(results.gives(kind, home))


def test_a_name_has_one_row() -> None:
    said = [(sort, home, name) for row in ROWS for sort, home, names, _ in [_parts(row)] for name in names]
    assert len(said) == len(set(said))


def test_what_is_said_of_an_object_or_a_class_is_found() -> None:
    for sort, home, names, _ in map(_parts, ROWS):
        model = {"object": registry.kind_model, "class": registry.class_model}[sort](home) if sort else None
        assert not sort or (model is not None and set(names) <= set(model.methods)), home


def test_a_model_in_code_does_not_hide_a_row() -> None:
    for sort, home, names, _ in map(_parts, ROWS):
        file = registry.file_named(registry.home(home)) if sort else None
        table = getattr(file, "KINDS" if sort == "object" else "CLASSES", {})
        assert not sort or not set(names) & set(table[home].methods), home


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(KeyError):
        results.gives("somthing", "a.b")
