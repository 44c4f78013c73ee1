"""A real standalone cluster on loopback: a master and two workers, one of which is killed during the run. The result is complete and that of one process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).parents[2] / "examples" / "alexnet.py"
SPACE = [
    f"--param={text}"
    for text in (
        "kernel1=1..12", "stride1=1..8", "padding1=0..7", "kernel2=1..8", "padding2=0..7", "kernel3=1..8", "pool=1..6", "pool_stride=1..4",
    )
]  # fmt: skip
WORKERS = 2


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    port, started = _free_port(), list[subprocess.Popen[bytes]]()

    def start(log: str, *words: str) -> subprocess.Popen[bytes]:
        with (tmp_path / log).open("wb") as out:
            command = [str(home / "bin" / "spark-class"), *words]
            started.append(subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=out, stderr=out, start_new_session=True))
        return started[-1]

    def wait_for(log: str, word: str) -> None:
        end = time.monotonic() + 120
        while word not in (tmp_path / log).read_text("utf-8", "replace"):
            assert time.monotonic() < end, (tmp_path / log).read_text("utf-8", "replace")
            time.sleep(0.2)

    package = "org.apache.spark.deploy"
    try:
        start("master.log", f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        wait_for("master.log", "New state: ALIVE")
        for i in range(WORKERS):
            words = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(tmp_path / f"work{i}")]
            start(f"worker{i}.log", f"{package}.worker.Worker", *words, f"spark://127.0.0.1:{port}")
        for i in range(WORKERS):
            wait_for(f"worker{i}.log", "Successfully registered")
        yield f"spark://127.0.0.1:{port}", started[1:]
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _run(*words: str) -> dict[str, object]:
    command = [sys.executable, "-m", "tensorproof", "space", str(PROGRAM), *SPACE, "--output-format", "json", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    found: dict[str, object] = json.loads(done.stdout)["results"]
    return found


def test_a_worker_is_killed(cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path) -> None:
    master, workers = cluster
    command = [sys.executable, "-m", "tensorproof", "space", str(PROGRAM), *SPACE, "--output-format", "json", "--engine", "spark", "--master", master]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while not list((tmp_path / "work0").glob("app-*/*/stderr")) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(4)
    assert running.poll() is None, "the run ended before a worker could be killed"
    executors = subprocess.run(["pkill", "-KILL", "-f", f"CoarseGrainedExecutorBackend.*{tmp_path / 'work0'}"], capture_output=True)
    os.killpg(workers[0].pid, signal.SIGKILL)
    assert executors.returncode in (0, 1)
    out, errors = running.communicate(timeout=400)
    assert running.returncode == 1, errors
    found, here = json.loads(out)["results"], _run("--jobs", "2")
    assert found["vectors"] == 12 * 8 * 8 * 8 * 8 * 8 * 6 * 4
    assert {key: found[key] for key in ("vectors", "valid", "invalid", "unknown")} == {key: here[key] for key in ("vectors", "valid", "invalid", "unknown")}
    counts = [[(c["code"], c["line"], c["count"]) for c in one["causes"]] for one in (found, here)]
    assert counts[0] == counts[1]


def test_a_cluster_that_is_not_there() -> None:
    words = ["--engine", "spark", "--master", f"spark://127.0.0.1:{_free_port()}"]
    done = subprocess.run([sys.executable, "-m", "tensorproof", "space", str(PROGRAM), *SPACE, *words], capture_output=True, text=True)
    assert done.returncode == 2 and "cannot be reached" in done.stderr and len(done.stderr.strip().splitlines()) == 1 and not done.stdout
