"""Campaigns on the real torch: the same seed gives the same findings, a kill at any moment loses nothing, and a call that ends its process costs that call."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tensorproof.app.library import Asked, library
from tensorproof.equivalence.campaigns.store import Store

HERE = Path(__file__).parent
NAMES = ("torch.cumsum", "torch.narrow", "torch.nn.functional.pad", "torch.quantize_per_tensor", "torch.segment_reduce")
RULES = ("strided", "meta")


def asked(store: Path, calls: int = 200, jobs: int = 1) -> Asked:
    return Asked("torch", RULES, NAMES, calls=calls, store=str(store), jobs=jobs)


def content(path: Path) -> tuple[list[tuple[object, ...]], ...]:
    """What a campaign recorded, without times."""
    with sqlite3.connect(path) as db:
        jobs = db.execute("select key, calls, accepted from jobs order by key").fetchall()
        counts = db.execute("select * from counts order by job, api, rule, verdict").fetchall()
        findings = db.execute("select job, api, rule, number, about, kind, verdict, symptom, data from findings order by 1, 2, 3, 4, 5, 8").fetchall()
    return jobs, counts, findings


def test_the_same_seed_gives_the_same_campaign(tmp_path: Path) -> None:
    first = library(asked(tmp_path / "one.db"))
    second = library(asked(tmp_path / "two.db", jobs=2))
    assert content(tmp_path / "one.db") == content(tmp_path / "two.db")
    assert [g["id"] for g in first.groups] == [g["id"] for g in second.groups] and first.groups
    assert all(len(g["script"].splitlines()) <= 10 for g in first.groups)


def killed_at_random(command: list[str], drawn: random.Random) -> bool:
    """Run the campaign and kill it, or one of its workers and then itself, at a random moment. False where it ended before."""
    campaign = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        campaign.wait(drawn.uniform(1.0, 12.0))
        return False
    except subprocess.TimeoutExpired:
        workers = subprocess.run(["pgrep", "-P", str(campaign.pid)], capture_output=True, text=True).stdout.split()
        victim = int(drawn.choice([str(campaign.pid), *workers]))
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        if victim != campaign.pid:
            time.sleep(drawn.uniform(0.0, 3.0))
        return True
    finally:
        campaign.kill()
        campaign.wait()


@pytest.mark.slow
def test_a_killed_campaign_goes_on(tmp_path: Path) -> None:
    """Twenty kills, of the campaign or of a worker; a campaign that ends before is asked for more calls."""
    store, drawn, calls, kills = tmp_path / "killed.db", random.Random(1), 500, 0
    words = [w for name in NAMES for w in ("--api", name)] + [w for name in RULES for w in ("--rule", name)]
    command = [sys.executable, "-m", "tensorproof", "library", "torch", "--store", str(store), *words]
    while kills < 20:
        if killed_at_random([*command, "--calls", str(calls)], drawn):
            kills += 1
        else:
            calls += 500
    done = subprocess.run([*command, "--calls", str(calls)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    library(asked(tmp_path / "whole.db", calls=calls))
    whole, killed = content(tmp_path / "whole.db"), content(store)
    assert killed[0] == whole[0], f"after {kills} kills and {calls} calls"
    assert killed[1:] == whole[1:]


def test_a_call_that_ends_its_process_costs_that_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])
    found = library(Asked("torch", ("strided",), ("torch.cumsum",), calls=30, store=str(tmp_path / "c.db")), preload="ending_process")
    crash = [g for g in found.groups if g["kind"] == "crash"]
    assert len(crash) == 1 and crash[0]["api"] == "torch.cumsum" and "SIGSEGV" in crash[0]["words"]
    assert "a = torch.tensor([[0" in crash[0]["script"] and crash[0]["script"].count(",") < 6, crash[0]["script"]
    assert found.counts["torch.cumsum", "strided"]["agree"] > 0


def test_a_store_holds_one_campaign(tmp_path: Path) -> None:
    from tensorproof.diagnostics.errors import BadInput

    store = Store(str(tmp_path / "s.db"))
    store.agree({"library": "torch", "seed": 1})
    store.agree({"library": "torch", "seed": 1})
    with pytest.raises(BadInput, match="has the seed 1, and not 2"):
        store.agree({"library": "torch", "seed": 2})


def test_a_job_is_recorded_once(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "s.db"))
    result = {"key": "0:eager:x", "calls": 2, "accepted": 2, "seconds": 1.0, "bare": 0.5, "counts": {"x\tstrided": {"pairs": 2, "agree": 2}}, "findings": []}
    store.record(result)
    store.record(result)
    assert store.totals()["pairs"] == 2 and store.done() == {"0:eager:x"}
