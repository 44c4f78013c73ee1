"""Exported programs of torch (`.pt2`): graphs, weights, verdicts, and files that are none."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.check import check
from tensorproof.app.models.files import model_forms
from tensorproof.app.program import Options
from tensorproof.cli.main import main
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.shapes.propagate import propagate
from tensorproof.frontends import export
from tensorproof.graph import Constant
from tensorproof.program.form import Join, Loop, Same, Source, computed
from tests.unit.exported_programs import LONG, linear, meta, node, program, tensor, write


def test_a_linear_layer_is_proved(tmp_path: Path) -> None:
    path = write(tmp_path / "net.pt2", linear())
    assert check([path])[0].verdict is Verdict.VALID
    graph = export.read(path)
    assert graph.inputs == ("x",)
    assert repr(propagate(graph).outputs["y"][0].shape) == "(s0, 5)"


def test_a_mismatch_stands_at_its_node_and_names_the_line_of_the_program(tmp_path: Path) -> None:
    found = check([write(tmp_path / "net.pt2", linear(weight=4))])[0]
    assert [d.code for d in found.diagnostics] == ["linear/features"]
    assert found.diagnostics[0].span.node == "y"
    assert [(s.span.path, s.span.line) for s in found.diagnostics[0].trail][-1] == ("/home/me/train.py", 12)


def test_weights_are_read_when_small_and_kept_for_later_when_large(tmp_path: Path) -> None:
    given = linear()
    small = export.read(write(tmp_path / "a.pt2", given, {"l.weight": ([5, 3], [float(i) for i in range(15)])})).nodes["p_w"].attributes
    assert isinstance(small["value"], Constant)
    assert small["value"].contents() == tuple(float(i) for i in range(15))
    assert (small["role"], small["target"]) == ("parameter", "l.weight")
    missing = export.read(write(tmp_path / "b.pt2", given)).nodes["p_w"].attributes["value"]
    assert isinstance(missing, Constant)
    assert missing.missing


def test_a_large_weight_is_read_late(tmp_path: Path) -> None:
    values = {"x": meta([2, 1000]), "p_w": meta([8, 1000]), "y": meta([2, 8])}
    nodes = [node("torch.ops.aten.linear.default", [tensor("x"), tensor("p_w")], ["y"])]
    given = program(nodes, values, ["p_w", "x"], ["y"], {"p_w": "w"})
    held = export.read(write(tmp_path / "net.pt2", given, {"w": ([8, 1000], [0.5] * 8000)})).nodes["p_w"].attributes["value"]
    assert isinstance(held, Constant)
    assert held.raw is None
    assert len(held.encoded() or b"") == 32_000


def test_gzipped_archives_are_read(tmp_path: Path) -> None:
    plain = write(tmp_path / "net.pt2", linear())
    packed = tmp_path / "net.pt2.gz"
    packed.write_bytes(gzip.compress(Path(plain).read_bytes()))
    assert check([str(packed)])[0].verdict is Verdict.VALID


def test_symbolic_numbers_are_computed(tmp_path: Path) -> None:
    values = {"x": meta(["s0", 4]), "y": meta(["2*s0", 2])}
    size = node("torch.ops.aten.sym_size.int", [tensor("x"), 0], []) | {"outputs": [{"as_sym_int": {"as_name": "n"}}], "name": "n"}
    twice = node("_operator.mul", [{"as_sym_int": {"as_name": "n"}}, {"as_int": 2}], []) | {"outputs": [{"as_sym_int": {"as_name": "m"}}], "name": "m"}
    view = node("torch.ops.aten.view.default", [tensor("x"), {"as_sym_ints": [{"as_name": "m"}, {"as_int": 2}]}], ["y"])
    given = program([size, twice, view], values, ["x"], ["y"])
    graph: dict[str, Any] = given["graph_module"]["graph"]
    graph["sym_int_values"] = {"n": {"as_expr": {"expr_str": "s0"}}, "m": {"as_expr": {"expr_str": "2*s0"}}}
    path = write(tmp_path / "net.pt2", given)
    assert check([path])[0].verdict is Verdict.VALID
    view["inputs"][1]["arg"] = {"as_sym_ints": [{"as_name": "m"}, {"as_int": 3}]}
    assert check([write(tmp_path / "wrong.pt2", given)])[0].verdict is Verdict.INVALID


def branches(then: str) -> dict[str, Any]:
    """`cond(p, then, cos, (x,))`."""

    def body(name: str, target: str) -> dict[str, Any]:
        inner = program([node(target, [tensor("u")], ["v"])], {"u": meta([2, 3]), "v": meta([2, 3])}, ["u"], ["v"])["graph_module"]["graph"]
        return {"as_graph": {"name": name, "graph": inner}}

    values = {"p": meta([], 12), "x": meta([2, 3]), "y": meta([2, 3])}
    inputs = [tensor("p"), body("yes", then), body("no", "torch.ops.aten.cos.default"), [tensor("x")]]
    return program([node("torch.ops.higher_order.cond", inputs, ["y"])], values, ["p", "x"], ["y"])


def test_branches_join_in_the_program_form(tmp_path: Path) -> None:
    found = propagate(export.read(write(tmp_path / "net.pt2", branches("torch.ops.aten.sin.default"))))
    assert [c.applied.op.name for c in computed(found.program.records)] == ["sin", "cos"]
    assert any(isinstance(record, Join) and record.result is found.outputs["y"][0] for record in found.program.records)


def test_loops_are_loops_in_the_program_form(tmp_path: Path) -> None:
    step = program([node("torch.ops.aten.exp.default", [tensor("u")], ["v"])], {"u": meta([3]), "v": meta([3])}, ["u"], ["v"])["graph_module"]["graph"]
    test = program([node("torch.ops.aten.sum.default", [tensor("a")], ["b"])], {"a": meta([3]), "b": meta([])}, ["a"], ["b"])["graph_module"]["graph"]
    graphs = [{"as_graph": {"name": name, "graph": graph}} for name, graph in (("test", test), ("step", step))]
    given = program([node("torch.ops.higher_order.while_loop", [*graphs, [tensor("x")]], ["y"])], {"x": meta([3]), "y": meta([3])}, ["x"], ["y"])
    found = propagate(export.read(write(tmp_path / "net.pt2", given)))
    assert sum(isinstance(record, Loop) for record in found.program.records) == 1
    assert repr(found.outputs["y"][0].shape) == "(3,)"


def test_a_write_in_place_changes_what_shares_its_memory(tmp_path: Path) -> None:
    values = {name: meta([6]) for name in ("c", "d", "e")} | {"x": meta([2, 3]), "v": meta([6])}
    nodes = [
        node("torch.ops.aten.clone.default", [tensor("x")], ["c"]),
        node("torch.ops.aten.view.default", [tensor("c"), [6]], ["v"]),
        node("torch.ops.aten.exp_.default", [tensor("v")], ["d"]),
        node("torch.ops.aten.log.default", [tensor("c")], ["e"]),
    ]
    found = propagate(export.read(write(tmp_path / "net.pt2", program(nodes, values, ["x"], ["e"]))))
    changed = [record.result for record in found.program.records if isinstance(record, Join) and record.options == (None,)]
    assert [one is found.outputs["c"][0] for one in changed] == [True]
    assert found.outputs["v"][0] is found.outputs["d"][0] or found.outputs["v"][0] == found.outputs["d"][0]


def test_a_write_inside_of_a_region_changes_what_is_outside(tmp_path: Path) -> None:
    inner = program([node("torch.ops.aten.exp_.default", [tensor("u")], ["v"])], {"u": meta([3]), "v": meta([3])}, ["u"], ["v"])["graph_module"]["graph"]
    nodes = [
        node("torch.ops.aten.neg.default", [tensor("x")], ["c"]),
        node("torch.ops.higher_order.wrap_with_set_grad_enabled", [False, {"as_graph": {"name": "g", "graph": inner}}, tensor("c")], ["d"]),
        node("torch.ops.aten.log.default", [tensor("c")], ["e"]),
    ]
    found = propagate(export.read(write(tmp_path / "net.pt2", program(nodes, {name: meta([3]) for name in "xcde"}, ["x"], ["e"]))))
    changed = [record.result for record in found.program.records if isinstance(record, Join) and record.options == (None,)]
    (log,) = [one.applied for one in computed(found.program.records) if one.applied.op.name == "log"]
    assert any(log.arguments["x"] is one for one in changed)


def test_each_result_is_linked_to_its_operator(tmp_path: Path) -> None:
    nodes = [node("torch.ops.aten.exp.default", [tensor("x")], ["y"]), node("torch.ops.aten.log.default", [tensor("y")], ["z"])]
    found = propagate(export.read(write(tmp_path / "net.pt2", program(nodes, {name: meta([3]) for name in "xyz"}, ["x"], ["z"]))))
    same = {id(record.source): record.result for record in found.program.records if isinstance(record, Same)}
    exp, log = (one.applied for one in computed(found.program.records))
    assert log.arguments["x"] is same.get(id(exp.results[0]), exp.results[0])
    assert found.outputs["z"][0] is same.get(id(log.results[0]), log.results[0])
    assert exp.arguments["x"] is found.outputs["x"][0]


def test_large_weights_have_their_range_in_the_form(tmp_path: Path) -> None:
    values = {"x": meta([2, 1000]), "p_w": meta([8, 1000]), "y": meta([2, 8])}
    nodes = [node("torch.ops.aten.linear.default", [tensor("x"), tensor("p_w")], ["y"])]
    given = program(nodes, values, ["p_w", "x"], ["y"], {"p_w": "w"})
    (form,) = model_forms(write(tmp_path / "net.pt2", given, {"w": ([8, 1000], [0.5] * 7999 + [-2.0])}), Options())
    (held,) = [record for record in form.records if isinstance(record, Source)]
    assert (held.low, held.high) == (-2.0, 0.5)
    (linear,) = computed(form.records)
    assert linear.applied.arguments["weight"] is held.tensor
    assert form.names[id(linear.applied.arguments["x"])] == ["x"]


def test_contracts_of_saved_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["infer", write(tmp_path / "net.pt2", linear())]) == 0
    assert capsys.readouterr().out.strip() == "net: x (s0, 3) → (s0, 5)"
    assert main(["infer", write(tmp_path / "wrong.pt2", linear(weight=4))]) == 1


def test_numerics_of_a_saved_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def root(scale: float) -> str:
        nodes = [node("torch.ops.aten.linear.default", [tensor("x"), tensor("p_w")], ["y"]), node("torch.ops.aten.sqrt.default", [tensor("y")], ["z"])]
        given = program(nodes, {"x": meta([2, 2]), "p_w": meta([1, 2]), "y": meta([2, 1]), "z": meta([2, 1])}, ["p_w", "x"], ["z"], {"p_w": "w"})
        return write(tmp_path / f"net{scale}.pt2", given, {"w": ([1, 2], [scale, 1.0])})

    assert main(["numerics", root(2.0), "--range", "x=0:1"]) == 0
    assert main(["numerics", root(-2.0), "--range", "x=0:1"]) == 1 or "possible" in capsys.readouterr().out
    capsys.readouterr()
    main(["numerics", root(2.0), "--range", "x=0:1", "--unbounded-weights"])
    assert "0 proved safe" in capsys.readouterr().out


def test_an_operator_that_is_not_known_is_a_gap(tmp_path: Path) -> None:
    values = {"x": meta([3]), "y": meta([3])}
    given = program([node("torch.ops.mylib.fancy.default", [tensor("x")], ["y"])], values, ["x"], ["y"])
    found = check([write(tmp_path / "net.pt2", given)])[0]
    assert found.verdict is Verdict.UNKNOWN
    assert [g.callee for g in found.gaps] == ["mylib.fancy.default"]


def test_results_of_an_operator_that_is_not_known_have_no_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [node("torch.ops.aten.neg.default", [tensor("x")], ["v"]), node("torch.ops.mylib.fancy.default", [tensor("x")], ["y"])]
    nodes.append(node("torch.ops.aten.sqrt.default", [tensor("y")], ["z"]))
    nodes.append(node("torch.ops.aten.log.default", [tensor("x")], ["w"]))  # it may have written into x
    path = write(tmp_path / "net.pt2", program(nodes, {name: meta([3]) for name in "xyzwv"}, ["x"], ["z", "w", "v"]))
    assert main(["numerics", path, "--range", "x=1:2"]) == 0
    said = capsys.readouterr().out
    assert "proved safe" not in said or "0 proved safe" in said
    assert "mylib.fancy.default" in said


@pytest.mark.parametrize("change", ["claims", "bomb", "members"])
def test_archives_are_bounded(tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorproof.frontends.archive.MOST_BYTES", 1 << 16)
    monkeypatch.setattr("tensorproof.frontends.archive.MOST_MEMBERS", 50)
    monkeypatch.setattr("tensorproof.frontends.archive.Archive.read.__defaults__", (1 << 16,), raising=False)
    path = tmp_path / "net.pt2"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("net/models/model.json", b" " * (1 << 20))
        for i in range(60 if change == "members" else 0):
            archive.writestr(f"net/{i}", b"")
    with pytest.raises(BadInput) as refused:
        export.read(path)
    assert "that are read" in str(refused.value) or "members" in str(refused.value)


def broken(change: str) -> Any:
    given = linear()
    graph = given["graph_module"]["graph"]
    match change:
        case "no graph":
            del given["graph_module"]["graph"]
        case "not json":
            return b"{"
        case "deep":
            return b"[" * 100_000
        case "a list":
            return b"[]"
        case "unknown value":
            graph["nodes"][0]["inputs"][0]["arg"] = tensor("nothing")
        case "circle":
            graph["nodes"][0]["inputs"][0]["arg"] = tensor("y")
        case "twice":
            graph["nodes"].append(graph["nodes"][0])
        case "negative size":
            graph["tensor_values"]["x"]["sizes"][1] = {"as_int": -3}
        case "size of text":
            graph["tensor_values"]["x"]["sizes"][1] = {"as_int": "three"}
        case "no target":
            del graph["nodes"][0]["target"]
        case "argument":
            graph["nodes"][0]["inputs"][0]["arg"] = {"as_int": "x"}
        case "newer":
            given["schema_version"] = {"major": 99, "minor": 0}
        case "range":
            given["range_constraints"] = {"s0": {"min_val": 9, "max_val": 2}}
    return json.dumps(given)


@pytest.mark.parametrize(
    "change",
    [
        "no graph", "not json", "deep", "a list", "unknown value", "circle", "twice", "negative size", "size of text", "no target", "argument", "newer",
        "range",
    ],
)  # fmt: skip
def test_malformed_programs_are_one_sentence(tmp_path: Path, change: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "net.pt2", broken(change))
    assert main(["check", path]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith(f"tensorproof: {path} is not a readable exported program: it ")
    assert "\n" not in said
    assert "internal" not in said


def test_a_weight_that_is_shorter_than_its_claim_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", write(tmp_path / "net.pt2", linear(), {"l.weight": ([5, 3], [0.0] * 4)})]) == 2
    assert "holds 16 bytes for l.weight, whose shape (5, 3) takes 60" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 cut off", b"\x80\x02pickle"])
def test_foreign_files_are_one_sentence(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.pt2"
    path.write_bytes(content)
    assert main(["check", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


def test_element_types_of_inputs_are_kept(tmp_path: Path) -> None:
    values = {"i": meta([4], LONG), "p_e": meta([10, 3]), "y": meta([4, 3])}
    given = program([node("torch.ops.aten.embedding.default", [tensor("p_e"), tensor("i")], ["y"])], values, ["p_e", "i"], ["y"], {"p_e": "e.weight"})
    assert check([write(tmp_path / "net.pt2", given)])[0].verdict is Verdict.VALID
    given["graph_module"]["graph"]["tensor_values"]["i"]["dtype"] = 7
    assert check([write(tmp_path / "wrong.pt2", given)])[0].verdict is Verdict.INVALID
