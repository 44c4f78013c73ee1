"""What an annotation or a default says of a parameter."""

from __future__ import annotations

import ast
import re

from tensorproof.equivalence.documentation.signature import MISSING, Name

_STRUCTURES = {
    "int": "int", "float": "float", "bool": "bool", "str": "str", "Tensor": "tensor", "ndarray": "tensor", "Number": "number", "dtype": "dtype",
    "DType": "dtype", "Callable": "callable", "dict": "dict", "Dict": "dict", "Mapping": "dict", "list": "list", "tuple": "list", "List": "list",
    "Tuple": "list", "Sequence": "list", "Iterable": "list", "Size": "list", "SymInt": "int", "Parameter": "tensor", "complex": "number", "Collection": "list",
    "Literal": "str",
    "device": "other", "memory_format": "other", "layout": "other",
}  # fmt: skip
_SEVERAL = ("Union", "Optional")
_ANYTHING = ("None", "NoneType", "Any", "object", "")
_DEFAULTS: tuple[tuple[type, str], ...] = (
    (bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (list, "list"), (tuple, "list"), (dict, "dict"),
)  # fmt: skip


def annotated(annotation: str) -> list[str]:
    """The structures of an annotation; empty where it says nothing."""
    return [s for node in _alternatives(_parsed(annotation)) if (s := _structure(node))]


def elements(annotation: str) -> tuple[str, int | None]:
    """The structure of the items of an annotated list and its length: `tuple[int, int]` gives ("int", 2)."""
    for node in _alternatives(_parsed(annotation)):
        if isinstance(node, ast.Subscript) and _structure(node) == "list":
            items = _items(node)
            made = {s for item in items for a in _alternatives(item) if (s := _structure(a))}
            fixed = _last(node.value) in ("tuple", "Tuple") and not any(_last(i) == "Any" or _is_ellipsis(i) for i in items)
            return (made.pop() if len(made) == 1 else ""), len(items) if fixed else None
        if _last(node) == "Size":
            return "int", None
    return "", None


def of_default(default: object) -> list[str]:
    if default is MISSING or default is None:
        return []
    if isinstance(default, Name):
        return ["dtype"] if re.search(r"\b(?:u?int|float|bfloat|complex)\d+$|\.bool$", default) else []
    for kind, structure in _DEFAULTS:
        if isinstance(default, kind):
            return [structure]
    if type(default).__name__ in ("DType", "dtype"):
        return ["dtype"]
    return ["callable"] if callable(default) and not isinstance(default, type) else []


def _parsed(annotation: str) -> ast.expr | None:
    text = re.sub(r"~|<class '([\w.]+)'>|ForwardRef\('(.*?)'\)", r"\1\2", annotation).strip("'\" ")
    if not text or "Annotated" in text:
        return None
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _alternatives(tree: ast.expr | None) -> list[ast.expr]:
    """The sides of `|`, the arguments of `Union` and `Optional`."""
    if tree is None:
        return []
    if isinstance(tree, ast.BinOp):
        return [*_alternatives(tree.left), *_alternatives(tree.right)]
    if isinstance(tree, ast.Subscript) and _last(tree.value) in _SEVERAL:
        return [a for item in _items(tree) for a in _alternatives(item)]
    return [tree]


def _items(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _last(node: ast.expr) -> str:
    """The last word of a dotted name."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)):
            return name.rpartition(".")[2]
        case _:
            return ""


def _structure(node: ast.expr) -> str:
    name = _last(node.value if isinstance(node, ast.Subscript) else node)
    if name in _ANYTHING or name.startswith(("T_", "TV_")) or len(name) == 1:
        return ""
    return _STRUCTURES.get(name, "other" if name[0].isupper() else "")
