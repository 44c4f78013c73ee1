"""Messages show a symbol's label, not its key."""

from __future__ import annotations

from pathlib import Path

from tensorproof.app.check import check
from tensorproof.terms.ints import begin_file
from tensorproof.terms.labels import label, names_in, replaced


def shown(text: str) -> str:
    return replaced(text, names_in([text]))


def test_labels_replace_keys() -> None:
    begin_file()
    label("len(dataset) % 64@10", "len(dataset) % 64")
    label("rows@43#1", "the number of rows in data.csv")
    assert shown("len(dataset) % 64@10 is 17") == "len(dataset) % 64 is 17"
    assert shown("rows@43#1 + 1") == "the number of rows in data.csv + 1"
    assert shown("Acc@1 is no key") == "Acc@1 is no key"


def test_two_symbols_of_one_label_are_distinguished() -> None:
    begin_file()
    label("rows@3", "rows")
    label("rows@7", "rows")
    label("rows@7#1", "rows")
    assert shown("rows@3 and rows@7") == "rows (line 3) and rows (line 7)"
    assert shown("rows@7 and rows@7#1") == "rows 1 and rows 2"
    assert shown("rows@7#1") == "rows"


def test_a_key_that_was_not_labelled_loses_its_place() -> None:
    begin_file()
    assert shown("axis@gradients/Sum#7 elements") == "axis elements"


def test_findings_show_labels(tmp_path: Path) -> None:
    program = tmp_path / "p.py"
    program.write_text(
        "import torch\nfrom torch.utils.data import DataLoader, Dataset\n"
        "class D(Dataset):\n    def __init__(self): self.n = len(open('d.txt').readlines())\n    def __len__(self): return self.n\n"
        "    def __getitem__(self, i): return torch.zeros(3)\n"
        "for x in DataLoader(D(), batch_size=64):\n    x.view(64, 3)\n"
    )
    (found,) = check([str(program)])
    text = repr(found.diagnostics)
    assert "reshape/numel" in text and "@" not in text.replace("p.py", "") and "#" not in text
