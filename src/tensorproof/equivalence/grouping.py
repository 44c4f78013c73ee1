"""Groups findings by root cause: the operator, the side that is wrong and how, or one message of refusal over many names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.rules import rules
from tensorproof.equivalence.shrink import core

Finding = Mapping[str, Any]
_COMPILERS = "compilers"
_COMPILING = ("optimization", "export")
_WRAPPER = re.compile(r"^(left|right): .*(fake tensor call|raised): ")
"""What a compiler says before the error of the kernel that computes shapes, or of its back end."""
NOT_VALIDATED = "the plain call takes arguments that several other ways of running it refuse"
_REFUSES_OFTEN = ("sparse",)
"""Rules whose refusals say little of the plain call."""
CATEGORIES_OF = {rule.name: rule.category for rule in rules()}
_BY_NAME = frozenset(rule.name for rule in rules() if rule.by_name)


def family(rule: str) -> str:
    """Rules under which one mistake shows: one in tracing, or in a meta kernel, shows under all compilers."""
    return _COMPILERS if CATEGORIES_OF.get(rule) in _COMPILING or rule == "meta" else rule


def cause(finding: Finding, names: Mapping[str, Api], refused: frozenset[tuple[str, ...]] = frozenset()) -> tuple[str, ...]:
    """What findings of one root cause have in common. `refused` are refusals (an operator, a rule, a message) of calls that are not validated."""
    op = _operator(finding, names)
    kind, rule, symptom = finding["kind"], family(finding["rule"]), core(finding["symptom"])
    if kind == "raises":
        refusal = rule, _WRAPPER.sub("right: ", symptom)
        return (kind, NOT_VALIDATED, op) if (op, *refusal) in refused else (kind, *refusal)
    if kind == "crash":
        return kind, op, symptom
    if finding["wrong_side"] == "left":  # the plain call itself is wrong, whatever it was compared with
        return kind, "plain call", op, symptom
    return kind, rule, op, symptom


def _operator(finding: Finding, names: Mapping[str, Api]) -> str:
    api = names.get(finding["api"])
    if finding["rule"] in _BY_NAME:
        return re.sub(r"\dD$", "", finding["api"].rpartition(".")[2])  # layers for one, two and three axes share their code
    return api.op if api is not None else finding["api"]


def grouped(findings: Iterable[Finding], names: Mapping[str, Api]) -> dict[str, list[Finding]]:
    """Findings by a short name of their cause, the simplest of each first."""
    found: dict[str, list[Finding]] = {}
    findings = list(findings)
    refused = _refused(findings, names)
    for finding in findings:
        parts = cause(finding, names, refused)
        if NOT_VALIDATED in parts:
            finding = {**finding, "wrong_side": "left", "opinion": NOT_VALIDATED}
        found.setdefault(_name(parts), []).append(finding)
    return {name: sorted(group, key=_size) for name, group in sorted(found.items())}


def _refused(findings: Iterable[Finding], names: Mapping[str, Api]) -> frozenset[tuple[str, ...]]:
    """The refusals of calls that several families of rules refuse: the plain call takes what it should not."""
    by: dict[tuple[str, int], set[tuple[str, ...]]] = {}
    for finding in findings:
        if finding["kind"] == "raises" and finding["symptom"].startswith("right:") and finding["rule"] not in _REFUSES_OFTEN:
            by.setdefault((finding["api"], finding["number"]), set()).add((_operator(finding, names), *cause(finding, names)[1:]))
    return frozenset(refusal for found in by.values() if len({family for _, family, _ in found}) > 1 for refusal in found)


def _name(parts: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:10]


def _size(finding: Finding) -> tuple[bool, bool, int, int, str, int]:
    """A call of a documented name with ordinary numbers, few of them, comes first: a user could have written it."""
    call, pair, hidden = finding["call"], finding["pair"], not finding.get("documented", True)
    if call is None or pair is None:
        return hidden, True, 1 << 30, 0, finding["api"], finding["number"]
    return hidden, call["special"], sum(len(x["numbers"]) for x in call["inputs"].values()), len(pair["left"]), finding["api"], finding["number"]
