"""The graphs beside the repository give a program form without gaps, in which nearly every node has a rule for values."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tensorproof.app.models.check import graphs
from tensorproof.app.models.files import of_graph
from tensorproof.program.form import computed
from tensorproof.terms.ints import begin_file

GRAPHS = Path(os.environ.get("GRAPHS", Path(__file__).parents[3] / "shared" / "graphs"))
LEAST = 0.995
UNREAD = frozenset(["graphdef.FusedBatchNormV3"])
"""Its last results are memory that only its own gradient reads; the others have a rule."""


@pytest.mark.slow
@pytest.mark.skipif(not GRAPHS.is_dir(), reason="the graphs are not beside the repository")
def test_nearly_every_node_has_a_rule_for_values() -> None:
    nodes, without = 0, Counter[str]()
    for path in sorted(GRAPHS.glob("*/*.gz")):
        begin_file()
        (graph,) = graphs(str(path))
        form, _ = of_graph(str(path), graph, {})
        assert not form.gaps, path
        nodes += len(graph.nodes)
        found = {(one.span.node, one.applied.spelling, one.applied.op) for one in computed(form.records)}
        lacking = {(node, spelling, op) for node, spelling, op in found if op.evaluate is None and not op.random and spelling not in UNREAD}
        assert all(op.opaque for _, _, op in lacking), lacking  # the declaration says why
        without.update(spelling for _, spelling, _ in lacking)
    assert without.total() <= (1 - LEAST) * nodes, without
