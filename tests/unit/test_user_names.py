"""Messages quote an expression of the program only where it is what the failing call was given."""

from __future__ import annotations

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.frontends.python.modules.source import parse

START = "import torch\nfrom torch import nn\n"


def message(program: str) -> str:
    found = check_source(parse("program.py", START + program), Options())
    [finding] = [d for d in found.diagnostics if d.severity.value == "error"]
    return finding.message


@pytest.mark.parametrize(("program", "said"), [
    ("x = torch.randn(2, 8)\nfc = nn.Linear(4, 2)\nfc(x)", "fc takes 4 features, x has 8 (x is (2, 8))"),
    ("x = torch.randn(2, 8)\nnet = nn.Sequential(nn.Linear(8, 16), nn.Linear(12, 4))\nnet(x)",
     "net[1] takes 12 features, the input has 16 (the input is (2, 16))"),
    ("x = torch.randn(2, 8)\nnet = nn.Sequential(nn.Linear(4, 16), nn.Linear(16, 4))\nnet(x)", "net[0] takes 4 features, x has 8 (x is (2, 8))"),
    ("def f(x):\n    return x\nnet = nn.Sequential(nn.Linear(8, 16), nn.Linear(12, 4))\nnet(f(torch.randn(2, 8)))",
     "net[1] takes 12 features, the input has 16 (the input is (2, 16))"),
    ("a, b = torch.randn(3, 4), torch.randn(5, 6)\na.T @ b", "a.T has 3 columns, b has 5 rows; they must be equal (a.T is (4, 3), b is (5, 6))"),
    ("h = torch.randn(2, 8)\nfor layer in [nn.Linear(8, 16), nn.Linear(8, 4)]:\n    h = layer(h)", "layer takes 8 features, h has 16 (h is (2, 16))"),
])  # fmt: skip
def test_messages_quote_what_the_call_was_given(program: str, said: str) -> None:
    assert message(program) == said
