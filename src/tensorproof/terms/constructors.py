"""Constructors of records with one to ten fields, compiled with this file: `records` puts the names of a class's fields in place of the letters, so that
no text is compiled at start-up.
"""

from __future__ import annotations

from types import FunctionType


class _Record:
    a: object
    b: object
    c: object
    d: object
    e: object
    f: object
    g: object
    h: object
    i: object
    j: object


def _of1(_self: _Record, a: object) -> None:
    _self.a = a


def _of2(_self: _Record, a: object, b: object) -> None:
    _self.a = a
    _self.b = b


def _of3(_self: _Record, a: object, b: object, c: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c


def _of4(_self: _Record, a: object, b: object, c: object, d: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c
    _self.d = d


def _of5(_self: _Record, a: object, b: object, c: object, d: object, e: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c
    _self.d = d
    _self.e = e


def _of6(_self: _Record, a: object, b: object, c: object, d: object, e: object, f: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c
    _self.d = d
    _self.e = e
    _self.f = f


def _of7(_self: _Record, a: object, b: object, c: object, d: object, e: object, f: object, g: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c
    _self.d = d
    _self.e = e
    _self.f = f
    _self.g = g


def _of8(_self: _Record, a: object, b: object, c: object, d: object, e: object, f: object, g: object, h: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c
    _self.d = d
    _self.e = e
    _self.f = f
    _self.g = g
    _self.h = h


def _of9(_self: _Record, a: object, b: object, c: object, d: object, e: object, f: object, g: object, h: object, i: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c
    _self.d = d
    _self.e = e
    _self.f = f
    _self.g = g
    _self.h = h
    _self.i = i


def _of10(_self: _Record, a: object, b: object, c: object, d: object, e: object, f: object, g: object, h: object, i: object, j: object) -> None:
    _self.a = a
    _self.b = b
    _self.c = c
    _self.d = d
    _self.e = e
    _self.f = f
    _self.g = g
    _self.h = h
    _self.i = i
    _self.j = j


_CODE = {made.__code__.co_argcount - 1: made.__code__ for made in (_of1, _of2, _of3, _of4, _of5, _of6, _of7, _of8, _of9, _of10)}
MOST_FIELDS = max(_CODE)
_NO_NAMES: dict[str, object] = {}


def constructor(names: tuple[str, ...], defaults: tuple[object, ...]) -> FunctionType | None:
    """`__init__` that fills fields of these names, at most `MOST_FIELDS`, of which the last have defaults; None where Python compiles it in another way."""
    code = _CODE.get(len(names))
    if code is None or code.co_names != code.co_varnames[1:]:
        return None
    made = FunctionType(code.replace(co_varnames=("_self", *names), co_names=names), _NO_NAMES, "__init__", defaults)
    made.__qualname__ = "__init__"
    return made
