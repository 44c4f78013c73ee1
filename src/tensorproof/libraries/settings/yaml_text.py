"""The part of YAML that configurations are written in: nested maps and lists, scalars, quotes, flow collections, comments, block texts.

Anchors, tags and several documents are not understood, and said not to be.
"""

from __future__ import annotations

import re

from tensorproof.values.port import Value

_INT = re.compile(r"[-+]?(0|[1-9][0-9_]*)$")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*\.[0-9_]*)([eE][-+][0-9]+)?$")
_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>%@`"'\[\]{},-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+|$)""")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None, "true": True, "True": True, "TRUE": True, "yes": True, "Yes": True, "on": True, "On": True,
    "false": False, "False": False, "FALSE": False, "no": False, "No": False, "off": False, "Off": False, ".inf": float("inf"), "-.inf": float("-inf"),
    ".nan": float("nan"),
}  # fmt: skip


class NotUnderstood(Exception):
    """A construct of YAML that this reader does not know."""


def parse(text: str) -> Value:
    """The value of a document. ValueError when it is no YAML, NotUnderstood when it may be."""
    lines: list[tuple[int, str]] = []
    for line in text.splitlines():
        if "\t" in line[: len(line) - len(line.lstrip())]:
            raise ValueError("a tab indents a line")
        lines.append((len(line) - len(line.lstrip(" ")), line.strip()))
    if lines and lines[0][1] == "---":
        lines = lines[1:]
    if any(line in ("---", "...") or line.startswith("%") for _, line in lines):
        raise NotUnderstood("several documents or directives")
    reader = _Reader(lines)
    value = reader.block(0)
    if reader.peek() is not None:
        raise ValueError(f"the line {reader.lines[reader.at][1]!r} stands at no known level")
    return value


def _uncommented(text: str) -> str:
    """A line without its comment."""
    quote = ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'" and (i == 0 or text[i - 1] in " [{,:"):
            quote = c
        elif c == "#" and (i == 0 or text[i - 1] == " "):
            return text[:i].rstrip()
    return text


class _Reader:
    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.lines = lines
        self.at = 0

    def peek(self) -> tuple[int, str] | None:
        """The next line that says something."""
        while self.at < len(self.lines):
            indent, line = self.lines[self.at]
            if line and not line.startswith("#"):
                return indent, line
            self.at += 1
        return None

    def block(self, least: int) -> Value:
        found = self.peek()
        if found is None or found[0] < least:
            return None
        indent, line = found
        if line.startswith("- ") or line == "-":
            return self.sequence(indent)
        if _KEY.match(line):
            return self.mapping(indent)
        self.at += 1
        return self.value(line, indent)

    def sequence(self, indent: int) -> list[Value]:
        made: list[Value] = []
        while (found := self.peek()) is not None and found[0] == indent and (found[1].startswith("- ") or found[1] == "-"):
            rest = found[1][1:]
            inner = rest.strip()
            if not inner or inner.startswith("#"):
                self.at += 1
                made.append(self.block(indent + 1))
            elif inner.startswith("- ") or (_KEY.match(inner) and inner[0] not in "[{"):
                self.lines[self.at] = (indent + 1 + len(rest) - len(rest.lstrip()), inner)
                made.append(self.block(indent + 1))
            else:
                self.at += 1
                made.append(self.value(inner, indent))
        return made

    def mapping(self, indent: int) -> dict[Value, Value]:
        made: dict[Value, Value] = {}
        while (found := self.peek()) is not None and found[0] == indent:
            line = found[1]
            match = _KEY.match(line)
            if match is None:
                raise ValueError(f"{line!r} is not an entry of a map")
            key = scalar(match[1].strip())
            if key == "<<":
                raise NotUnderstood("a merged map")
            rest = _uncommented(line[match.end() :].strip())
            self.at += 1
            if rest:
                made[key] = self.value(rest, indent)
                continue
            following = self.peek()
            same_level = following is not None and following[0] == indent and following[1].startswith("-") and following[1][1:2] in ("", " ")
            made[key] = self.sequence(indent) if same_level else self.block(indent + 1)
        return made

    def value(self, text: str, indent: int) -> Value:
        """A value that begins on a line; it may go on below."""
        text = _uncommented(text)
        if text[0] in "&*!":
            raise NotUnderstood("an anchor or a tag")
        if text[0] in "|>":
            return self.literal(text, indent)
        if text[0] in "[{":
            while not _balanced(text):
                if self.at >= len(self.lines):
                    raise ValueError("a list or a map does not end")
                text += " " + _uncommented(self.lines[self.at][1])
                self.at += 1
            value, end = _flow(text, 0)
            if text[end:].strip():
                raise ValueError(f"{text[end:]!r} follows a value")
            return value
        following = self.peek()
        if following is not None and following[0] > indent:
            raise NotUnderstood("a text over several lines")
        return scalar(text)

    def literal(self, mark: str, indent: int) -> str:
        rows: list[tuple[int, str]] = []
        while self.at < len(self.lines) and (not self.lines[self.at][1] or self.lines[self.at][0] > indent):
            rows.append(self.lines[self.at])
            self.at += 1
        base = min((i for i, line in rows if line), default=0)
        shown = [" " * (i - base) + line if line else "" for i, line in rows]
        while shown and not shown[-1]:
            shown.pop()
        body = ("\n" if mark[0] == "|" else " ").join(shown)
        return body if "-" in mark else body + "\n"


def scalar(text: str) -> Value:
    """A plain or quoted scalar, as YAML 1.1 reads it."""
    if text[:1] == '"':
        if len(text) < 2 or text[-1] != '"':
            raise ValueError(f"the quote of {text!r} does not end")
        return text[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape") if "\\" in text else text[1:-1]
    if text[:1] == "'":
        if len(text) < 2 or text[-1] != "'":
            raise ValueError(f"the quote of {text!r} does not end")
        return text[1:-1].replace("''", "'")
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text.replace("_", ""))
    if _FLOAT.match(text):
        return float(text.replace("_", ""))
    if re.match(r"0x[0-9a-fA-F]+$", text):
        return int(text, 16)
    if re.match(r"[-+]?0[0-9]+$", text) or re.match(r"\d{4}-\d\d-\d\d", text) or re.match(r"\d+:\d+", text):
        raise NotUnderstood(f"the scalar {text}")
    return text


def _balanced(text: str) -> bool:
    depth, quote = 0, ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        else:
            depth += (c in "[{") - (c in "]}")
    return depth <= 0 and not quote


def _flow(text: str, at: int) -> tuple[Value, int]:
    """A flow value that begins at a place, and where it ends."""
    while at < len(text) and text[at] == " ":
        at += 1
    if at >= len(text):
        raise ValueError("a value is missing")
    if text[at] not in "[{":
        return _flow_scalar(text, at)
    closing = "]" if text[at] == "[" else "}"
    items: list[Value] = []
    pairs: dict[Value, Value] = {}
    at += 1
    while True:
        while at < len(text) and text[at] in " ,":
            at += 1
        if at >= len(text):
            raise ValueError("a list or a map does not end")
        if text[at] == closing:
            return (items if closing == "]" else pairs), at + 1
        value, at = _flow(text, at)
        while at < len(text) and text[at] == " ":
            at += 1
        if closing == "}":
            if text[at : at + 1] == ":":
                pairs[value], at = _flow(text, at + 1)
            else:
                pairs[value] = None
        else:
            items.append(value)


def _flow_scalar(text: str, at: int) -> tuple[Value, int]:
    if text[at] in "\"'":
        end = text.index(text[at], at + 1) + 1
        return scalar(text[at:end]), end
    end = at
    while end < len(text) and text[end] not in ",]}" and not (text[end] == ":" and text[end + 1 : end + 2] in ("", " ")):
        end += 1
    return scalar(text[at:end].strip()), end
