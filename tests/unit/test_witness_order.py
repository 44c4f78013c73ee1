"""What is printed of a file does not depend on the files that were checked before it in the same process."""

from __future__ import annotations

from tensorproof.app.check import check_source
from tensorproof.frontends.python.modules.source import parse

UNEQUAL = """
import torch
from torch.utils.data import DataLoader, Dataset
class Sentences(Dataset):
    def __len__(self):
        return 100
    def __getitem__(self, i):
        return torch.zeros({size})
for batch in DataLoader(Sentences(), batch_size=10):
    pass
"""
SIZES = ("i + 1", "2 * i + 1", "100 - i", "i * i + 1", "i // 3 + 1", "i % 7 + 1", "(i + 3) % 11 + 1", "max(i, 5)")


def printed(size: str) -> list[tuple[str, dict[str, int]]]:
    return [(d.message, dict(d.witness)) for d in check_source(parse("program.py", UNEQUAL.format(size=size))).diagnostics]


def test_a_witness_is_the_same_after_other_files() -> None:
    first = {size: printed(size) for size in SIZES}
    assert all(first.values())
    assert {size: printed(size) for size in reversed(SIZES)} == first
    assert {size: printed(size) for size in (*SIZES[::2], *SIZES[1::2])} == first
