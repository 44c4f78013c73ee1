"""The parts of a docstring that speak of a parameter: its own entry, and sentences elsewhere that name it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(
    r"^\s*(args?|arguments?|parameters?|keyword ?(args|arguments)|inputs?|kwargs|attributes|required args|optional args)\s*:{1,2}\s*$", re.IGNORECASE
)
_END = re.compile(
    r"^\s*(returns?|raises|yields|examples?|references?|note|notes|warning|usage|shape|call arguments|input shape|output shape)\s*:{0,2}\s*$", re.IGNORECASE
)
_ENTRY = (
    r"^(\s*)(?:[-*]\s+)?(?:\.\. )?[`*]*((?:\*{{0,2}}\w+[`*]*\s*(?:,|/| and )\s*[`*]*)*\*{{0,2}}{name}(?:[`*]*\s*(?:,|/| and )\s*[`*]*\w+)*)[`*]*"
    r"(?:\s*\((.*?)\))?\s*(?::|\s-\s)(?!`|\w+:)(.*)$"
)
"""`name (type): text`, where several names may share one entry."""
_FIELD = r"^\s*:param\s+(?:(\S+)\s+)?{name}\s*:(.*)$"


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in a docstring about a parameter. `type` is what stands in parentheses after its name."""

    name: str
    type: str = ""
    text: str = ""
    elsewhere: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """A pattern for the parameter where a sentence names it."""
        return rf"(?::attr:)?[`*]+{re.escape(self.name)}[`*]+"


def entry(doc: str, name: str, names: frozenset[str]) -> Entry:
    """The entry of a parameter; empty where there is none. `names` are all parameters: the entry of another one ends this one's."""
    lines = doc.split("\n")
    at, kind, text = _own(lines, name, names)
    rest = "\n".join(line for i, line in enumerate(lines) if not at[0] <= i < at[1])
    return Entry(name, _flat(kind), _opened(_flat(text)), tuple(_sentences(rest, name)))


def _own(lines: list[str], name: str, names: frozenset[str]) -> tuple[tuple[int, int], str, str]:
    own = re.compile(_ENTRY.format(name=re.escape(name)), re.DOTALL)
    bare = re.compile(rf"^\s*[`*]*{re.escape(name)}[`*]* \((:class:\S+|[\w., ]+)\)$")
    field = re.compile(_FIELD.format(name=re.escape(name)))
    found: list[tuple[bool, tuple[int, int], str, str]] = []
    inside = False
    for i, line in enumerate(lines):
        if _HEADER.match(line):
            inside = not line.strip().lower().startswith("attributes")
        elif _END.match(line):
            inside = False
        if (m := field.match(line)) is not None:
            last = _end(lines, i, names)
            return (i, last), m.group(1) or "", "\n".join([m.group(2), *lines[i + 1 : last]])
        if (m := bare.match(line)) is not None:
            found.append((inside, (i, i + 1), m.group(1), ""))
        joined = line if line.count("(") <= line.count(")") else "\n".join(lines[i : i + 3])
        if (m := own.match(joined)) is not None and ">>>" not in line:
            last = _end(lines, i, names)
            after = joined.count("\n") + 1 if m.group(3) and "\n" in m.group(3) else 1
            text = m.group(4).split("\n")[0] if "\n" not in m.group(4) else m.group(4)
            found.append((inside, (i, last), m.group(3) or "", "\n".join([text, *lines[i + after : last]])))
    if not found:
        return (0, 0), "", ""
    _, where, kind, text = max(found, key=lambda f: (f[0], bool(f[3].strip())))
    return where, kind, text


def _end(lines: list[str], start: int, names: frozenset[str]) -> int:
    """The line after the last one of an entry."""
    indent = _indent(lines[start])
    for i in range(start + 1, len(lines)):
        line = lines[i]
        if not line.strip():
            if i + 1 < len(lines) and lines[i + 1].strip() and _indent(lines[i + 1]) <= indent:
                return i
            continue
        if _HEADER.match(line) or _END.match(line):
            return i
        if _indent(line) <= indent and (not _continues(line) or indent == 0 or _first(line) in names):
            return i
    return len(lines)


def _first(line: str) -> str:
    found = re.match(r"\s*[`*]*(\w+)", line)
    return found.group(1) if found else ""


def _continues(line: str) -> bool:
    """Whether a line that is not indented below its entry goes on with a sentence all the same."""
    return re.match(r"\s*[a-z(]", line) is not None and re.match(r"\s*[`*]*\w+[`*]*\s*(\([^)]*\))?\s*:", line) is None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _opened(text: str) -> str:
    """Without a first `(Optional)` or `Optional.`."""
    return re.sub(r"^\W*\(?(?:optional|required)\b[.:,;]?\)?[.:,;]?\s*", "", text, flags=re.IGNORECASE)


def _sentences(text: str, name: str) -> list[str]:
    """The sentences outside of examples in which the name is marked as a parameter."""
    kept: list[str] = []
    mark = rf"`{re.escape(name)}`|\*{re.escape(name)}\*" + (r"|\bThe input tensor\b" if name == "input" else "")
    for block in re.split(r"(?<!:)\n\s*\n", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if ">>>" in block or not re.search(mark, block):
            continue
        kept += [s for s in re.split(r"(?<=[a-z`)])\.\s+(?=[A-Z`:])", _flat(block)) if re.search(mark, s)]
    return kept
