"""Variables of a SavedModel or a MetaGraph have the values of the checkpoint beside it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tensorproof.app.check import check
from tensorproof.app.models.files import model_forms
from tensorproof.app.program import Options
from tensorproof.cli.main import main
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.program.form import Source

GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
node { name: "w" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 3 } dim { size: 1 } } } } }
node { name: "h" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } }
       attr { key: "shared_name" value { s: "scope/h" } } }
node { name: "read" op: "ReadVariableOp" input: "h" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "z" op: "Sqrt" input: "read" attr { key: "T" value { type: DT_FLOAT } } }
"""


def varint(number: int) -> bytes:
    made = b""
    while number > 127:
        made, number = made + bytes([number & 127 | 128]), number >> 7
    return made + bytes([number])


def field(number: int, value: int | bytes) -> bytes:
    """One field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def block(entries: list[tuple[bytes, bytes]]) -> bytes:
    """Entries without shared beginnings, one restart, no compression, a checksum that no one looks at."""
    body = b"".join(varint(0) + varint(len(key)) + varint(len(value)) + key + value for key, value in entries)
    return body + struct.pack("<II", 0, 1)


def table(entries: list[tuple[bytes, bytes]]) -> bytes:
    made = block(entries)
    first = varint(0) + varint(len(made))
    data = made + b"\0" * 5
    index = block([(b"~", first)])
    at = len(data)
    footer = varint(0) + varint(0) + varint(at) + varint(len(index))
    return data + index + b"\0" * 5 + footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def entry(sizes: list[int], offset: int, size: int) -> bytes:
    shape = b"".join(field(2, field(1, n)) for n in sizes)
    return field(1, 1) + field(2, shape) + field(4, offset) + field(5, size)


def written(folder: Path, graph: str = GRAPH, size: int = 12) -> str:
    (folder / "variables").mkdir(parents=True)
    (folder / "saved_model.pbtxt").write_text("meta_graphs { meta_info_def { tags: 'serve' } graph_def { " + graph + " } }")
    entries = [(b"", field(1, 1)), (b"scope/h", entry([2], 12, 8)), (b"w", entry([3, 1], 0, size))]
    (folder / "variables" / "variables.index").write_bytes(table(entries))
    (folder / "variables" / "variables.data-00000-of-00001").write_bytes(struct.pack("<5f", -1.5, 0.0, 2.0, 4.0, 9.0))
    return str(folder)


def ranges(path: str) -> dict[str, tuple[float, float]]:
    (form,) = model_forms(path, Options())
    return {record.span.node: (record.low, record.high) for record in form.records if isinstance(record, Source) and record.span is not None}


def test_variables_have_the_ranges_of_the_checkpoint(tmp_path: Path) -> None:
    path = written(tmp_path / "model")
    assert ranges(path) == {"w": (-1.5, 2.0), "h": (4.0, 9.0)}
    assert check([path])[0].verdict is Verdict.VALID


def test_variables_that_the_graph_moves_on_have_none(tmp_path: Path) -> None:
    more = 'node { name: "step" op: "AssignAdd" input: "w" input: "w" attr { key: "T" value { type: DT_FLOAT } } }'
    assert ranges(written(tmp_path / "model", GRAPH + more)) == {"h": (4.0, 9.0)}


def test_a_variable_of_another_shape_is_left_alone(tmp_path: Path) -> None:
    assert ranges(written(tmp_path / "model", GRAPH.replace("dim { size: 3 } dim { size: 1 }", "dim { size: 3 } dim { size: 7 }"))) == {"h": (4.0, 9.0)}


def test_data_that_is_not_there_is_not_known(tmp_path: Path) -> None:
    path = written(tmp_path / "model")
    (tmp_path / "model" / "variables" / "variables.data-00000-of-00001").unlink()
    assert ranges(path) == {}


def test_a_claim_that_does_not_fit_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path / "model", size=2 << 30)]) == 2
    assert "holds 2,147,483,648 bytes for w, whose shape (3, 1) takes 12" in capsys.readouterr().err


def test_an_index_cut_anywhere_is_read_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "model")
    index = tmp_path / "model" / "variables" / "variables.index"
    whole = index.read_bytes()
    for cut in range(1, len(whole), 7):
        index.write_bytes(whole[cut:])
        assert main(["check", path]) in (0, 2)
        assert "internal" not in capsys.readouterr().err
    for at in range(0, len(whole), 3):
        index.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        assert main(["check", path]) in (0, 2)
        assert "internal" not in capsys.readouterr().err
