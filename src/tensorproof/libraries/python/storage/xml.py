"""xml.etree.ElementTree and lxml.etree: elements of a file, whose texts are unknown and of which there is at least one wherever the program looks."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import KindModel, Run, listed, some_iterations
from tensorproof.libraries.python.core import texts
from tensorproof.terms.ints import Origin
from tensorproof.values import TEXT, Args, Kwargs, List, Machine, Model, Summary, Unknown, Value

TREE, ELEMENT, ELEMENTS, ATTRIBUTES = "xml.tree", "xml.element", "xml.elements", "xml.attributes"


def _element(m: Machine) -> Model:
    return Model(ELEMENT, m.heap.space({"text": TEXT, "tail": TEXT, "tag": TEXT, "attrib": Model(ATTRIBUTES, m.heap.space())}))


def _one(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return _element(m)


def _several(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> List:
    count = m.symbol(m.name_here("elements", node), 1, None, Origin.USER)
    return listed(m, [Summary("elements", count=count, first=_element(m), second=_element(m))])


def _get(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The text of an attribute; one that may be missing is its default."""
    return TEXT if len(args) == 1 and not kwargs else Unknown("an attribute or its default")


def _texts(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> List:
    return texts(m, node)


def _iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    return some_iterations(m, "elements", _element(m), node)


_SEARCH: dict[str, Run] = {"find": _one, "findall": _several}
_TREE = KindModel(methods={**_SEARCH, "getroot": _one, "parse": _one}, open=True)  # fmt: skip
_ELEMENT = KindModel(
    methods={**_SEARCH, "getchildren": _several, "get": _get, "keys": _texts},
    iterations=_iterations, item=lambda m, me, index, node: _element(m) if not isinstance(index, slice) else Unknown("elements"),
    length=lambda m, me, node: m.symbol(m.name_here("elements", node), 0, None, Origin.USER),
    truth=lambda m, me: Unknown("an element"), open=True,
)  # fmt: skip
_ATTRIBUTES = KindModel(methods={"get": _get, "keys": _texts, "values": _texts}, item=lambda m, me, index, node: TEXT, open=True)  # fmt: skip
_ELEMENTS = KindModel(iterations=_iterations, next=lambda m, me, node: _element(m), open=True)


_HOMES = ("xml.etree.ElementTree", "xml.etree.cElementTree", "defusedxml.ElementTree", "lxml.etree")
FUNCTIONS: dict[str, Any] = {f"{home}.parse": lambda m, a, k, n: Model(TREE, m.heap.space()) for home in _HOMES} | {
    f"{home}.{name}": lambda m, a, k, n: _element(m) for home in _HOMES for name in ("fromstring", "XML")
}
KINDS = {TREE: _TREE, ELEMENT: _ELEMENT, ELEMENTS: _ELEMENTS, ATTRIBUTES: _ATTRIBUTES}
