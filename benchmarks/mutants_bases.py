"""Right PyTorch programs in the manner of published models, from which mutants are made: families, each in three styles."""

from __future__ import annotations

from collections.abc import Iterator

from mutants_attention import FAMILIES as ATTENTION
from mutants_generative import FAMILIES as GENERATIVE
from mutants_pictures import FAMILIES as PICTURES
from mutants_sequences import FAMILIES as SEQUENCES

STYLES = 3


def programs() -> Iterator[tuple[str, str]]:
    """Name and text of each program."""
    for name, family in {**PICTURES, **GENERATIVE, **SEQUENCES, **ATTENTION}.items():
        for style in range(STYLES):
            yield f"{name} {style}", family(style)
