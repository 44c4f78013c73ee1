"""Whatever is not a GraphDef is refused with one sentence, quickly and in little memory."""

from __future__ import annotations

import gzip
import random
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.graphdef import parse, read
from tensorproof.frontends.protobuf.opening import load
from tensorproof.frontends.protobuf.schema import Malformed
from tests.unit.test_graphdef_reading import BINARY, FUNCTION, TEXT, attr, field, shape


def sentence(path: Path) -> str:
    with pytest.raises(BadInput) as refused:
        read(path)
    said = str(refused.value)
    assert said.endswith(".") and "\n" not in said and str(path.parent) in said
    return said


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "is empty"),
        (b"hello world", "not a readable"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "not a readable"),
        (b"\x80\x02}q\x00.", "not a readable"),
        (b'layer { name: "conv" }', "begins with a field layer"),
        (b'node { name: "a" op: "B" } layer { }', "a field layer, which no GraphDef has, on line 1"),
        (b'node { name: "a" op: "B"', "ends before its messages are closed, on line 1"),
        (b'node { name: "a" op: "B" } }', "closes nothing"),
        (b'node { name: "a" op: "B" >', "closes nothing"),
        (b'node { name: 7 op: "B" }', "has 7 where name takes another value, on line 1"),
        (b'node {\n name: "a"\n op: \n}', "has no value for op on line 4"),
        (b'node { name: "a\n" op: "B" }', "on line 1"),
        (b'node { name: "a" }', "without a name or an operation"),
        (b'node { name: "a" op: "B" } node { name: "a" op: "C" }', "two nodes named a"),
        (b'node { name: "a" op: "B" input: "gone" }', "a node a that reads gone"),
        (b'node { name: "a" op: "B" input: "^gone" }', "a node a that waits for gone"),
        (b'node { name: "a" op: "B" input: "a:b" }', "names no output"),
        (rb'node { name: "a" op: "B" attr { key: "s" value { s: "\q" } } }', "impossible escape"),
        (rb'node { name: "a" op: "B" attr { key: "s" value { s: "\777" } } }', "impossible escape"),
        (
            b'node { name: "a" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_content: "abc" } } } }',
            "a constant of 3 bytes where its shape () takes 4",
        ),
        (
            b'node { name: "a" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 int_val: [1, 2] } } } }',
            "a constant of 2 elements where its shape () takes 1",
        ),
        (
            b'node { name: "a" op: "Const" attr { key: "value" value { tensor { tensor_shape { dim { size: -1 } } } } } }',
            "whose shape is not fully known",
        ),
        (field(1, 8) + field(7, b"graph"), "a field 7, which no SavedModel has"),
        (field(1, 1), "holds no graph"),
        (b"\x0a\x7f" + b"\x0a\x01a", "ends in the middle of a field of GraphDef"),
        (b"\x0a" + b"\xff" * 12, "a number of more than ten bytes"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(data: bytes, part: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pb"
    path.write_bytes(data)
    assert part in sentence(path)


def test_missing_files_and_wrong_directories_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in sentence(tmp_path / "none.pb")
    assert "without a saved_model.pb" in sentence(tmp_path)


def test_damaged_gzip_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.pbtxt.gz"
    packed = gzip.compress(TEXT.encode())
    path.write_bytes(packed[:-20])
    assert "truncated gzip" in sentence(path)
    path.write_bytes(packed[:30] + b"\xff\xff" + packed[32:])
    assert "damaged gzip" in sentence(path)
    path.write_bytes(gzip.compress(b""))
    assert "is empty" in sentence(path)


def test_gzip_of_several_members_reads_whole(tmp_path: Path) -> None:
    path = tmp_path / "model.pbtxt.gz"
    path.write_bytes(gzip.compress(b'node { name: "a" ') + gzip.compress(b'op: "B" }'))
    assert list(read(path).nodes) == ["a"]


def test_a_gzip_bomb_stops_at_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    packer = zlib.compressobj(9, wbits=31)
    path.write_bytes(b"".join(packer.compress(b"\0" * (1 << 20)) for _ in range(64)) + packer.flush())
    with pytest.raises(BadInput, match="unpacks to more than"):
        load(path, most_unpacked=8 << 20)


def test_files_above_the_size_bound_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.pb"
    path.write_bytes(b"x" * 100)
    with pytest.raises(BadInput, match="more than the 99"):
        load(path, most_bytes=99)


def test_nesting_is_bounded_in_text_and_binary() -> None:
    deep = "func { attr { key: 'a' value { " * 60
    with pytest.raises(Malformed, match="deeper than"):
        parse(f'node {{ name: "n" op: "O" attr {{ key: "a" value {{ {deep}'.encode())
    with pytest.raises(Malformed, match="deeper than"):
        parse(b'node { name: "n" op: "O" unknown ' + b"{ a " * 5000)
    value = b""
    for _ in range(200):
        value = field(10, field(2, field(1, "a") + field(2, value)))
    with pytest.raises(Malformed, match="deeper than"):
        parse(field(1, field(1, "n") + field(2, "O") + attr("a", value)))


def test_a_file_cut_anywhere_is_read_or_refused() -> None:
    for data in (TEXT.encode(), BINARY, FUNCTION.encode()):
        for length in range(1, len(data)):
            with suppress(Malformed):
                parse(data[:length])


def test_a_file_changed_anywhere_is_read_or_refused() -> None:
    random_numbers = random.Random(0)
    example = BINARY + field(2, field(1, field(1, field(1, "f")) + field(3, field(1, "n") + field(2, "O") + attr("s", field(7, shape(2))))))
    for data in (TEXT.encode(), example, FUNCTION.encode()):
        for _ in range(2000):
            changed = bytearray(data)
            for _ in range(random_numbers.randint(1, 3)):
                changed[random_numbers.randrange(len(changed))] = random_numbers.randrange(256)
            with suppress(Malformed):
                parse(bytes(changed))
