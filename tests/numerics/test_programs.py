"""Programs that yield NaN or Inf, each with its mended twin, in Markdown.

The first ```python block of a section is the program: `# hazard: [code]` stands on each line whose operation is reported, as `unsafe` or `possible`. The
```python fixed block does the same without the fault: nothing is reported of it. `<!-- open: fault twin -->` says which of the two is not right yet, and
`<!-- open: fix -->` that no change is proposed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tensorproof.app.numerics.report import Report, numerics
from tensorproof.app.program import Options
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Settings

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    title: str
    faulty: str
    fixed: str
    open: str = ""


def cases() -> list[Case]:
    found: list[Case] = []
    for path in sorted(HERE.glob("*.md")):
        for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, rest = section.partition("\n")
            faulty = rest.partition("```python\n")[2].partition("```")[0]
            fixed = rest.partition("```python fixed\n")[2].partition("```")[0]
            still = re.search(r"<!-- open: (.*) -->", rest)
            found.append(Case(f"{path.stem}: {title}", faulty, fixed, still[1] if still else ""))
    return found


def expected(code: str) -> set[tuple[int, str]]:
    return {(i, c) for i, line in enumerate(code.splitlines(), 1) for c in re.findall(r"# hazard: \[([\w/-]+)\]", line)}


def reported(found: Report) -> set[tuple[int, str]]:
    return {(one.span.line, one.code) for one in found.operations if one.verdict in ("unsafe", "possible")}


def analysed(code: str, folder: Path) -> Report:
    file = folder / "program.py"
    file.write_text(code, encoding="utf-8")
    return numerics(str(file), Options(), Settings(), Given())


def test_there_are_forty_programs_and_each_has_a_twin() -> None:
    assert len(cases()) >= 40
    assert all(case.faulty and case.fixed and expected(case.faulty) and not expected(case.fixed) for case in cases())


@pytest.mark.parametrize("case", [c for c in cases() if "fault" not in c.open], ids=lambda c: c.title)
def test_the_fault_is_reported_on_its_line(case: Case, tmp_path: Path) -> None:
    assert expected(case.faulty) <= reported(analysed(case.faulty, tmp_path))


@pytest.mark.parametrize("case", [c for c in cases() if "twin" not in c.open], ids=lambda c: c.title)
def test_nothing_is_reported_of_the_twin(case: Case, tmp_path: Path) -> None:
    assert reported(analysed(case.fixed, tmp_path)) == set()
