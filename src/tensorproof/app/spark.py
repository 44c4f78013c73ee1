"""Spark: a context on a cluster, and this package as an archive for it."""

from __future__ import annotations

import os
import re
import socket
import sys
import zipfile
from pathlib import Path
from typing import Any

import tensorproof
from tensorproof.diagnostics.errors import BadInput

TO_CONNECT = 10.0
SETTINGS = {
    "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF", "spark.task.maxFailures": "8",
}  # fmt: skip


def started(name: str, master: str | None) -> Any:
    """A context on that cluster, or on this machine."""
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError:
        raise BadInput("--engine spark needs pyspark: pip install 'tensorproof[spark]'") from None
    _reached(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = SparkConf().setAppName(name).setMaster(master or "local[*]")
    for key, value in SETTINGS.items():
        settings.setIfMissing(key, value)
    try:
        return SparkContext(conf=settings)
    except Exception as error:
        raise BadInput(f"the Spark cluster {master} cannot be reached: {sentence(error)}") from None


def _reached(master: str | None) -> None:
    """Refuse a master that does not answer, before Spark tries it for a minute."""
    found = re.fullmatch(r"spark://([^:/]+):(\d+)(,.*)?", master or "")
    if found is None:
        return
    try:
        socket.create_connection((found[1], int(found[2])), TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        raise BadInput(f"the Spark cluster {master} cannot be reached: {(getattr(error, 'strerror', None) or str(error)).lower()}") from None


def archive(folder: str) -> str:
    """This package as an archive that workers import: they need NumPy and nothing else."""
    root = Path(tensorproof.__file__).parent
    target = os.path.join(folder, "tensorproof.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(root.rglob("*")):
            if file.suffix in (".py", ".txt", ".toml"):
                packed.write(file, Path("tensorproof") / file.relative_to(root))
    return target


def sentence(error: object) -> str:
    """What Java says first, or Python."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line.lstrip(": ") for line in lines if line.startswith(":")] or lines
    return (lines[0] if lines else type(error).__name__)[:200]
