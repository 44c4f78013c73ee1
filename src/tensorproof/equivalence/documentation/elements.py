"""The element types of a tensor or a list, as documentation words them."""

from __future__ import annotations

import re

from tensorproof.equivalence.documentation.annotations import elements
from tensorproof.equivalence.documentation.sections import Entry
from tensorproof.terms.dtypes import BY_LABEL

_ALIASES = {"half": "float16", "float": "float32", "double": "float64", "long": "int64", "short": "int16"}
_CLASSES = {"long": "int64", "int": "int32", "bool": "bool", "float": "float32", "double": "float64", "half": "float16", "byte": "uint8"}
_LABEL = rf"`*(?:tf\.|torch\.|np\.|numpy\.)?(?:{'|'.join(sorted([*BY_LABEL, *_ALIASES], key=len, reverse=True))})\b`*"
_LABELS = rf"{_LABEL}(?:(?:\s*,\s*(?:or |and )?|\s+or\s+|\s+and\s+|\s*/\s*|\s*\|\s*|(?<=`)\s+(?=`)){_LABEL})*"
_TENSOR = r"`?(?:tf\.|torch\.)?(?:[Tt]ensors?|SparseTensor|numpy\.array|[Aa]rrays?|Variable|vector|matrix)\b"
_LISTED = (
    rf"(?:must be|should be|is|are) (?:one )?of the following types: ({_LABELS})",
    rf"\b(?:[Dd]?types?|[Dd]ata types?)(?: of| is| must be| should be|s?:)? ({_LABELS})",
    rf"\b(?:must|should) be ({_LABELS})",
)
_BESIDE = (
    rf"^\W*(?:an? |the |optional )*(?:\d-D |scalar )*({_LABELS})(?: \S+){{0,4}}? {_TENSOR}",
    rf"{_TENSOR}`? of ({_LABELS})",
)
"""Beside the word "tensor": there, `float` is any floating-point type."""
_SAME = re.compile(
    r"(?:must|should)? ?(?:be of|have|has|of|with) (?:the )?same (?:d?type|data type|type and shape|shape and type|dtype and shape) as "
    r"(?:that of )?`*(?:the )?(\w+)",
    re.IGNORECASE,
)
_KINDS = (
    ("number", r"(?:numeric|numerical|real or complex)"), ("int", r"(?:integers?|integral|int)"), ("float", r"(?:floating[- ]point|float|floats|floating)"),
    ("bool", r"(?:bool|boolean)"), ("complex", r"complex(?:-valued)?"), ("string", r"(?:strings?|str)"), ("quantized", r"quantized"),
)  # fmt: skip
_CARRIER = (
    r"[`*]*(?:\w+ )?(?:[Tt]ensors?|SparseTensors?|RaggedTensors?|[Aa]rrays?|numpy\.array|matrix|vector|d?types?|data type|format|mask|labels?|input|values?"
    r"|indices)\b"
)
_ITEMS = (
    ("int", r"ints?|integers?"), ("float", r"floats?"), ("string", r"str|strings?"), ("bool", r"bools?|booleans?"), ("dtype", r"`?(?:tf\.)?d-?types?"),
    ("tensor", r"(?:[\w`.]* ?)tensors?|arrays?"),
)  # fmt: skip
_MANY = r"(?:tuples?|lists?|sequences?|iterables?)"


def types(structure: tuple[str, ...], entry: Entry, annotation: str, names: frozenset[str]) -> tuple[str, ...]:
    """Nothing for what is neither a tensor nor a list."""
    if "tensor" in structure and (found := _of_tensor(entry, names)):
        return found
    return _of_items(entry, annotation) if "list" in structure else ()


def labels(text: str) -> tuple[str, ...]:
    """The element types that a text lists."""
    words = re.findall(r"\b(?:tf\.|torch\.|np\.|numpy\.)?(\w+)\b", re.sub(r"\b(?:or|and)\b", " ", text))
    return tuple(sorted({_ALIASES.get(w, w) for w in words}))


def _of_tensor(entry: Entry, names: frozenset[str]) -> tuple[str, ...]:
    if (m := _SAME.search(entry.text)) and m.group(1) in names:
        return (f"same:{m.group(1)}",)
    for pattern in (*_LISTED, *_BESIDE):
        if (m := re.search(pattern, entry.text, re.IGNORECASE)) is not None:
            return ("float",) if pattern in _BESIDE and m.group(1).strip("`") == "float" else labels(m.group(1))
    if m := re.match(rf"\W*(?:torch\.)?({'|'.join(_CLASSES)})tensor", entry.type, re.IGNORECASE):
        return (_CLASSES[m.group(1).lower()],)
    return next((found for sentence in (entry.text, *_about(entry)) if (found := _kinds(sentence))), ())


def _kinds(sentence: str) -> tuple[str, ...]:
    if re.search(r"\b(?:integral|integer) or bool(?:ean)? (?:d?types?|tensors?)", sentence, re.IGNORECASE):
        return ("bool", "int")
    return next(((word,) for word, pattern in _KINDS if _is_of(pattern, sentence)), ())


def _is_of(pattern: str, sentence: str) -> bool:
    """`integer tensor`, `of integral type`, `tensor of ints`, `labels as integers`."""
    worded = (
        rf"\b{pattern}[`*]*[- ]{_CARRIER}", rf"\b(?:of|with|in|have|having|be) (?:an? )?{pattern}(?: (?:d?types?|format)|-valued)\b",
        rf"\b(?:tensor|array|vector)`? of {pattern}s?\b", rf"\bas {pattern}s?(?<=s)\b",
    )  # fmt: skip
    return any(re.search(w, sentence, re.IGNORECASE) for w in worded)


def _about(entry: Entry) -> list[str]:
    """The sentences whose subject the parameter is."""
    mark = entry.mark + ("|The input tensor" if entry.name == "input" else "")
    subject = re.compile(rf"^\W*(?:(?:the )?(?:input|argument|tensor)s? )*(?:{mark}) (?:must|should|is|has|needs)", re.IGNORECASE)
    return [s for s in entry.elsewhere if subject.search(s)]


def _of_items(entry: Entry, annotation: str) -> tuple[str, ...]:
    """`tuple of two ints`, `list[int]`, `int tuple`."""
    if "Size" in entry.type:
        return ("int",)
    for said in (entry.type, entry.text, *entry.elsewhere):
        for word, pattern in _ITEMS:
            many = rf"\b{_MANY}(?:`| | of |\[|\(){{1,4}}(?:or {_MANY}(?: of |\[)| of )?(?:\w+ )?`?(?:{pattern})\b"
            if re.search(rf"{many}|\b(?:{pattern})[- ]{_MANY}\b", said, re.IGNORECASE):
                return (word,)
    items, _ = elements(annotation)
    return (items,) if items in ("int", "float", "tensor", "bool", "dtype") else ("string",) if items == "str" else ()
