"""Ranks and sizes of a tensor or a list, as documentation words them."""

from __future__ import annotations

import re
from itertools import takewhile

from tensorproof.equivalence.documentation.annotations import elements
from tensorproof.equivalence.documentation.sections import Entry

Shapes = tuple[str, ...]
_NUMBER = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "single": 1, "one": 1, "double": 2, "triple": 3, "pair": 2}
_COUNT = rf"(\d+|{'|'.join(_NUMBER)})"
_BRACKET = r"(?::math:)?`*\s*[\[(]([^\[\]()]*?)[\])]`*"
_ALSO = rf"(?:(?:,| or| and|, or) (?:of shape )?{_BRACKET})?"
_SIZED = (
    rf"\b[Ss]hapes?(?: is| of| must be| like| =|:)? {_BRACKET}{_ALSO}",
    rf"\bsize {_BRACKET}{_ALSO}",
    rf"^\W*(?:an? |the )?(?:\S+ )?{_BRACKET}{_ALSO} (?:tensor|`Tensor`|matrix)",
    rf"^\W*(?:an? |\S+ )?`?(?:[Tt]ensor)`? of {_BRACKET}",
    rf"^{_BRACKET}{_ALSO}",
)
_RANK = r"(\d)-?\s?(?:D|d|dim|dimensional)\b"
_SIZE = r"\.\.\.|[\w.]+(?:\[[^\]]*\])?(?:\s*[-+*/]+\s*[\w.]+)*|[a-z_]+(?: [a-z_]+){1,3}|\w+_\w+|-1|\?"


def shapes(structure: tuple[str, ...], entry: Entry, annotation: str) -> tuple[Shapes, Shapes]:
    """Ranks or sizes, and the names that the documentation gives to the sizes of the first alternative."""
    if "tensor" in structure:
        return _of_tensor(entry)
    return (_of_list(entry, annotation), ()) if "list" in structure else ((), ())


def _of_tensor(entry: Entry) -> tuple[Shapes, Shapes]:
    if (found := _sized(entry.text)) is not None:
        return found
    about = _about(entry)
    for said in (entry.text, *about):
        if ranks := _ranks(said):
            return ranks, ()
    for said in about:
        if (found := _sized(said)) is not None and not all(d.isdigit() for d in found[1]):
            return found
    return (), ()


def _about(entry: Entry) -> list[str]:
    """What sentences elsewhere say right after the parameter's name. Examples are left out."""
    made = []
    for sentence in entry.elsewhere:
        m = re.search(rf"{entry.mark}:? (?:is|to be|must be|should be|must have|has|are)(?: an?)?\b(.{{0,80}})", sentence)
        if m is not None and not re.search(r"\b(?:[Ff]or example|e\.g\.)", sentence):
            made.append(re.split(r",? (?:and|then|but|:attr:)", m.group(1))[0])
    return made


def _sized(text: str) -> tuple[Shapes, Shapes] | None:
    """`of shape `[batch, 4]``, `A `[..., M, N]` tensor`, `(n \\times m)`."""
    for pattern in _SIZED:
        for m in re.finditer(pattern, text):
            given = [g for g in m.groups() if g is not None]
            dims = [d for d in map(_dims, given) if d is not None]
            if dims and len(dims) == len(given):
                return tuple(sorted({_shape(d) for d in dims} - {">=0"})), tuple(dims[0])
    return None


def _dims(inner: str) -> list[str] | None:
    """The sizes in brackets; None for what is not a list of sizes."""
    for written, plain in (("\\times", ","), ("\\_", "_"), ("\\ldots", "..."), ("\\dots", "...")):
        inner = inner.replace(written, plain)
    inner = re.sub(r"\\(?:text|mathrm|mathit)\{([^}]*)\}", r"\1", inner)
    inner = re.sub(r"(\.\.+) (?=\w)", r"\1, ", inner)
    parts = [re.sub(r"[`{}$\\]", "", p).strip() for p in re.split(r",|\bx\b|×", inner)]
    if parts and parts[-1] == "":
        parts.pop()
    parts = ["..." if re.fullmatch(r"\.{2,3}\w*|\*\w*", p) else p for p in parts]
    return _runs([p.replace(" ", "") for p in parts]) if all(re.fullmatch(_SIZE, p) for p in parts) else None


def _runs(dims: list[str]) -> list[str]:
    """`B1, ..., Bb` is any number of sizes."""
    for i, dim in enumerate(dims):
        if dim == "..." and 0 < i < len(dims) - 1 and dims[i - 1][:1] == dims[i + 1][:1]:
            alike = len(list(takewhile(lambda d: d[:1] == dims[i + 1][:1], reversed(dims[:i]))))  # noqa: B023 (used at once)
            return [*dims[: i - alike], "...", *dims[i + 2 :]]
    return dims


def _shape(dims: list[str]) -> str:
    """Sizes where one is a number, else the rank."""
    if "..." in dims:
        return f">={len(dims) - dims.count('...')}"
    if any(d.isdigit() for d in dims):
        return f"[{','.join(d if d.isdigit() else '?' for d in dims)}]"
    return str(len(dims))


_LENGTH = (
    rf"\b1-?D\W+(?:\S+ ){{0,2}}(?:with|of|containing|having) (?:length |size )?{_COUNT}(?: elements| values| ints| integers|\b(?! ?[x×]))",
    r"\b1-?D\b.{0,40}?\b(?:length|size) (\d+)\b",
)
_AT_LEAST = (
    rf"(?:at least |>=? ?|minimum (?:rank |of )?){_RANK}", rf"{_RANK} or (?:higher|more|greater|above)", rf"{_RANK}\+",
    r"\b[Rr]ank (?:of )?(?:at least |>= ?)`?(\d)", r"\b[Rr]ank `?(\d)`? or (?:higher|more|greater)", r"\bat least rank `?(\d)",
    r"\bN-D\b.*\bN`? >= `?(\d)", r"\b[Rr]ank `?n ?\+ ?(\d)`?",
)  # fmt: skip
_MORE_THAN = (r"\b[Rr]ank`? > `?(\d)", r"\bN-D\b.*\bN > (\d)")
_NO_SCALAR = re.compile(r"\bscalar[- ]?(?:multipl|factor)|\bor (?:a )?(?:python )?scalar|scalars?,? or|scalar/", re.IGNORECASE)
_ADJECTIVES = r"^\W*(?:an? |the |input |first |second |dense |sparse |square |symmetric |embedding |weight )*"


def _ranks(text: str) -> Shapes:
    if length := _first(_LENGTH, text):
        return (f"[{_count(length)}]",)
    if m := re.search(rf"(?:<=|≤|at most) {_RANK}", text):
        return tuple(str(k) for k in range(int(m.group(1)) + 1))
    if least := _first(_AT_LEAST, text):
        return (f">={least}",)
    if below := _first(_MORE_THAN, text):
        return (f">={int(below) + 1}",)
    if m := re.search(rf"{_RANK}(?:\s*(?:,|or|and|/|or a)\s*{_RANK})*", text):
        or_scalar = re.search(rf"\bscalar,? or (?:an? )?{_RANK}|{_RANK},? or (?:an? )?scalar", text, re.IGNORECASE)
        return tuple(sorted({*re.findall(_RANK, m.group()), *(["0"] if or_scalar else [])}))
    if m := re.search(r"\b[Rr]ank[- ]`?(\d)\b", text):
        return (m.group(1),)
    return _named_rank(text)


def _first(patterns: tuple[str, ...], text: str) -> str:
    return next((m.group(1) for pattern in patterns if (m := re.search(pattern, text))), "")


def _named_rank(text: str) -> Shapes:
    """A scalar, a vector, a matrix, and batches of them."""
    if re.search(r"\bscalar `?(?:\w+\.|\w+ )?`?[Tt]ensor", text):
        return ("0",)
    if re.search(r"\bscalars?\b(?! value)", text, re.IGNORECASE) and not _NO_SCALAR.search(text):
        return ("0",)
    if m := re.search(r"\bbatch(?:es)? of (?:\w+ )?(matrices|vectors)", " ".join(text.split()[:7])):
        return (">=2",) if m.group(1) == "matrices" else (">=1",)
    if re.search(rf"{_ADJECTIVES}matrix\b(?! ?-)", text, re.IGNORECASE):
        return ("2",)
    return ("1",) if re.search(rf"{_ADJECTIVES}vector\b", text, re.IGNORECASE) else ()


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBER[word.lower()]


_MANY = r"`*(?:tuples?|lists?|sequences?)`*"
_ITEM = r"(?:ints?|integers?|floats?|tensors?|values|numbers|elements|strings)"
_COUNTED = (
    rf"\b{_MANY} of (?:size |length )?{_COUNT}(?: \w+)?(?: {_ITEM})?\b(?! or)", r"\b(\d)-`*tuple",
    rf"\b{_COUNT}[- ](?:element|integer|int|float)s?[- ]{_MANY}\b",
    rf"\b{_COUNT}[- ]{_MANY}\b", rf"\b{_MANY} \(?(?:with|containing|having) {_COUNT} ", rf"\b{_MANY} of {_ITEM},? (?:of|with) (?:size|length) {_COUNT}",
    rf"\b(pair) of {_ITEM}", r"\blength[- ](\d)\b", rf"\b{_MANY} of {_ITEM},? of {_COUNT} ",
)  # fmt: skip


def _of_list(entry: Entry, annotation: str) -> Shapes:
    if found := {f"[{k.count(',') + 1}]" for k in re.findall(r"[Tt]uple\[((?:int|float|Tensor)(?:, (?:int|float|Tensor))+)\]", entry.type)}:
        return tuple(sorted(found))
    if m := re.search(r"\blength ((?:`?\d`?(?:, | or |, or )?)+)", entry.text):
        return tuple(sorted({f"[{k}]" for k in re.findall(r"\d", m.group(1))}))
    for said in (entry.type, entry.text, *entry.elsewhere):
        for pattern in _COUNTED:
            if m := re.search(pattern, said, re.IGNORECASE):
                return (f"[{_count(m.group(1))}]",)
        if m := re.search(rf"\b{_MANY}(?: of {_ITEM})?(?: of (?:the )?form)?,? (?::math:)?`*\(([^()]*)\)", said, re.IGNORECASE):
            parts = [p.strip() for p in m.group(1).split(",") if p.strip()]
            if len(parts) > 1 and all(re.fullmatch(r"[\w.{}\\-]+", p) for p in parts) and "..." not in parts:
                return (f"[{len(parts)}]",)
    _, length = elements(annotation)
    return (f"[{length}]",) if length is not None and length > 1 else ()
