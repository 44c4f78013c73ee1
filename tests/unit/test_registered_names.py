"""Which modules of a package may register a name: what is read of their text before one of them is run."""

from __future__ import annotations

import pytest

from tensorproof.frontends.python.modules.files import words_of
from tensorproof.frontends.python.modules.loaded import Loaded

REGISTERING = '''# coding: utf-8
"""Models like resnet."""
from .resnet import Block  # and not swin
from .parts import convit as other

def vit(width):
    """As deit, with beit's heads."""
    return {"cait": width, 'pit#': 1}

@register
async def levit(x):
    return x

cfgs = {
    "nest.in1k": """
 twins """,
}
'''


@pytest.mark.parametrize("name, said", [("resnet", False), ("swin", False), ("deit", False), ("beit", False), ("cait", True), ("pit", True),
                                        ("convit", True), ("vit", True), ("nest.in1k", True), ("in1k", True), ("twins", True), ("lev", False)])  # fmt: skip
def test_docstrings_comments_and_paths_of_imports_mention_nothing(name: str, said: bool) -> None:
    found = Loaded("m.py", REGISTERING)
    assert found.mentions(name, words_of(name)) is said


@pytest.mark.parametrize("name, registered", [("vit", True), ("levit", True), ("nest.in1k", True), ("cait", False), ("convit", False), ("twins", False)])
def test_what_is_defined_or_quoted_outside_functions_is_registered(name: str, registered: bool) -> None:
    found = Loaded("m.py", REGISTERING)
    assert found.mentions(name, words_of(name)) and found.registers(name) is registered
