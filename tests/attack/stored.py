"""Truths that are kept from one run to the next, by the text of the program: a verdict that is tried again costs only the check."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sqlite3
from collections.abc import Callable

from tests.attack.truth import SEEDS, Truth

_LIBRARIES = ("torch", "tensorflow", "keras", "numpy", "einops")


class Stored:
    """A file of truths; without a path they are kept for this run."""

    def __init__(self, path: str = "") -> None:
        self.database = sqlite3.connect(path or ":memory:", timeout=60)
        self.database.execute("create table if not exists truths (program text primary key, truth text)")
        self.salt = json.dumps([SEEDS, *map(_version, _LIBRARIES)])

    def get(self, text: str, how: str, make: Callable[[str], Truth]) -> Truth:
        """The truth of a program, made where it is not known; `how` names the ways of running that differ."""
        key = hashlib.sha256(f"{self.salt}\n{how}\n{text}".encode()).hexdigest()
        row = self.database.execute("select truth from truths where program = ?", (key,)).fetchone()
        if row is not None:
            return Truth(*json.loads(row[0]))
        made = make(text)
        with self.database:
            self.database.execute("insert or replace into truths values (?, ?)", (key, json.dumps(made)))
        return made


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""
