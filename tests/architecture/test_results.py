"""The rows of `libraries/results.txt`: each says a kind that is known, of a name that nothing else says, and of objects and classes that are modelled."""

from __future__ import annotations

import csv
import io
import logging
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tensorproof.libraries import registry, results
from tensorproof.libraries.results import functions

ROWS = Path(results._FILE).read_text(encoding="utf-8").splitlines()
OWNERS = ("object", "class")


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
        if sort in OWNERS:
            model = {"object": registry.kind_model, "class": registry.class_model}[sort](home)
            assert model is not None and set(names) <= set(model.methods), home


def test_a_model_in_code_does_not_hide_a_row() -> None:
    for sort, home, names, _ in map(_parts, ROWS):
        if sort in OWNERS:
            table = getattr(registry.file_named(registry.home(home)), "KINDS" if sort == "object" else "CLASSES")
            assert not set(names) & set(table[home].methods), home


def test_values_are_what_their_libraries_say() -> None:
    values = functions.VALUES
    assert (values["csv.QUOTE_NONE"], values["tf.GraphKeys.LOSSES"], values["PIL.Image.BICUBIC"], values["os.linesep"]) == (3, "losses", "BICUBIC", "\n")
    modules = {module.__name__: module for module in (csv, io, logging, re, subprocess, zipfile)}
    said = {name: value for name, value in values.items() if name.rpartition(".")[0] in modules}
    assert said == {name: getattr(modules[home], word) for name in said for home, _, word in [name.partition(".")]}


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(KeyError):
        results.gives("somthing", "a.b")
