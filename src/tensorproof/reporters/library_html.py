"""The summary of a campaign as one HTML page that needs nothing beside it."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from tensorproof.app.library import Report
from tensorproof.reporters.library import NOISE, by_rule, counted, headline, hidden, wrong

_COLUMNS = ("rule", "names", "calls", "pairs", "agree", "findings", "no fault", "not supported", "both raise")


def page(found: Report) -> str:
    template = Template(files("tensorproof.reporters").joinpath("library_page.html").read_text(encoding="utf-8"))
    title = f"{found.asked.library} {found.version}"
    return template.substitute(
        title=escape(title), headline=escape(headline(found)), groups="\n".join(_group(g) for g in found.groups) or "<p>No group of differences was found.</p>",
        rules=_rules(found), notes=_notes(found),
    )  # fmt: skip


def _group(group: dict[str, Any]) -> str:
    others = ", ".join(f"<code>{escape(name)}</code>" for name in group["apis"] if name != group["api"])
    return (
        f'<details id="{group["id"]}"><summary><span class="chip {group["kind"]}">{group["kind"]}</span> <code>{escape(group["api"])}</code> '
        f'<span class="quiet">{escape(group["rule"])} · {escape(wrong(group))} · {counted(group["findings"])}</span><br>{escape(group["words"])}</summary>'
        f"<pre>{escape(group['script'])}</pre><p>fails with <code>{escape(group['seen'][:300])}</code></p>"
        + (f"<p>third opinion: {escape(group['opinion'])}</p>" if group["opinion"] else "")
        + (f"<p>{hidden(group)}</p>" if hidden(group) else "")
        + (f"<p>also: {others}</p>" if others else "")
        + "</details>"
    )


def _rules(found: Report) -> str:
    rows = []
    for rule, names, counter in by_rule(found):
        quiet = sum(counter[name] for name in NOISE)
        numbers = (names, counter["calls"], counter["pairs"], counter["agree"], counter["finding"], quiet, counter["unsupported"], counter["both raise"])
        rows.append(f"<tr><td>{escape(rule)}</td>{''.join(f'<td class=number>{n:,}</td>' for n in numbers)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _notes(found: Report) -> str:
    verdicts = found.verdicts()
    notes = [f"{NOISE[name]}: {verdicts[name]:,}" for name in NOISE if verdicts[name]]
    notes += [f"the rule {name} did not run: {why}" for name, why in sorted(found.missing.items())]
    notes += [f"{len(found.doubtful)} groups did not fail again in a fresh process"] if found.doubtful else []
    notes += [f"{found.untried} groups were not looked at before the budget ended"] if found.untried else []
    return f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else "<p>Nothing.</p>"
