"""Right PyTorch programs in the manner of published models, from which mutants are made: families, each in three styles, and later ones as their authors write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mutants_attention import FAMILIES as ATTENTION
from mutants_generative import FAMILIES as GENERATIVE
from mutants_pictures import FAMILIES as PICTURES
from mutants_sequences import FAMILIES as SEQUENCES

STYLES = 3
FRESH = Path(__file__).parent / "mutants_fresh"
"""Programs written after the others were mended: their first figures are those of programs that had not been seen."""


def programs() -> Iterator[tuple[str, str]]:
    """Name and text of each program."""
    for name, family in {**PICTURES, **GENERATIVE, **SEQUENCES, **ATTENTION}.items():
        for style in range(STYLES):
            yield f"{name} {style}", family(style)
    for path in sorted(FRESH.glob("*.md")):
        for section in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, rest = section.partition("\n")
            yield f"fresh {title.strip()}", rest.partition("```python\n")[2].partition("```")[0]
