"""Whole training scripts under `tensorproof numerics`: ends on all of them, warnings of each, CPU time of each.

    python benchmarks/numerics_scripts.py [--list] [--confirm] [PATTERN]

The scripts are the corpora of `check` (tests/corpus, tests/corpus_tf), the examples, and the programs of tests/programs/*whole*.md that are proved valid and
train a model. `--list` prints each warning; `--confirm` runs each script that has some, with inputs and parameters at the corners of their ranges, and prints
the lines that left the finite numbers. Exit status 1 where a script ends with an internal error, or the median of warnings is above 3.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

if TYPE_CHECKING:
    from tensorproof.app.numerics.report import Report

TRAINS = re.compile(r"\.step\(|\.fit\(|\.minimize\(|apply_gradients|train_on_batch")
DRIVERS = {"dcgan": "main.py", "language_model": "main.py", "vae": "main.py", "keras_vae": "vae.py", "tf1_rnn": "main.py"}
MOST_WARNINGS = 3


def scripts(folder: Path) -> Iterator[tuple[str, Path]]:
    """The scripts by name; those in Markdown are written into a folder."""
    for corpus in ("corpus", "corpus_tf"):
        for home in sorted(p for p in (ROOT / "tests" / corpus).iterdir() if p.is_dir() and p.name != "__pycache__"):
            yield f"{corpus}/{home.name}", home / DRIVERS.get(home.name, "train.py")
    for path in sorted((ROOT / "examples").glob("*.py")):
        if TRAINS.search(path.read_text(encoding="utf-8")):
            yield f"examples/{path.stem}", path
    for document in sorted((ROOT / "tests" / "programs").glob("*whole*.md")):
        for section in document.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, rest = section.partition("\n")
            code = rest.partition("```python\n")[2].partition("```")[0]
            if TRAINS.search(code) and "# error" not in code and "# gap" not in code and "```file" not in rest:
                name = re.sub(r"\W+", "_", f"{document.stem} {title}")[:60]
                file = folder / f"{name}.py"
                file.write_text(code, encoding="utf-8")
                yield name, file


def shown(found: Report, folder: str) -> str:
    """The lines that real runs show, with their seeds, or why there are no runs."""
    from tensorproof.app.numerics.witness import confirm_source
    from tensorproof.diagnostics.errors import BadInput

    try:
        return f"shown by runs: {confirm_source(found, (), str(Path(folder) / 'witness'))}"
    except BadInput as failed:
        return str(failed)


def main() -> None:
    from tensorproof.app.numerics.report import numerics
    from tensorproof.app.program import Options
    from tensorproof.engines.numerics.inputs.ranges import Given
    from tensorproof.engines.numerics.records import Settings

    pattern = next((a for a in sys.argv[1:] if not a.startswith("--")), "")
    counts: list[int] = []
    times: list[float] = []
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in scripts(Path(folder)):
            if pattern not in name:
                continue
            start = process_time()
            try:
                found = numerics(str(path), Options(), Settings(), Given())
            except Exception:
                failed += 1
                print(f"{name}: failed\n{traceback.format_exc()}", flush=True)
                continue
            seconds = process_time() - start
            warned = found.diagnostics
            counts.append(len(warned))
            times.append(seconds)
            lost = sum(found.unbounded.values())
            print(f"{name}: {len(warned)} warnings, {found.count('safe')} safe, {found.count('unknown')} not analysed, {lost} without bounds, "
                  f"{len(found.gaps)} gaps, {seconds:.2f} s", flush=True)  # fmt: skip
            if "--list" in sys.argv:
                for one in warned:
                    print(f"    {Path(one.span.path).name}:{one.span.line} [{one.code}] {one.message}")
            if "--confirm" in sys.argv and warned:
                print(f"    {shown(found, folder)}", flush=True)
            if "--list" in sys.argv:
                for why, times_met in found.unbounded.most_common(3):
                    print(f"    no bounds: {why} ({times_met})")
    median = statistics.median(counts) if counts else 0
    print(f"{len(counts)} scripts, {failed} failed; warnings: median {median}, most {max(counts, default=0)}, total {sum(counts)}; "
          f"CPU: median {statistics.median(times):.2f} s, most {max(times):.2f} s" if times else "no script")  # fmt: skip
    sys.exit(1 if failed or median > MOST_WARNINGS else 0)


if __name__ == "__main__":
    main()
