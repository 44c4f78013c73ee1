"""The text encoding (`.pbtxt`), read into dictionaries by a table. Made for files as protobuf prints them, correct on all others.

One pattern reads a whole field where it can; the value of a map entry that was seen before is not read again (a graph repeats a few
hundred attribute values tens of thousands of times).
"""

from __future__ import annotations

import math
import re
import struct
from typing import Any

from tensorproof.frontends.protobuf.schema import DEEPEST, LINE, MOST_VALUES, Decoded, Field, Kind, Malformed, Message, merge

_SHARED = 1024
_SPACE = r"[\s,;]*+(?:\#[^\n]*[\s,;]*)*+"
_FIELD = re.compile(
    _SPACE
    + r"""(?:
      (?P<name>[A-Za-z_]\w*) [ \t]*
      (?: : [ \t]* (?: "(?P<text>[^"\\\n]*)" (?!\s*["'#]) | (?P<word>[-+]?[\w.][-+\w.]*) )
        | :? \s* (?P<open>[{<])
        | \s* (?P<colon>:) )
      | (?P<close>[}>])
    )""",
    re.VERBOSE | re.ASCII,
)
_ENTRY = re.compile(r'\n( *)key: "([^"\\\n]*)"\n\1value \{\n((?:\1  .*\n)*+)\1\}\n *\}')
_BLANK = re.compile(_SPACE, re.ASCII)
_STRING = re.compile(r""""((?:[^"\\\n]|\\.)*+)"|'((?:[^'\\\n]|\\.)*+)'""")
_WORD = re.compile(r"-?\s*[\w.][-+\w.]*", re.ASCII)
_UNUSUAL = re.compile(r"\\(?![0-3]|[4-7](?![0-7]{2})|[nrtabfv\\'\"]|x[0-9a-fA-F]{2})")
_ESCAPED = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_TRUTH = {"true": True, "True": True, "t": True, "1": True, "false": False, "False": False, "f": False, "0": False}
_FLOAT = struct.Struct("<f")
_INTEGERS = (Kind.INT, Kind.UINT)


def decode(text: str, message: Message) -> Decoded:
    """`text` holds one character per byte of the file (Latin-1); strings are taken from it as UTF-8."""
    return _Text(text).read(message, 0, len(text), "", 0)[0]


class _Text:
    def __init__(self, text: str) -> None:
        self._text = text
        self._left = MOST_VALUES
        self._shared: dict[tuple[int, str], Decoded] = {}
        self._counted = 0
        self._line = 1

    def read(self, message: Message, at: int, end: int, closer: str, depth: int) -> tuple[Decoded, int]:
        """The fields up to `closer`, or up to `end` when there is none; and where to go on."""
        if depth > DEEPEST:
            raise Malformed(f"nests messages deeper than {DEEPEST}, on line {self._line_at(at)}")
        text, fields, match_field = self._text, message.by_name, _FIELD.match
        decoded: Decoded = {LINE: self._line_at(at)} if message.located else {}
        while True:
            match = match_field(text, at, end)
            if match is None:
                return decoded, self._finish(at, end, closer)
            self._left -= 1
            if self._left < 0:
                raise Malformed(f"holds more than {MOST_VALUES:,} values")
            name, plain, word, opening, _, close = match.groups()
            at = match.end()
            if close is not None:
                if close != closer:
                    raise Malformed(f"has a {close} that closes nothing, on line {self._line_at(at)}")
                return decoded, at
            field = fields.get(name)
            if field is None:
                if message.strict:
                    raise Malformed(f"has a field {name}, which no {message.name} has, on line {self._line_at(at)}")
                field = Field(0, name, Kind.MESSAGE if opening else Kind.BYTES, repeated=True)
            if opening is not None:
                if field.mapped:
                    at = self._entry(decoded, field, at, end, opening, depth)
                    continue
                value, at = self._message(field, at, end, opening, depth)
            elif plain is not None:
                value = self._string(field, plain, at)
            elif word is not None:
                value = self._number(field, word, at)
            else:
                at = self._slow(decoded, field, at, end, depth)
                continue
            if field.number == 0:
                continue
            if field.repeated:
                known = decoded.get(name)
                if known is None:
                    decoded[name] = [value]
                else:
                    known.append(value)
            elif opening is not None and name in decoded:
                decoded[name] = merge(decoded[name], value)
            else:
                decoded[name] = value

    def _message(self, field: Field, at: int, end: int, opening: str, depth: int) -> tuple[Decoded, int]:
        if field.kind is not Kind.MESSAGE:
            raise Malformed(f"has a message where {field.name} takes a value, on line {self._line_at(at)}")
        kind = field.message() if field.message is not None else _UNKNOWN
        return self.read(kind, at, end, "}" if opening == "{" else ">", depth + 1)

    def _entry(self, decoded: Decoded, field: Field, at: int, end: int, opening: str, depth: int) -> int:
        """One entry of a map. As protobuf prints it, it is one match and mostly a value seen before."""
        assert field.message is not None
        message = field.message()
        match = _ENTRY.match(self._text, at, end)
        if match is None:
            entry, at = self.read(_entry_of(message), at, end, "}" if opening == "{" else ">", depth + 1)
            decoded.setdefault(field.name, {})[entry.get("key", "")] = entry.get("value", {})
            return at
        _, key, body = match.groups()
        if not key.isascii():
            key = self._string(field, key, at)
        if len(body) > _SHARED:
            value, _ = self.read(message, match.start(3), match.end(3), "", depth + 2)
        else:
            known = self._shared.get((id(message), body))
            if known is None:
                known, _ = self.read(message, match.start(3), match.end(3), "", depth + 2)
                self._shared[id(message), body] = known
            value = known
        decoded.setdefault(field.name, {})[key] = value
        return match.end()

    def _slow(self, decoded: Decoded, field: Field, at: int, end: int, depth: int) -> int:
        """A value after `name:` that the pattern does not take: strings with escapes or in pieces, lists, numbers after a space."""
        at = self._skip(at, end)
        values: list[Any] = []
        if self._text.startswith("[", at, end):
            at = self._skip(at + 1, end)
            while not self._text.startswith("]", at, end):
                value, at = self._value(field, at, end, depth)
                values.append(value)
                at = self._skip(at, end)
            at += 1
        else:
            value, at = self._value(field, at, end, depth)
            values.append(value)
        if field.number == 0:
            pass
        elif field.mapped:
            decoded.setdefault(field.name, {}).update({entry.get("key", ""): entry.get("value", {}) for entry in values})
        elif field.repeated:
            decoded.setdefault(field.name, []).extend(values)
        elif len(values) == 1:
            decoded[field.name] = values[0]
        else:
            raise Malformed(f"has a list where {field.name} takes one value, on line {self._line_at(at)}")
        return at

    def _value(self, field: Field, at: int, end: int, depth: int) -> tuple[Any, int]:
        opening = self._text[at : at + 1] if at < end else ""
        if opening in ("{", "<"):
            if field.mapped and field.message is not None:
                return self.read(_entry_of(field.message()), at + 1, end, "}" if opening == "{" else ">", depth + 1)
            return self._message(field, at + 1, end, opening, depth)
        if opening in ('"', "'"):
            pieces: list[str] = []
            while (match := _STRING.match(self._text, at, end)) is not None:
                pieces.append(match[1] if match[1] is not None else match[2])
                at = self._skip(match.end(), end)
            if pieces:
                return self._string(field, "".join(pieces), at), at
        elif (match := _WORD.match(self._text, at, end)) is not None:
            return self._number(field, "".join(match[0].split()), at), match.end()
        raise Malformed(f"has no value for {field.name} on line {self._line_at(at)}")

    def _string(self, field: Field, written: str, at: int) -> Any:
        if field.number == 0:
            return None
        if field.kind is not Kind.STRING and field.kind is not Kind.BYTES:
            raise Malformed(f"has a string where {field.name} takes another value, on line {self._line_at(at)}")
        if "\\" in written:
            try:
                data = unescape(written)
            except (UnicodeError, ValueError):
                raise Malformed(f"has a string with an impossible escape, on line {self._line_at(at)}") from None
        elif field.kind is Kind.STRING and written.isascii():
            return written
        else:
            data = written.encode("latin-1")
        if field.kind is Kind.BYTES:
            return data
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed(f"holds a {field.name} that is not text, on line {self._line_at(at)}") from None

    def _number(self, field: Field, word: str, at: int) -> Any:
        kind = field.kind
        if field.number == 0:
            return None
        try:
            if kind in _INTEGERS:
                return _integer(word)
            if kind is Kind.FLOAT:
                return _single(_real(word))
            if kind is Kind.DOUBLE:
                return _real(word)
            if kind is Kind.BOOL:
                return _TRUTH[word]
            if kind is Kind.ENUM:
                assert field.enum is not None
                known = field.enum.get(word)
                return known if known is not None else -1 if word[0].isalpha() else _integer(word)
        except (ValueError, KeyError):
            pass
        raise Malformed(f"has {word} where {field.name} takes another value, on line {self._line_at(at)}")

    def _skip(self, at: int, end: int) -> int:
        match = _BLANK.match(self._text, at, end)
        return match.end() if match is not None else at

    def _finish(self, at: int, end: int, closer: str) -> int:
        at = self._skip(at, end)
        if at < end:
            raise Malformed(f"cannot be understood on line {self._line_at(at)}: {self._text[at : at + 20].split(chr(10))[0]!r}")
        if closer:
            raise Malformed(f"ends before its messages are closed, on line {self._line_at(at)}")
        return at

    def _line_at(self, at: int) -> int:
        """Counts on from the last place asked for, as places are asked for in order."""
        if at < self._counted:
            return self._text.count("\n", 0, at) + 1
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line


_UNKNOWN = Message("message")
_ENTRIES: dict[int, tuple[Message, Message]] = {}


def _entry_of(message: Message) -> Message:
    known = _ENTRIES.get(id(message))
    if known is None:
        entry = Message("entry", Field(1, "key", Kind.STRING), Field(2, "value", Kind.MESSAGE, message=lambda: message))
        known = _ENTRIES[id(message)] = (entry, message)
    return known[0]


def _integer(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        return int(word, 0)


def _real(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float(word.rstrip("fF")) if not word.lower().startswith(("0x", "-0x")) else float(int(word, 0))


def _single(value: float) -> float:
    """As a 32-bit float holds it, which is what the binary encoding says."""
    try:
        made: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
        return made
    except OverflowError:
        return math.copysign(math.inf, value)


def unescape(written: str) -> bytes:
    """The bytes behind C escapes. Python knows all but `\\?`, one-digit `\\x` and Unicode escapes, which stand for UTF-8."""
    if _UNUSUAL.search(written) is None:
        return written.encode("latin-1").decode("unicode_escape").encode("latin-1")
    return _ESCAPED.sub(_escape, written).encode("latin-1")


def _escape(match: re.Match[str]) -> str:
    what = match[1]
    if what[0] in "uU" and len(what) > 1:
        return chr(int(what[1:], 16)).encode("utf-8").decode("latin-1")
    if what[0] == "x" and len(what) > 1:
        return chr(int(what[1:], 16))
    if what[0] in "01234567":
        return chr(int(what, 8))
    if what in _ESCAPES:
        return _ESCAPES[what]
    raise ValueError(what)


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"}
