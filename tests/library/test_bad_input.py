"""What a campaign cannot work with: one sentence on standard error and the exit status 2."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tensorproof.diagnostics.errors import BadInput
from tensorproof.equivalence.campaigns.store import VERSION, Store

SOURCE = str(Path(__file__).parents[2] / "src")
SHORT = ("--api", "torch.cumsum", "--rule", "strided", "--calls", "20")


def refused(*arguments: str, beside: Path | None = None) -> str:
    """The sentence. `beside` is a folder whose modules come before the installed ones."""
    paths = os.pathsep.join([*([str(beside)] if beside else ()), SOURCE])
    command = [sys.executable, "-m", "tensorproof", "library", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, env={**os.environ, "PYTHONPATH": paths})
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and done.stdout == "", done.stderr
    return done.stderr.removeprefix("tensorproof: ").strip()


def pretended(folder: Path, text: str) -> Path:
    (folder / "torch").mkdir()
    (folder / "torch" / "__init__.py").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("jax",), "there are rules for torch, tensorflow, keras"),
        (("torch", "--rule", "stridid"), "there is no such rule for torch; the closest is strided; --rules lists them"),
        (("torch", "--api", "torch.cumsun"), "the closest are torch.cumsum, torch.cummin"),
        (("torch", "--api", "torch.cumsun*"), "no public name of torch matches"),
        (("torch", "--budget", "0"), "a time above zero is needed, such as 90s, 10m or 2h"),
        (("torch", "--budget", "0m"), "a time above zero is needed"),
        (("torch", "--budget", "soon"), "a time above zero is needed"),
        (("torch", "--calls", "0"), "a whole number from 1 on is needed"),
        (("torch", "--jobs", "0"), "a whole number from 1 on is needed"),
        (("torch", "--seed", "-1"), "a whole number from 0 on is needed"),
        (("torch", "--engine", "slurm"), "the engine slurm is not known; there are local, spark"),
        (("torch", "--master", "local"), "--master needs --engine spark"),
    ],
)
def test_an_argument_that_names_nothing(arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(*arguments)


def test_a_library_that_is_not_installed(tmp_path: Path) -> None:
    folder = pretended(tmp_path, 'raise ModuleNotFoundError("No module named \'torch\'", name="torch")')
    assert refused("torch", *SHORT, beside=folder) == "torch is not installed; library torch needs it"


def test_a_library_that_cannot_be_loaded(tmp_path: Path) -> None:
    folder = pretended(tmp_path, 'raise OSError("libtorch_cpu.so: cannot open shared object file")')
    assert refused("torch", *SHORT, beside=folder) == "torch cannot be loaded: OSError: libtorch_cpu.so: cannot open shared object file"


def test_a_library_that_is_too_old(tmp_path: Path) -> None:
    folder = pretended(tmp_path, '__version__ = "1.13.1+cpu"')
    assert refused("torch", *SHORT, beside=folder) == "torch 1.13.1+cpu is too old: the rules are written for 2.4 and later"


def test_a_store_that_is_not_ours(tmp_path: Path) -> None:
    text, other = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("not a database, but a text of some length\n" * 40)
    with sqlite3.connect(other) as db:
        db.execute("create table mine (x)")
    for path in (text, other):
        assert refused("torch", *SHORT, "--store", str(path)) == f"--store {path}: the file is not a campaign of tensorproof library"


def test_a_store_of_a_newer_version(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    Store(str(path)).close()
    with sqlite3.connect(path) as db:
        db.execute(f"pragma user_version = {VERSION + 1}")
    assert f"written by a newer version of tensorproof (format {VERSION + 1}, this one reads {VERSION})" in refused("torch", *SHORT, "--store", str(path))


def test_a_store_that_cannot_be_made(tmp_path: Path) -> None:
    assert "there is no folder" in refused("torch", *SHORT, "--store", str(tmp_path / "no" / "s.db"))
    assert "it is a folder" in refused("torch", *SHORT, "--store", str(tmp_path))


def test_a_full_disk(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.db"))
    store.db.execute(f"pragma max_page_count = {store.db.execute('pragma page_count').fetchone()[0] + 1}")
    finding = {"api": "x", "rule": "strided", "number": 0, "about": "", "kind": "values", "verdict": "finding", "symptom": "shape", "words": "long" * 9000}
    kept = {"calls": 2, "accepted": 2, "seconds": 1.0, "bare": 0.5, "counts": {}}
    store.record({"key": "small", **kept, "findings": []})
    with pytest.raises(BadInput, match="the disk is full; what was recorded stays"):
        store.record({"key": "large", **kept, "findings": [finding]})
    assert store.done() == {"small"}


@pytest.mark.skipif(os.geteuid() != 0, reason="a file system of its own is mounted")
def test_a_full_disk_ends_the_command(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(tmp_path)], capture_output=True).returncode:
        pytest.skip("mount is not allowed here")
    try:
        said = refused("torch", *SHORT[:4], "--calls", "3000", "--store", str(tmp_path / "s.db"))
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
    assert said == f"--store {tmp_path / 's.db'}: the disk is full; what was recorded stays"


def test_a_report_that_cannot_be_written(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "file").write_text("")
    assert "cannot be written: file exists" in refused("torch", *SHORT, "--report", str(tmp_path / "file"))
