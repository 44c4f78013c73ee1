"""The store of a campaign: one SQLite file. A job is recorded in one transaction, so that a campaign can be killed at any moment and resumed."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tensorproof.diagnostics.errors import BadInput

OURS = 0x54504C42
VERSION = 1
_TABLES = """
create table settings (name text primary key, value text not null);
create table jobs (key text primary key, calls integer, accepted integer, seconds real, bare real);
create table counts (job text, api text, rule text, verdict text, number integer, primary key (job, api, rule, verdict));
create table findings (id integer primary key, job text, api text, rule text, number integer, about text, kind text, verdict text, symptom text, data text,
    unique (job, api, rule, number, about, symptom));
create table groups (id text primary key, data text not null);
"""


class Store:
    """A campaign on disk; `:memory:` keeps it in memory."""

    def __init__(self, path: str) -> None:
        self.path = path
        with self._errors():
            self.db = sqlite3.connect(path, timeout=30.0)
            self._open()

    def _open(self) -> None:
        ours, version = (self.db.execute(f"pragma {name}").fetchone()[0] for name in ("application_id", "user_version"))
        empty = not self.db.execute("select 1 from sqlite_master").fetchone()
        if empty and ours in (0, OURS):
            with self.db:
                self.db.executescript(f"begin; {_TABLES} pragma application_id = {OURS}; pragma user_version = {VERSION}; commit;")
        elif ours != OURS:
            raise BadInput(f"--store {self.path}: the file is not a campaign of tensorproof library")
        elif version > VERSION:
            raise BadInput(f"--store {self.path}: the campaign was written by a newer version of tensorproof (format {version}, this one reads {VERSION})")
        self.db.execute("pragma journal_mode = wal")
        self.db.execute("pragma synchronous = normal")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Errors of the file as sentences."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise BadInput(f"--store {self.path}: {self._why(str(error))}") from None

    def _why(self, words: str) -> str:
        if "not a database" in words or "malformed" in words:
            return "the file is not a campaign of tensorproof library"
        if "full" in words:
            return "the disk is full; what was recorded stays"
        if "unable to open" in words and os.path.isdir(self.path):
            return "it is a folder, and a file is needed"
        if "unable to open" in words and not os.path.isdir(os.path.dirname(self.path) or "."):
            return f"there is no folder {os.path.dirname(self.path)}"
        return f"the file cannot be used: {words}"

    def close(self) -> None:
        self.db.close()

    # --- settings ---

    def settings(self) -> dict[str, Any]:
        with self._errors():
            return {name: json.loads(value) for name, value in self.db.execute("select name, value from settings")}

    def agree(self, settings: Mapping[str, Any]) -> None:
        """Write the settings of a new campaign; refuse those of another."""
        kept = self.settings()
        for name, value in settings.items():
            if name in kept and kept[name] != json.loads(json.dumps(value)):
                raise BadInput(f"--store {self.path}: the campaign there has the {name} {_words(kept[name])}, and not {_words(value)}; give another file")
        with self._errors(), self.db:
            self.db.executemany("insert or ignore into settings values (?, ?)", [(name, json.dumps(value)) for name, value in settings.items()])

    # --- jobs ---

    def done(self) -> set[str]:
        """The keys of the recorded jobs."""
        with self._errors():
            return {key for (key,) in self.db.execute("select key from jobs")}

    def record(self, result: Mapping[str, Any]) -> None:
        """All of a job, or nothing; a job that is recorded already stays as it is."""
        with self._errors(), self.db:
            key = result["key"]
            row = (key, result["calls"], result["accepted"], result["seconds"], result["bare"])
            if not self.db.execute("insert or ignore into jobs values (?, ?, ?, ?, ?)", row).rowcount:
                return
            counts = [(key, *name.split("\t"), verdict, n) for name, counter in result["counts"].items() for verdict, n in counter.items()]
            self.db.executemany("insert into counts values (?, ?, ?, ?, ?)", counts)
            found = [(key, f["api"], f["rule"], f["number"], f["about"], f["kind"], f["verdict"], f["symptom"], json.dumps(f)) for f in result["findings"]]
            self.db.executemany("insert or ignore into findings values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?)", found)

    def findings(self, verdict: str = "finding") -> list[dict[str, Any]]:
        """In an order that does not depend on when jobs ended."""
        query = "select data from findings where verdict = ? order by rule, api, number, about, symptom, job"
        with self._errors():
            return [json.loads(data) for (data,) in self.db.execute(query, (verdict,))]

    def totals(self) -> dict[str, float]:
        """Jobs, calls, accepted calls, pairs, seconds in jobs and in the library's own calls."""
        with self._errors():
            jobs = self.db.execute("select count(*), total(calls), total(accepted), total(seconds), total(bare) from jobs").fetchone()
            pairs = self.db.execute("select total(number) from counts where verdict = 'pairs'").fetchone()[0]
        return {"jobs": jobs[0], "calls": int(jobs[1]), "accepted": int(jobs[2]), "seconds": jobs[3], "bare": jobs[4], "pairs": int(pairs)}

    def counts(self) -> dict[tuple[str, str], Counter[str]]:
        """For each public name and rule: calls, pairs, and pairs by verdict."""
        found: dict[tuple[str, str], Counter[str]] = {}
        with self._errors():
            for api, rule, verdict, number in self.db.execute("select api, rule, verdict, sum(number) from counts group by api, rule, verdict"):
                found.setdefault((api, rule), Counter())[verdict] = number
        return found

    # --- groups ---

    def keep_group(self, name: str, group: Mapping[str, Any]) -> None:
        with self._errors(), self.db:
            self.db.execute("insert or replace into groups values (?, ?)", (name, json.dumps(group)))

    def groups(self) -> dict[str, dict[str, Any]]:
        with self._errors():
            return {name: json.loads(data) for name, data in self.db.execute("select id, data from groups order by id")}


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) and value else "none" if value in ([], "") else str(value)
