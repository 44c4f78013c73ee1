"""Projects of several files as teams write them, right and with realistic bugs: alarms, what is named as a gap, and which bugs are found.

    python benchmarks/projects.py [NAME…] [--truth INTERPRETER] [--site FOLDER] [--show missed,unknown,alarm]

projects/NAME.txt holds the files of one project, the script that makes its data, and its bugs (file, old text, new text). What each does is seen by
running it with INTERPRETER, in which the packages must be installed (trackers and the like are stand-ins in projects/packages.txt); it is kept in
projects/truth.jsonl. The check sees the project alone, and with `--site` the installed packages of that folder too.
Exits with 1 when a right project gets an error, a crashing one is called valid, or fewer than 85 % of the bugs are found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent / "projects"
KEPT = HERE / "truth.jsonl"
COLUMNS = ("found", "elsewhere", "unknown", "missed", "proved", "open", "alarm")


class Project(NamedTuple):
    name: str
    bug: str
    files: dict[str, str]

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(self.files).encode()).hexdigest()[:16]


class Truth(NamedTuple):
    """Where the project failed: the user's lines of the traceback, innermost last, and what was raised. No lines: it ran."""

    lines: list[str]
    raised: str


def sections(path: Path) -> dict[str, str]:
    parts = re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


def projects(names: list[str]) -> Iterator[Project]:
    for path in sorted(HERE.glob("*.txt")):
        if path.stem == "packages" or (names and path.stem not in names):
            continue
        files = sections(path)
        bugs = files.pop("bugs")
        files.pop("README", None)
        yield Project(path.stem, "", files)
        for line in filter(None, bugs.splitlines()):
            name, old, new = (part.strip() for part in line.split(" | "))
            if files[name].count(old) != 1:
                raise SystemExit(f"{path.name}: {old!r} stands {files[name].count(old)} times in {name}")
            yield Project(path.stem, line, files | {name: files[name].replace(old, new)})


def write(project: Project, folder: Path) -> None:
    for name, text in project.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(project: Project, interpreter: str, packages: Path) -> Truth:
    """Run a project in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write(project, folder)
        subprocess.run([interpreter, "make_data.py"], cwd=folder, check=True)
        lines = [f"import runpy, sys; sys.path[:0] = ['.', {str(packages)!r}]", "sys.argv = ['train.py']", "runpy.run_path('train.py', run_name='__main__')"]
        done = subprocess.run([interpreter, "-c", "; ".join(lines)], cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode == 0:
        return Truth([], "")
    own = r'  File "(?:' + re.escape(str(folder)) + r'/)?([\w./]+)", line (\d+)'
    lines = [f"{file}:{line}" for file, line in re.findall(own, done.stderr) if file in project.files]
    return Truth(lines, done.stderr.strip().splitlines()[-1][:200])


def known() -> dict[str, Truth]:
    return {r["key"]: Truth(*r["truth"]) for r in map(json.loads, KEPT.read_text(encoding="utf-8").splitlines())} if KEPT.exists() else {}


def learn(names: list[str], interpreter: str) -> None:
    """Run what is not known yet."""
    truth = known()
    with tempfile.TemporaryDirectory() as folder, KEPT.open("a", encoding="utf-8") as stream:
        write(Project("packages", "", sections(HERE / "packages.txt")), Path(folder))
        for project in projects(names):
            if project.key not in truth:
                said = run(project, interpreter, Path(folder))
                stream.write(json.dumps({"key": project.key, "truth": said}) + "\n")
                stream.flush()


def judge(project: Project, truth: Truth, site: str) -> tuple[str, str]:
    """The column of a project, and what was said of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write(project, folder)
        more = ["--python", site] if site else []
        command = [sys.executable, "-m", "tensorproof", "check", "train.py", "--output-format", "json", *more]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = json.loads(done.stdout)
    program = said["programs"][0]
    errors = [d for d in said["diagnostics"] if d["severity"] == "error"]
    gaps = ", ".join(f"{g['callee']}:{g['line']}" for g in program["coverage"]["gaps"]) + " | " + str(program["coverage"]["open"])
    text = "; ".join(f"{d['path']}:{d['line']} {d['code']} {d['message']}" for d in errors)
    if not truth.lines:
        return ("alarm" if errors else "proved" if program["verdict"] == "valid" else "open"), text or gaps
    if errors:
        places = {f"{d['path']}:{d['line']}" for d in errors}
        return ("found" if places & set(truth.lines) else "elsewhere"), text
    return ("missed" if program["verdict"] == "valid" else "unknown"), gaps


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--truth", metavar="INTERPRETER")
    parser.add_argument("--site", default="")
    parser.add_argument("--show", default="")
    chosen = parser.parse_args()
    if chosen.truth:
        learn(chosen.names, chosen.truth)
    truth = known()
    counts: dict[str, Counter[str]] = {}
    for project in projects(chosen.names):
        if project.key not in truth:
            print(f"not known: {project.name} {project.bug}")
            continue
        outcome = truth[project.key]
        if bool(project.bug) != bool(outcome.lines):
            print(f"{project.name}: {project.bug or 'as it is right'}: {'runs' if project.bug else outcome.lines}: {outcome.raised}")
            continue
        column, said = judge(project, outcome, chosen.site)
        counts.setdefault(project.name, Counter())[column] += 1
        if column in chosen.show.split(","):
            print(f"{column} {project.name} | {project.bug or 'right'}\n    truth: {outcome.lines[-1:]} {outcome.raised}\n    here: {said}", flush=True)
    return report(counts)


def report(counts: dict[str, Counter[str]]) -> int:
    print(f"{'project':20} {'all':>5} " + " ".join(f"{c:>9}" for c in COLUMNS))
    total: Counter[str] = sum(counts.values(), Counter())
    for name, row in [*counts.items(), ("together", total)]:
        print(f"{name:20} {row.total():5} " + " ".join(f"{row[c]:9}" for c in COLUMNS))
    failing, caught = sum(total[c] for c in COLUMNS[:4]), total["found"] + total["elsewhere"]
    print(f"{failing} bugs: {caught / max(failing, 1):.1%} found ({total['found']} on a line of the traceback), {total['missed']} called valid")
    print(f"{total['proved'] + total['open'] + total['alarm']} right: {total['alarm']} false alarms, {total['proved']} proved, {total['open']} with gaps")
    return int(caught < 0.85 * failing or total["missed"] > 0 or total["alarm"] > 0)


if __name__ == "__main__":
    sys.exit(main())
