"""The command `tensorproof library`: its options, its progress, and its exit status."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from tensorproof.diagnostics.errors import BadInput

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
DEFAULT_BUDGET = "5m"


def run(given: Any, arguments: tuple[str, ...]) -> tuple[int, str]:
    """The exit status and what is printed."""
    from tensorproof.app.library import ENGINES, Asked, library
    from tensorproof.reporters import library as report

    if arguments:
        raise BadInput("library takes no arguments after --")
    if given.engine not in ENGINES:
        raise BadInput(f"the engine {given.engine} is not known; there are {', '.join(ENGINES)}")
    if given.master is not None and given.engine != "spark":
        raise BadInput("--master needs --engine spark")
    if given.rules:
        return 0, report.rules(given.library)
    calls = _number("--calls", given.calls, 1) if given.calls is not None else 0
    seconds = _seconds(given.budget or DEFAULT_BUDGET) if given.budget or not calls else 0.0
    seed, jobs = _number("--seed", given.seed, 0), _number("--jobs", given.jobs, 1)
    limits = (seconds, calls, seed, given.store or ":memory:", jobs, given.engine, given.master)
    asked = Asked(given.library, tuple(given.rule or ()), tuple(given.api or ()), *limits)
    bar = _Progress(seconds) if sys.stderr.isatty() else None
    try:
        found = library(asked, bar.calls if bar else None, bar.groups if bar else None)
    except KeyboardInterrupt:
        kept = f"; what was done is in {given.store}, and the same command goes on" if given.store else ""
        raise BadInput(f"interrupted{kept}") from None
    finally:
        if bar is not None:
            bar.end()
    if given.report is not None:
        write(given.report, found)
    text = {"json": report.as_json, "concise": report.concise, "full": report.full}[given.output_format](found)
    return int(bool(found.groups)), "" if given.quiet and given.output_format == "full" else text


def _number(option: str, text: object, least: int) -> int:
    if not re.fullmatch(r"\d{1,12}", str(text)) or int(str(text)) < least:
        raise BadInput(f"{option} {text}: a whole number from {least} on is needed")
    return int(str(text))


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(text))
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < seconds < 1e7:
        raise BadInput(f"--budget {text}: a time above zero is needed, such as 90s, 10m or 2h")
    return seconds


def write(folder: str, found: Any) -> None:
    """The reports as files: a Markdown file and a script for each group, and a page of all."""
    from tensorproof.reporters.library import markdown
    from tensorproof.reporters.library_html import page

    try:
        os.makedirs(folder, exist_ok=True)
        texts = {"campaign.html": page(found)}
        for group in found.groups:
            name = f"{group['rule']}-{group['api']}-{group['id']}".replace(" ", "-").replace("*", "")
            texts |= {f"{name}.md": markdown(group, found), f"{name}.py": group["script"]}
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise BadInput(f"--report {folder} cannot be written: {(error.strerror or str(error)).lower()}") from None


class _Progress:
    """One line of a terminal that says how far a campaign is."""

    def __init__(self, seconds: float) -> None:
        from time import monotonic

        self.clock, self.began, self.last, self.seconds = monotonic, monotonic(), 0.0, seconds

    def _say(self, words: str) -> None:
        if self.clock() - self.last > 0.5:
            self.last = self.clock()
            print(f"\r{words:<100}"[:110], end="", file=sys.stderr, flush=True)

    def calls(self, totals: dict[str, float]) -> None:
        spent = self.clock() - self.began
        of = f" of {self.seconds:.0f}" if self.seconds else ""
        self._say(f"{spent:.0f}{of} s · {int(totals['jobs']):,} jobs · {int(totals['calls']):,} calls · {int(totals['pairs']):,} pairs compared")

    def groups(self, done: int, of: int) -> None:
        self._say(f"looking at {done} of {of} groups of findings")

    def end(self) -> None:
        print(f"\r{'':<110}\r", end="", file=sys.stderr, flush=True)
