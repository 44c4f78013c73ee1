"""The binary encoding: tags, varints and lengths, read into dictionaries by a table. Work and nesting are bounded."""

from __future__ import annotations

import struct
from typing import Any

from tensorproof.frontends.protobuf.opening import Buffer
from tensorproof.frontends.protobuf.schema import DEEPEST, MOST_VALUES, Decoded, Field, Kind, Malformed, Message, merge

_SHARED = 512
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIRE = {
    Kind.INT: _VARINT,
    Kind.UINT: _VARINT,
    Kind.BOOL: _VARINT,
    Kind.ENUM: _VARINT,
    Kind.FLOAT: _FIXED32,
    Kind.DOUBLE: _FIXED64,
    Kind.STRING: _BYTES,
    Kind.BYTES: _BYTES,
    Kind.MESSAGE: _BYTES,
}
_FLOAT, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")


def decode(data: Buffer, message: Message) -> Decoded:
    return _Wire(data).read(message, 0, len(data), 0)


class _Wire:
    def __init__(self, data: Buffer) -> None:
        self._data = data
        self._left = MOST_VALUES
        self._shared: dict[tuple[int, bytes], Decoded] = {}

    def read(self, message: Message, start: int, end: int, depth: int) -> Decoded:
        if depth > DEEPEST:
            raise Malformed(f"nests messages deeper than {DEEPEST}")
        data, fields = self._data, message.by_number
        decoded: Decoded = {}
        at = start
        while at < end:
            tag = data[at]
            if tag < 128:
                at += 1
            else:
                tag, at = self._varint(at, end)
            number, wire = tag >> 3, tag & 7
            value: Any
            stop = at
            if wire == _BYTES:
                length, at = self._varint(at, end)
                stop = at + length
                if stop > end:
                    raise Malformed(f"ends in the middle of a field of {message.name}, at byte {at:,}")
                value = None
            elif wire == _VARINT:
                value, stop = self._varint(at, end)
            elif wire in (_FIXED32, _FIXED64):
                stop = at + (4 if wire == _FIXED32 else 8)
                if stop > end:
                    raise Malformed(f"ends in the middle of a field of {message.name}, at byte {at:,}")
                value = None
            else:
                raise Malformed(f"holds an impossible wire type {wire} in a {message.name}, at byte {at:,}")
            self._left -= 1
            if self._left < 0:
                raise Malformed(f"holds more than {MOST_VALUES:,} values")
            field = fields.get(number)
            if field is None:
                if number == 0 or message.strict:
                    raise Malformed(f"has a field {number}, which no {message.name} has")
            elif field.mapped:
                if wire != _BYTES:
                    raise Malformed(f"does not hold a {message.name} where it should: its field {number} is not of the kind {field.name}")
                self._entry(decoded, field, at, stop, depth)
            else:
                self._store(decoded, message, field, wire, value, at, stop, depth)
            at = stop
        return decoded

    def _store(self, decoded: Decoded, message: Message, field: Field, wire: int, value: Any, start: int, stop: int, depth: int) -> None:
        kind = field.kind
        expected = _WIRE[kind]
        if field.raw and wire in (expected, _BYTES):
            if (stop - start) % (4 if expected == _FIXED32 else 8):
                raise Malformed(f"holds a broken run of {field.name}, at byte {start:,}")
            decoded.setdefault(field.name, bytearray()).extend(self._data[start:stop])
            return
        if wire != expected:
            if wire == _BYTES and field.repeated:
                decoded.setdefault(field.name, []).extend(self._packed(field, start, stop))
                return
            raise Malformed(f"does not hold a {message.name} where it should: its field {field.number} is not of the kind {field.name}")
        if kind is Kind.MESSAGE:
            assert field.message is not None
            value = self.read(field.message(), start, stop, depth + 1)
        elif kind is Kind.STRING:
            value = _text(self._data[start:stop], field)
        elif kind is Kind.BYTES:
            value = bytes(self._data[start:stop])
        elif kind is Kind.FLOAT:
            value = _FLOAT.unpack_from(self._data, start)[0]
        elif kind is Kind.DOUBLE:
            value = _DOUBLE.unpack_from(self._data, start)[0]
        else:
            value = _whole(kind, value)
        if field.repeated:
            decoded.setdefault(field.name, []).append(value)
        elif kind is Kind.MESSAGE and field.name in decoded:
            decoded[field.name] = merge(decoded[field.name], value)
        else:
            decoded[field.name] = value

    def _entry(self, decoded: Decoded, field: Field, start: int, stop: int, depth: int) -> None:
        """One entry of a map: `key` is field 1 and `value` field 2. Equal short values are decoded once and shared."""
        assert field.message is not None
        message, key, at = field.message(), "", start
        value: Decoded = {}
        while at < stop:
            tag, at = self._varint(at, stop)
            if tag not in (0x0A, 0x12):
                raise Malformed(f"does not hold a map where it should, at byte {at:,}")
            length, at = self._varint(at, stop)
            if at + length > stop:
                raise Malformed(f"ends in the middle of a field of {message.name}, at byte {at:,}")
            if tag == 0x0A:
                key = _text(self._data[at : at + length], field)
            elif length > _SHARED:
                value = self.read(message, at, at + length, depth + 1)
            else:
                body = (id(message), self._data[at : at + length])
                known = self._shared.get(body)
                if known is None:
                    known = self._shared[body] = self.read(message, at, at + length, depth + 1)
                value = known
            at += length
        decoded.setdefault(field.name, {})[key] = value

    def _packed(self, field: Field, start: int, stop: int) -> Any:
        """A packed run of numbers; fixed-width ones cost no Python step each."""
        width = {Kind.FLOAT: 4, Kind.DOUBLE: 8}.get(field.kind)
        if width is not None:
            count, odd = divmod(stop - start, width)
            if odd:
                raise Malformed(f"holds a broken run of {field.name}, at byte {start:,}")
            return struct.unpack_from(f"<{count}{'f' if width == 4 else 'd'}", self._data, start)
        if field.kind in (Kind.STRING, Kind.BYTES, Kind.MESSAGE):
            raise Malformed(f"does not hold {field.name} where it should, at byte {start:,}")
        self._left -= stop - start
        if self._left < 0:
            raise Malformed(f"holds more than {MOST_VALUES:,} values")
        values: list[Any] = []
        while start < stop:
            value, start = self._varint(start, stop)
            values.append(_whole(field.kind, value))
        return values

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        data = self._data
        value = shift = 0
        while at < end:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value & 0xFFFF_FFFF_FFFF_FFFF, at
            shift += 7
            if shift > 63:
                raise Malformed(f"holds a number of more than ten bytes, at byte {at:,}")
        raise Malformed(f"ends in the middle of a number, at byte {at:,}")


def _whole(kind: Kind, value: int) -> int | bool:
    if kind is Kind.BOOL:
        return value != 0
    return value - (1 << 64) if kind is not Kind.UINT and value >> 63 else value


def _text(data: bytes, field: Field) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise Malformed(f"holds a {field.name} that is not text") from None
