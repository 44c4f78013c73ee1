"""Shapes that annotations tell: `Float[Tensor, "batch 3 h w"]` of jaxtyping, `Annotated[Tensor, "batch 3 h w"]`, or the plain string.

They are assumptions on the inputs of what is not called; nothing is said of annotations that are not understood.
"""

from __future__ import annotations

import ast
import re

from tensorproof.frontends.python.entry.inputs import Input
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32, DType

_TYPES: dict[str, tuple[str, ...]] = {
    "Float": ("float32",), "Int": ("int64",), "Integer": ("int64",), "UInt": ("uint8",), "Bool": ("bool",), "Complex": ("complex64",),
    "Num": ("float32", "int64"), "Real": ("float32", "int64"), "Inexact": ("float32",), "Shaped": ("float32", "int64"),
}  # fmt: skip
_SIZED = re.compile(r"(Float|Int|UInt|Complex)(8|16|32|64|128)")
_ARRAYS = ("Tensor", "Array", "ndarray", "Parameter", "FloatTensor", "LongTensor")
_SPREADS = (1, 2, 3, 0)
"""How many axes are tried for `...` and `*name`, the likeliest first."""
_SIZE = re.compile(r"[\w.+\-*/()]+")


def inputs(annotation: ast.expr | None) -> list[Input]:
    """The inputs that fit an annotation, the likeliest first; none when it tells no shape."""
    match annotation:
        case ast.Constant(value=str() as text):
            return _of_text(text)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return inputs(left) or inputs(right)
        case ast.Subscript(value=owner, slice=ast.Tuple(elts=[array, *said])) if _last(array) in _ARRAYS:
            texts = [s.value for s in said if isinstance(s, ast.Constant) and isinstance(s.value, str)]
            if len(texts) != 1:
                return []
            if _last(owner) == "Annotated":
                named = next((t for s in said if (t := _types(_last(s)))), [FLOAT32])
                return _fitting(texts[0], named)
            return _fitting(texts[0], _types(_last(owner)))
        case ast.Subscript(value=owner, slice=inner) if _last(owner) in ("Optional", "Union"):
            options = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return next((found for option in options if (found := inputs(option))), [])
        case _:
            return []


def states_shapes(node: ast.AST) -> bool:
    """Whether a function can be entered by its annotations: each of its arguments has a default or a shape."""
    if not isinstance(node, ast.FunctionDef):
        return False
    positional = [*node.args.posonlyargs, *node.args.args]
    wanted = positional[: len(positional) - len(node.args.defaults)] + [a for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is None]
    return bool(wanted) and all(inputs(a.annotation) for a in wanted)


def _of_text(text: str) -> list[Input]:
    """A quoted annotation, or nothing but sizes: `"batch 3 h w"`."""
    try:
        return inputs(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return _fitting(text, [FLOAT32]) if " " in text.strip() else []


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _types(name: str) -> list[DType]:
    sized = _SIZED.fullmatch(name)
    labels = (f"{sized[1].lower()}{sized[2]}",) if sized else _TYPES.get(name, ())
    return [BY_LABEL[label] for label in labels if label in BY_LABEL]


def _fitting(text: str, dtypes: list[DType]) -> list[Input]:
    words = text.split()
    spread = next((at for at, word in enumerate(words) if word == "..." or word.startswith("*")), None)
    if not all(word == "..." or _SIZE.fullmatch(_plain(word)) for word in words):
        return []
    found: list[Input] = []
    for count in _SPREADS if spread is not None else (0,):
        axes = [_axis(word) for word in words]
        if spread is not None:
            name = words[spread].lstrip("*.") or None
            axes[spread : spread + 1] = [f"{name}{i}" if name else None for i in range(count)]
        found += [Input(len(axes), dtype, tuple(axes)) for dtype in dtypes]
    return found


def _plain(word: str) -> str:
    """Without the marks for broadcasting (`#`), for what is not checked (`?`) and for documentation (`rows=`)."""
    return word.lstrip("#?*").rpartition("=")[2]


def _axis(word: str) -> int | str | None:
    plain = _plain(word)
    if plain.isdecimal():
        return int(plain)
    return None if plain.startswith("_") or "#" in word or not _is_size(plain) else plain


def _is_size(text: str) -> bool:
    """A name, or sums and products of names and numbers."""
    try:
        body = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    kinds = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Load)
    return all(isinstance(node, kinds) for node in ast.walk(body))
