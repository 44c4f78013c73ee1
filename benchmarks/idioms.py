"""Everyday idioms of training code and loops over data, right ones and ones with a bug: how many are proved, found, or wrong.

    python benchmarks/idioms.py            (from the root of the repository)

The programs are those of tests/programs/idioms_*.md and loops_*.md; what each does was seen by running it (tests/conformance/test_*_truth.py).
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.programs.test_programs import Case, cases

from tensorproof.app.check import check_source
from tensorproof.app.program import Options, Program
from tensorproof.diagnostics.diagnostic import Severity, Verdict
from tensorproof.frontends.python.modules.source import parse


def checked(case: Case) -> Program:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        os.chdir(folder)
        return check_source(parse(os.path.join(folder, "program.py"), case.code), Options(arguments=case.arguments))


def crashes(case: Case) -> bool:
    """Whether the program fails when it is run: an error is expected of it, or its title says that it has a bug which is not found."""
    return "# error:" in case.code or case.title.endswith((" a bug", "a bug after it", "with a bug", ": wrong"))


def main() -> int:
    counts: Counter[tuple[str, bool, str]] = Counter()
    wrong = 0
    for case in cases():
        kind = case.title.partition("_")[0]
        if kind not in ("idioms", "loops"):
            continue
        program, bug = checked(case), crashes(case)
        alarm = any(d.severity is Severity.ERROR for d in program.diagnostics)
        answer = "error" if alarm else program.verdict.value
        counts[kind, bug, answer] += 1
        if answer == ("valid" if bug else "error"):
            wrong += 1
        if answer != ("error" if bug else "valid"):
            print(f"{answer}: {case.title}")
    print("\n| programs | right | proved | alarms | with a bug | found | called valid | decided |\n|---|---|---|---|---|---|---|---|")
    valid = Verdict.VALID.value
    for kind in ("idioms", "loops"):
        right, bugs = (sum(n for (k, b, _), n in counts.items() if (k, b) == (kind, bug)) for bug in (False, True))
        proved, alarms = counts[kind, False, valid], counts[kind, False, "error"]
        found, missed = counts[kind, True, "error"], counts[kind, True, valid]
        decided = (proved + alarms + found + missed) / (right + bugs)
        print(f"| {kind} | {right} | {proved} ({proved / right:.1%}) | {alarms} | {bugs} | {found} ({found / bugs:.1%}) | {missed} | {decided:.1%} |")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
