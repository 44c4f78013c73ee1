"""Reports of `tensorproof library`: groups of findings with their scripts, and what was tried."""

from __future__ import annotations

import json
from collections import Counter
from textwrap import shorten
from typing import Any

from tensorproof.app.library import Report
from tensorproof.diagnostics.errors import BadInput
from tensorproof.equivalence.campaigns.campaign import EAGER
from tensorproof.equivalence.rules import rules as all_rules
from tensorproof.equivalence.rules import rules_of

NOISE = {
    "chance": "random numbers or uninitialised memory", "rounding": "rounding", "denormal": "denormal numbers flushed to zero", "tie": "ties",
    "sign": "the sign of a factorisation", "wrap": "whole numbers that wrap", "overflow": "overflow near the largest number", "memory": "out of memory",
    "undefined": "results that are not defined", "unstable": "an approximation that is not stable",
    "together": "differences of calls that are compiled together only", "earlier": "differences of an earlier stage, which another rule compares",
}  # fmt: skip
MOST_LISTED = 6


def as_json(found: Report) -> str:
    kept = ("id", "rule", "category", "api", "apis", "kind", "wrong_side", "symptom", "words", "opinion", "findings", "script", "seen")
    totals = found.totals
    results = {
        "pairs": totals["pairs"], "calls": totals["calls"], "accepted": totals["accepted"], "groups": [{k: g[k] for k in kept} for g in found.groups],
        "doubtful": [{k: g[k] for k in kept} for g in found.doubtful], "not_looked_at": found.untried,
        "internal_errors": [m["words"] for m in found.mistakes], "verdicts": dict(found.verdicts()),
        "apis": {"chosen": found.names, "fifty_calls": found.exercised(), "fifty_calls_by_two_rules": found.exercised(2)},
        "not_run": dict(found.missing), "seconds_in_jobs": round(totals["seconds"], 3), "seconds_in_calls": round(totals["bare"], 3),
    }  # fmt: skip
    head = {"library": found.asked.library, "library_version": found.version, "seed": found.asked.seed, "seconds": round(found.seconds, 3)}
    return json.dumps({"version": 1, "diagnostics": [], **head, "results": results}, indent=1, ensure_ascii=False)


def headline(found: Report) -> str:
    totals, groups = found.totals, len(found.groups)
    taken = 100 * totals["accepted"] / totals["calls"] if totals["calls"] else 0.0
    return (
        f"{found.asked.library} {found.version}: {groups} group{'' if groups == 1 else 's'} of differences · {int(totals['pairs']):,} pairs of "
        f"{int(totals['calls']):,} calls ({taken:.1f} % accepted) · {found.seconds:.0f} s"
    )


def concise(found: Report) -> str:
    lines = [f"{g['api']}: {g['kind']}[{g['rule']}]: {g['words']}" for g in found.groups]
    return "\n".join([*lines, headline(found)])


def full(found: Report) -> str:
    parts = ["\n".join(_shown(group)) for group in found.groups]
    return "\n\n".join([*parts, "\n".join([headline(found), *_rest(found)])])


def _shown(group: dict[str, Any]) -> list[str]:
    others = [name for name in group["apis"] if name != group["api"]]
    more = f" and {len(others)} more names: {', '.join(others[:MOST_LISTED])}{' …' if len(others) > MOST_LISTED else ''}" if others else ""
    lines = [f"{group['api']}: {group['kind']}[{group['rule']}]: {group['words']}"]
    lines.append(f"  {wrong(group)}" + (f" ({group['opinion']})" if group["opinion"] else ""))
    lines += [f"  {hidden(group)}"] if hidden(group) else []
    lines += [f"  also{more[4:]}"] if more else []
    lines += [f"  under the rules {', '.join(sorted(group['rules']))}"] if len(group["rules"]) > 1 else []
    return [*lines, *(f"    {line}" for line in group["script"].splitlines())]


def _rest(found: Report) -> list[str]:
    """What was counted and not reported."""
    verdicts, lines = found.verdicts(), []
    noise = [f"{NOISE[name]} {verdicts[name]:,}" for name in NOISE if verdicts[name]]
    if noise:
        lines.append(f"differences that are not bugs: {', '.join(noise)}")
    if verdicts["unsupported"]:
        lines.append(f"not supported on one side: {verdicts['unsupported']:,} pairs of {len({f['api'] for f in found.unsupported}):,} names")
    if found.doubtful:
        lines.append(f"{len(found.doubtful)} groups did not fail again in a fresh process and are left out (JSON lists them)")
    if found.untried:
        lines.append(f"{found.untried} groups were not looked at before the budget ended" + _again(found))
    if found.mistakes:
        lines.append(f"{len(found.mistakes)} jobs ended by an internal error of tensorproof, such as {found.mistakes[0]['symptom']}; please report it")
    lines += [f"the rule {name} did not run: {why}" for name, why in sorted(found.missing.items()) if not found.asked.rules]
    return lines


def _again(found: Report) -> str:
    return "; the same command goes on" if found.asked.store != ":memory:" else "; with --store FILE a second run would go on"


def rules(library: str) -> str:
    """The rules of a library, one a line."""
    known = rules_of(library)
    if not known:
        raise BadInput(f"library {library}: there are rules for {', '.join(sorted({name for rule in all_rules() for name in rule.libraries}))}")
    return "\n".join(f"{rule.name:<22}{rule.category:<18}{rule.about}" for rule in known)


def markdown(group: dict[str, Any], found: Report) -> str:
    """A report for the maintainers: what differs, in ten lines that show it, and which side is wrong."""
    others = [name for name in group["apis"] if name != group["api"]]
    about = next((rule.about for rule in all_rules() if rule.name == group["rule"]), "a plain call")
    lines = [
        f"# `{group['api']}`: {shorten(group['words'], 120, placeholder=' …')}", "",
        f"Two computations that must agree (*{about}*) differ in {found.asked.library} {found.version}.",
        "",
        "```python", group["script"].rstrip(), "```", "", f"The script fails with: `{group['seen'][:300]}`", "",
        f"- what differs: {group['words']}", f"- which side is wrong: {wrong(group)}" + (f" ({group['opinion']})" if group["opinion"] else ""),
        f"- kind: {group['kind']}; rule: {group['rule']} ({group['category']}); {counted(group['findings'])}",
        f"- tolerances: the defaults of {found.asked.library} for the element type; NaN equals NaN",
    ]  # fmt: skip
    lines += [f"- {hidden(group)}"] if hidden(group) else []
    lines += [f"- by rule: {', '.join(f'{name} {n}' for name, n in sorted(group['rules'].items()))}"] if len(group["rules"]) > 1 else []
    lines += [f"- also seen with: {', '.join(f'`{name}`' for name in others[:20])}"] if others else []
    return "\n".join([*lines, ""])


def wrong(group: dict[str, Any]) -> str:
    """Which side is wrong, by the names that the rule gives to its sides."""
    about = next((rule.about for rule in all_rules() if rule.name == group["rule"]), "")
    left, _, right = about.partition(" = ")
    named = f" ({left if group['wrong_side'] == 'left' else right})" if right else ""
    return f"the {group['wrong_side']} side{named} is wrong" if group["wrong_side"] else "it is not decided which side is wrong"


def hidden(group: dict[str, Any]) -> str:
    return "" if group.get("documented", True) else "the library has no documentation of this name"


def counted(findings: int) -> str:
    return f"{findings} finding{'' if findings == 1 else 's'}"


def by_rule(found: Report) -> list[tuple[str, int, Counter[str]]]:
    """For each rule: on how many names it ran, and its pairs by verdict."""
    table: dict[str, Counter[str]] = {}
    names: dict[str, set[str]] = {}
    for (api, rule), counter in found.counts.items():
        table.setdefault(rule, Counter()).update(counter)
        names.setdefault(rule, set()).add(api)
    return [(rule, len(names[rule]), table[rule]) for rule in sorted(table) if rule != EAGER]
