"""Parameters, buffers and constants of an exported program: read from the archive where they lie there as plain numbers, and only when asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorproof.frontends.archive import Archive
from tensorproof.frontends.export.schema import ELEMENT_TYPES
from tensorproof.frontends.export.sizes import Sizes
from tensorproof.frontends.fields import decode, expect, field, only
from tensorproof.frontends.protobuf.schema import Malformed
from tensorproof.graph import Constant, DeclaredShape
from tensorproof.graph.constants import item_size
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term, maximum
from tensorproof.terms.tensor import MOST_CONTENTS

_FOLDERS = ("data/weights/", "data/constants/")
_MOST_WEIGHT = BUDGETS.files.weight_bytes


class Weights:
    """The tensors of an archive by their names in the program."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._places: dict[str, tuple[str, Any]] = {}
        for folder in _FOLDERS:
            for member in archive.names:
                if member.startswith(folder) and member.endswith("_config.json"):
                    config = field(decode(archive.read(member), member), "config", dict, member)
                    self._places |= {name: (folder, given) for name, given in config.items()}

    def declared(self, meta: object, name: str, sizes: Sizes) -> tuple[DType | None, DeclaredShape]:
        """The element type and shape of a TensorMeta."""
        dtype = ELEMENT_TYPES.get(field(meta, "dtype", int, name))
        axes: list[Any] = []
        for size in field(meta, "sizes", list, name):
            kind, given = only(size, f"{name}.sizes")
            axis = sizes.parse(field(given, "expr_str", str, name)) if kind == "as_expr" else expect(given, int, f"{name}.sizes")
            if isinstance(axis, int) and axis < 0:
                raise Malformed(f"declares a size of {axis} for {name}")
            axes.append(axis)
        return dtype, DeclaredShape(tuple(axes))

    def constant(self, target: str, dtype: DType | None, shape: DeclaredShape) -> Constant | None:
        """The elements under a name of the program; None where its shape is not known."""
        if shape.axes is None or not shape.known:
            return None
        sizes = tuple(axis for axis in shape.axes if isinstance(axis, int))
        folder, given = self._places.get(target, ("", None))
        if given is None:
            return Constant(dtype, sizes, missing="no data in the file")
        meta = expect(given, dict, target).get("tensor_meta")
        if given.get("use_pickle") or meta is None:
            return Constant(dtype, sizes, missing="its data is pickled")
        stored, claimed = self.declared(meta, target, Sizes({}))
        if claimed.axes is None or not claimed.known:
            return Constant(dtype, sizes, missing="no size in the file")
        held = tuple(axis for axis in claimed.axes if isinstance(axis, int))
        if (stored, held) != (dtype, sizes):
            raise Malformed(f"holds {stored} {held} for {target}, and its graph says {dtype} {sizes}")
        return self._elements(target, folder + field(given, "path_name", str, target), stored, held, meta)

    def _elements(self, target: str, member: str, dtype: DType | None, sizes: tuple[int, ...], meta: object) -> Constant:
        width, count = item_size(dtype), math.prod(sizes)
        if width is None:
            return Constant(dtype, sizes, missing="an element type that is not read")
        if not is_row_major(meta, sizes, Sizes({})):
            return Constant(dtype, sizes, missing="its elements are not row-major in the file")
        size = self._archive.size(member)
        if size < count * width:
            raise Malformed(f"holds {size:,} bytes for {target}, whose shape {sizes} takes {count * width:,}")
        if count > MOST_CONTENTS or size != count * width:
            return Constant(dtype, sizes, later=lambda: self._archive.read(member, _MOST_WEIGHT)[: count * width])
        return Constant(dtype, sizes, raw=self._archive.read(member))


def is_row_major(meta: Any, sizes: Sequence[Any], named: Sizes) -> bool:
    """Whether the elements of a TensorMeta lie one after the other, in row-major order, from the beginning."""
    strides = [_size(one, named) for one in field(meta, "strides", list, "strides")]
    offset = _size(meta.get("storage_offset") or {"as_int": 0}, named)
    step: Any = 1
    wanted: list[Any] = []
    for size in reversed(sizes):
        wanted.append(step)
        step = step * (maximum(size, 1) if isinstance(size, (int, Term)) else 1)
    return bool(offset == 0) and len(strides) == len(sizes) and all(s == w or n == 1 for s, w, n in zip(strides, reversed(wanted), sizes))


def _size(given: object, named: Sizes) -> Any:
    kind, value = only(given, "strides")
    return named.parse(field(value, "expr_str", str, "strides")) if kind == "as_expr" else value
