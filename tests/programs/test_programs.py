"""Programs with their expected findings beside them, in Markdown.

Each ```python block is a program. `# error: [code]` expects an error of that code on its line, `# warning: [code]` a warning,
`# gap` something not understood there,
`# reveal: SHAPE` the shape of what the line binds. A program without an error or a gap must be proved valid.
A line `<!-- args: --size 3 -->` under the title gives the program arguments, `<!-- data: … -->` and
`<!-- vary: … -->` what `--data` and `--vary` would say; a block ```file NAME is a file that lies beside it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tensorproof.app.check import check_source, unmet
from tensorproof.app.program import Options
from tensorproof.cli.shapes import data_of
from tensorproof.diagnostics.diagnostic import Severity, Verdict
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import parse
from tensorproof.terms.records import replace
from tensorproof.values.directives import Directives

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    title: str
    code: str
    arguments: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    data: tuple[str, ...] = ()
    vary: tuple[str, ...] = ()


def cases() -> list[Case]:
    found: list[Case] = []
    for path in sorted(HERE.glob("*.md")):
        for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, rest = section.partition("\n")
            code = rest.partition("```python\n")[2].partition("```")[0]
            given = re.search(r"<!-- args: (.*) -->", rest)
            files = re.findall(r"^```file (\S+)\n(.*?)^```", rest, re.DOTALL | re.MULTILINE)
            data, vary = (tuple(re.findall(rf"<!-- {word}: (.*) -->", rest)) for word in ("data", "vary"))
            found.append(Case(f"{path.stem}: {title}", code, tuple(shlex.split(given[1])) if given else (), tuple(files), data, vary))
    return found


def test_every_program_of_the_documents_is_found() -> None:
    written = sum(path.read_text(encoding="utf-8").count("```python") for path in HERE.glob("*.md"))
    assert len(cases()) == written > 0


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.title)
def test_program(case: Case, tmp_path: Path) -> None:
    for name, text in case.files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    source = parse(str(tmp_path / "program.py") if case.files else "program.py", case.code)
    directives = Directives(data_of(case.data), frozenset(case.vary))
    program = check_source(source, Options(arguments=case.arguments, directives=directives))
    unmet(directives)
    run = explore(replace(source, directives=directives), case.arguments).last
    verdict, findings = program.verdict, program.diagnostics
    lines = case.code.splitlines()
    expected = sorted((i, m[1]) for i, line in enumerate(lines, 1) if (m := re.search(r"# error: \[([\w/-]+)\]", line)))
    found = sorted((d.span.line, d.code) for d in findings if d.severity is Severity.ERROR)
    assert found == expected, [d.message for d in findings]
    warned = sorted((i, m[1]) for i, line in enumerate(lines, 1) if (m := re.search(r"# warning: \[([\w/-]+)\]", line)))
    assert sorted((d.span.line, d.code) for d in findings if d.severity is Severity.WARNING) == warned
    assert [g for g in program.gaps if g.reason.startswith("internal failure")] == [], "a bug of ours: mend it, it is not the program's gap"
    gaps = {g.span.line for g in program.gaps}
    assert gaps == {i for i, line in enumerate(lines, 1) if "# gap" in line}, program.gaps
    for i, line in enumerate(lines, 1):
        if m := re.search(r"# reveal: (.+)$", line):
            assert repr(run.bound_on[i].shape) == m[1].strip(), f"line {i}"
    if not expected and not gaps and "# unknown" not in case.code:
        assert verdict is Verdict.VALID
    if expected:
        assert verdict is Verdict.INVALID
    elif gaps or "# unknown" in case.code:
        assert verdict is Verdict.UNKNOWN
