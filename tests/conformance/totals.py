"""What the reference functions and bounds of operators come to."""

from __future__ import annotations

from typing import Any


def report(evaluated: set[str], records: list[dict[str, Any]], count: int, details: bool) -> None:
    """The totals: operators on real or whole numbers, those with bounds, and those with a reference function."""
    held = [r for r in records if r.get("boxes", 0) > r.get("unbounded", 0)]
    own = [r for r in records if r["op"] in evaluated]
    wrong, outside = [r for r in records if r["wrong"]], [r for r in records if r.get("outside")]
    thin = [r for r in own if not r["wrong"] and r["calls"] < count]
    few = [r["op"] for r in held if r["boxes"] - r["unbounded"] < count]

    def share(part: list[Any]) -> str:
        return f"{len(part)} ({100 * len(part) / max(1, len(records)):.1f} %)"

    print(f"operators on real or whole numbers: {len(records)}")
    boxes = sum(r["boxes"] - r["unbounded"] for r in held)
    print(f"with bounds: {share(held)} · {boxes} boxes · {len(outside)} with a value outside · {len(few)} with fewer than {count} boxes")
    calls_made = sum(r["calls"] for r in own)
    print(f"with a reference function: {share(own)} · {calls_made} calls · {len(wrong)} disagree · {len(thin)} with fewer than {count} calls")
    if not details:
        return
    print("without a reference function:", " ".join(r["op"] for r in records if r not in own))
    print("without bounds:", " ".join(r["op"] for r in records if r not in held))
    print("few boxes:", " ".join(few))
    print("few calls:", " ".join(f"{r['op']}={r['calls']}" for r in thin))
    for r in records:
        for call, difference in r["wrong"][:3]:
            print(f"{r['op']}: {call}\n    {difference}")
        for call, difference in r.get("outside", ())[:2]:
            print(f"{r['op']}: outside: {call}\n    {difference}")
        for text in r["not"] if r["wrong"] or r in thin else ():
            print(f"{r['op']}: not evaluated: {text}")
