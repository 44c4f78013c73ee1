"""What a parameter is: a tensor, a list, a number, a string … From the words of its entry, else from its annotation, else from its default."""

from __future__ import annotations

import re

from tensorproof.equivalence.documentation.annotations import annotated, of_default
from tensorproof.equivalence.documentation.sections import Entry

_NOUNS = {
    "tensor": r"\w*tensors?(?:[ -_]?like)?|\w*arrays?(?:[ -_]?like)?|ndarrays?|matrix|matrices|vectors?|scalar tensor",
    "list": r"lists?|tuples?|sequences?|iterables?|\w*-?tuple|torch\.size|collection|container",
    "bool": r"bools?|booleans?",
    "int": r"ints?|integers?|long|symint",
    "float": r"floats?|doubles?|floating[- ]point(?: number| value)?",
    "number": r"numbers?|scalars?|numeric",
    "str": r"str|strings?|filename|pathlike",
    "dtype": r"d-?types?|data[ -]type|tf\.dtype",
    "callable": r"callables?|functions?|closure|lambda",
    "dict": r"dicts?|dictionary|dictionaries|mapping",
    "other": r"module|optimizer|device|generator|dataset|instance|policy object|memory_format|layout|stream",
}
_NOUN = {name: re.compile(rf"(?:{pattern})$", re.IGNORECASE) for name, pattern in _NOUNS.items()}
_NOT_ALONE = re.compile(
    r"(?:number|size|function|matrix|scalar|numeric|vector|device|module|generator|layout|dataset|optimizer|stream|instance)$", re.IGNORECASE
)
"""Words that name a structure at the end of a phrase, and something else at its start: `function name`, `device index`."""
_CLASS = re.compile(r"^(?:[a-z]\w*\.)*_?[A-Z]\w*(?:\.\w+)*$")
_AFTER = (
    "of|that|which|for|to|with|in|between|used|from|as|where|is|are|whose|by|on|at|along|like|via|will|if|when|contains|under|over|after|before|into|must|should"
    "|can|denominator|numerator|applied|returned|produced"
)
_STOP = re.compile(rf"(?:^|\s)(?:{_AFTER}|mapping (?:a|an|the|each|from)|(?![Ss]tring|[Ff]loating|mapping|padding)\w{{3,}}ing)\b")
"""Where a noun phrase ends: a preposition, a relative pronoun, a verb."""
_DROPPED = re.compile(
    r"\(?optional\.?\)?,?|required\.|\bdefaults? (?:to|is|=).*|\bdefault\b.*|\bnone\b|\beither\b|\bkeyword[- ]only\b|\bpython\b"
    r"|^\s*(?:a|an|the|another|any)\s",
    re.IGNORECASE,
)
_BOOLEAN = re.compile(
    r"^\W*(?:(?:if|when)\b.{0,24}?`*\b(?:true|false)\b|whether\b|(?:a )?(?:python )?bool|(?:a )?flag\b|(?:enable|disable)s?\b"
    r"|set (?:this )?to `*(?:true|false)|can optionally)",
    re.IGNORECASE,
)
_ELEMENT_TYPE = re.compile(r"\W*(?:the )?(?:desired |specified )?(?:[\w-]+ ){0,3}(?<!device )(?:d|data )?type\b(?! (?:string|str|name))", re.IGNORECASE)
_LATER = re.compile(
    r"\b(?:it |which )?(?:must|should|can) be (?:either )?((?:an? |`)[^.;]*|array-like)|\bas an? (?:constant |python )?(`?\w+`?)[.,]", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\d)[.;]\s|(?<=[.;])$|:\s")
_OR = re.compile(r"\s*,\s*or\s+|\s*,\s*|\s+or\s+|\s*/\s*|\s*\|\s*|\s+OR\s+")


def structures(entry: Entry, annotation: str, default: object) -> tuple[str, ...]:
    """The first of the sources that says something."""
    for said in (_in_parentheses(entry.type), _described(entry), _mentioned(entry), annotated(annotation), of_default(default)):
        if said:
            return tuple(sorted(set(said)))
    return ()


def _in_parentheses(kind: str) -> list[str]:
    """`int or tuple, optional` and the like."""
    if "->" in kind:
        return ["callable"]
    if re.search(r"[\[|]", kind) and (found := annotated(kind.replace(", optional", "").strip())):
        return found
    plain = re.sub(r"\[[^\[\]]*(?:\[[^\]]*\])?[^\[\]]*\]", "", _bare(kind))
    return [m for part in _parts(plain) if (m := noun(part, classes=True))]


def _parts(text: str) -> list[str]:
    return [p.strip() for p in _OR.split(_DROPPED.sub(" ", text)) if p.strip()]


def _bare(text: str) -> str:
    return re.sub(r":\w+:|[`~*]", "", text)


def noun(phrase: str, classes: bool = False) -> str:
    """The structure that a noun phrase names; empty where it names none. `classes`: any capitalised word names a class."""
    phrase = re.sub(r"(?i)\bany number of ", "", _DROPPED.sub(" ", f" {phrase} ").strip())
    before, *after = _STOP.split(f"{phrase} ", maxsplit=1)
    if after and re.search(r"(?i)\bnumbers?$", before) and re.search(r"(?i)\bnumbers? of\b", phrase):
        return ""
    words = before.strip(" .;:()").split()
    if len(words) > 1 and words[-1].lower() in ("instance", "instances", "object", "objects"):
        return noun(" ".join(words[:-1]), classes=True) or "other"
    for tail in (words[-2:], words[-1:]):
        if found := _named(" ".join(tail)):
            return found
    named = words and _CLASS.match(words[-1]) and len(words) <= 3 and not words[-1].isupper()
    return "other" if named and ("." in words[-1] or re.search(r"[a-z][A-Z]", words[-1]) or classes) else ""


def _named(words: str) -> str:
    short = words if " " in words else words.rpartition(".")[2]
    return next((structure for structure, pattern in _NOUN.items() if pattern.match(words) or pattern.match(short)), "")


def _described(entry: Entry) -> list[str]:
    """From the first words of a description."""
    text = entry.text
    if not text:
        return []
    if _BOOLEAN.match(text):
        return ["bool"]
    if re.match(r":math:`\(|Shape `?\[", text):
        return ["tensor"]
    sentence, *rest = _SENTENCE_END.split(text)
    if _ELEMENT_TYPE.match(sentence) and "type" in entry.name:
        return ["dtype"]
    if made := _opening(sentence):
        return made
    if rest and len(sentence.split()) <= 6 and (made := _opening(rest[0])):
        return made
    if (m := _LATER.search(text)) is not None and (made := _opening(m.group(1) or m.group(2))):
        return made
    if re.search(r"\bshape\b.{0,6}[\[(]", text[:150]) and not re.match(r"(?i)\W*(?:the )?(?:\w+ )?shape", sentence):
        return ["tensor"]
    return ["str"] if re.match(r"^\W{0,3}(?:either |one of:? |must be |can be )?`*['\"][\w-]+['\"]", text, re.IGNORECASE) else []


def _opening(sentence: str) -> list[str]:
    """The alternatives with which a sentence opens."""
    sentence = re.sub(r"^\W*(?:If (?:provided|given|specified|not None),|One or more)\s", "", sentence, flags=re.IGNORECASE)
    sentence = re.sub(r"(?:\b[Ss]hape )?`*(?:\[[^\]]*\]|\([^)]*,[^)]*\))`*", " ", sentence)
    sentence = re.sub(r"`*(['\"])[^'\"]*\1`*", "", sentence)
    sentence = re.sub(r"\b\d-?D or (?:higher|more|greater|an? )?(?=\W)|\b(?:\d-?D(?:,| or|/| and)? ?)+", "", sentence)
    made: list[str] = []
    for part in _parts(_bare(sentence)):
        found = noun(part) or _leading(part) or ("int" if "list" in made and re.match(r"(?:an? )?single\b", part) else "")
        if not found:
            break
        made.append(found)
    return made


def _leading(part: str) -> str:
    """A phrase that opens with its structure: `String key`, `Integer number of points`, `tuple (H, W)`."""
    adjectives = r"(?:(?:a|an|the|single|optional|positive|negative|non-?negative|scalar|constant|list of|nested)\s+)*"
    found = re.match(rf"{adjectives}([\w-]+)", part.strip(), re.IGNORECASE)
    if found is None or _NOT_ALONE.match(found.group(1)):
        return ""
    word = found.group(1)
    return noun(word) if not _CLASS.match(word) or (word.istitle() and noun(word.lower())) else ""


def _mentioned(entry: Entry) -> list[str]:
    """`the function :attr:`callable``, `the tensor `image``."""
    mark = entry.mark
    worded = {
        "callable": rf"\bfunction {mark}|{mark} function\b|{mark} is (?:a|the) (?:\w+ )*function",
        "tensor": rf"\b[Tt]ensor {mark}|{mark} tensor\b|{mark} (?:is|must be|should be) (?:an? )?(?:\S+ ){{0,3}}`?[Tt]ensors?\b",
        "str": rf"{mark} (?:string|str)\b",
    }
    for sentence in entry.elsewhere:
        for structure, pattern in worded.items():
            if re.search(pattern, sentence):
                return [structure]
        if (m := re.search(rf"^\W*{mark}\W+[-:].*\btype: (\w+)", sentence)) and (found := noun(m.group(1))):
            return [found]
        if re.search(rf"{mark}.{{0,60}} can either be: - a single .?.?int", sentence):
            return ["int", "list"]
    return []
