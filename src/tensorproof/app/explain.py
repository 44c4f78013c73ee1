"""The use case of `tensorproof explain CODE`: what a finding means, why it matters, how to mend it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

from tensorproof import catalogue
from tensorproof.diagnostics.errors import BadInput
from tensorproof.ops.hazards import said
from tensorproof.ops.record import Op

ANY = {
    "overflow": ("the result is at most the greatest number of its element type", "inf beyond the greatest number of the element type"),
    "undefined": ("no infinite operand meets 0 or an infinity of the other sign", "nan"),
}
"""Hazards that every operator may have: where it is safe, and what it yields elsewhere."""


@cache
def _pages() -> dict[str, dict[str, dict[str, str]]]:
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "codes.toml"), "rb") as stream:
        return tomllib.load(stream)


@cache
def examples() -> dict[str, dict[str, str]]:
    """For a code, a program that has the finding and one that does not."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "examples.toml"), "rb") as stream:
        return tomllib.load(stream)


def example_of(code: str) -> str:
    """The code whose example is shown for a code: its own, else one of the same kind; empty where there is none."""
    word = code.rpartition("/")[2]
    return code if code in examples() else next((other for other in examples() if other.rpartition("/")[2] == word), "")


def explain(code: str) -> str:
    """The page of a code: what must hold, what to do, and an example."""
    page, other = _page(code), example_of(code)
    if not other:
        return page
    shown = examples()[other]
    note = "" if other == code else f" (of {other}, which has the same requirement)"
    blocks = [f"  {title}{note}:\n\n{_indented(shown[key])}" for key, title in (("wrong", "Wrong"), ("right", "Right"))]
    return "\n\n".join([page, *blocks])


def _indented(program: str) -> str:
    return "\n".join(f"    {line}" for line in program.strip().splitlines())


def _page(code: str) -> str:
    words, codes = _pages()["words"], _pages()["codes"]
    if code in codes:
        return f"{code}\n\n  {codes[code]['what']}\n\n  What to do: {codes[code]['mend']}"
    name, slash, word = code.partition("/")
    op = catalogue.find(name) if slash else None
    if op is None:
        raise _unheard_of(code, [*codes, *(f"{o}/rank" for o in catalogue.everything())])
    page = _hazard(op, code)
    if page:
        return page
    from tensorproof.app.operators import describe  # inspect and textwrap, which a check does not need

    described = describe(op)
    rules = dict(described.requirements)
    if code not in rules and word not in words:
        raise BadInput(f"there is no code {code}; {name} has {', '.join(rules) or 'none'}")
    page_of_word = words.get(word, {"what": "A requirement of the operator does not hold.", "mend": "Compare the numbers that the message names."})
    lines = [code, "", f"  {page_of_word['what']}"]
    if code in rules:
        lines.append(f"  {name} asks: {rules[code]}.")
    lines += ["", f"  What to do: {page_of_word['mend']}", "", f"  {name} takes"] + [f"    {item}" for item in described.inputs + described.attributes]
    spelled = [s for group in described.spellings.values() for s in group][:8]
    return "\n".join([*lines, "", f"  It is written {', '.join(spelled)}{' …' if len(spelled) == 8 else ''}"])


def _unheard_of(code: str, known: Iterable[str]) -> BadInput:
    from difflib import get_close_matches

    near = get_close_matches(code, known, 3)
    return BadInput(f"there is no code {code}" + (f"; the closest are {', '.join(near)}" if near else ""))


def require_codes(rules: Iterable[str]) -> None:
    """Refuse codes and prefixes that no finding can have: a misspelt one would leave out nothing, or everything."""
    for rule in rules:
        name, areas = rule.partition("/")[0], {code.partition("/")[0] for code in _pages()["codes"]}
        if name not in areas and catalogue.find(name) is None:
            raise _unheard_of(rule, [*_pages()["codes"], *areas, *catalogue.everything()])


def _hazard(op: Op, code: str) -> str:
    """The page of a code of `tensorproof numerics`; empty for another code."""
    word = code.partition("/")[2]
    hazard = next((h for h in (*op.hazards, *op.gradient_hazards) if h.code == code), None)
    if hazard is None and word not in ANY:
        return ""
    needed, yields = (said(hazard), hazard.yields) if hazard is not None else ANY[word]
    page: dict[str, str] = _pages()["hazards"].get(word, {})
    lines = [f"{op.name} yields {yields}. It is safe where {needed}.", *([page["why"]] if "why" in page else [])]
    mend = page.get("mend", "Keep the operand in that region by a clamp, a maximum or an epsilon.")
    lines += ["", f"What to do: {mend}", "`tensorproof numerics FILE --fix` proposes changes that it proves; `--range NAME=LO:HI` says what an input can be."]
    return "\n".join([code, "", *(f"  {line}" if line else "" for line in lines)])
