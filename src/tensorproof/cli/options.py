"""The options of each command, read with `argparse`: a program that is checked mostly needs it too, and it starts fast."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from tensorproof.diagnostics.errors import BadInput

vars(argparse)["_"] = str  # its texts need no translation: looking for one loads `locale`
FORMATS = ("full", "concise", "json")


class Parser(argparse.ArgumentParser):
    """Complains by `BadInput`."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(
            prog=prog, description=description, allow_abbrev=False, formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=32, width=110)
        )

    def error(self, message: str) -> NoReturn:
        raise BadInput(message)

    def several(self, flag: str, dest: str, metavar: str, text: str) -> None:
        """An option that may be given more than once."""
        self.add_argument(flag, dest=dest, action="append", metavar=metavar, help=text)


def check(parser: Parser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="Python files, directories of them, or saved models (ONNX, GraphDef, SavedModel); the program's arguments follow after --",
    )
    parser.add_argument("--entry", metavar="FILE.py::Name", help="enter this module instead of running the program")
    _inputs(parser)
    parser.several("--data", "data", "NAME=COUNTx(SIZES)", "a dataset: how many samples, and what one is, such as Photos=5000x(3,224,224),int64()")
    parser.several("--vary", "vary", "NAME", "try every value of this command-line argument or configuration value, not only its default")
    _imports(parser)
    _target(parser)
    _format(parser)
    parser.several("--select", "select", "CODE", "only findings of this code or prefix")
    parser.several("--ignore", "ignore", "CODE", "leave out findings of this code or prefix")
    parser.add_argument("--fail-on", choices=("error", "warning", "unknown"), default="error", help="what makes the exit status 1")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", default="20", help="how long one file may take, counted in steps (10,000 a second); then what was found is shown"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="findings only, no closing line")
    parser.add_argument("-v", "--verbose", action="store_true", help="also list every call that was not understood")


def infer(parser: Parser) -> None:
    parser.add_argument("target", metavar="FILE[::Name]")
    _inputs(parser)
    _imports(parser)
    _format(parser)


def numerics(parser: Parser) -> None:
    parser.add_argument("paths", nargs="*", metavar="MODEL|FILE.py", help="a saved model or a Python file; the program's arguments follow after --")
    parser.several("--range", "range", "NAME=LO:HI", "between which numbers an input or parameter lies; the name may hold *")
    parser.add_argument("--ranges", metavar="FILE.toml", help='ranges in a file: x = [0, 1], "layer/kernel" = [-1, 1]')
    parser.add_argument("--unbounded-weights", action="store_true", help="assume nothing of parameters")
    parser.add_argument("--unbounded-inputs", action="store_true", help="assume nothing of inputs")
    parser.add_argument("--dtype", metavar="float64|float32|float16|bfloat16", help="the element type in which real numbers are computed")
    parser.add_argument("--tensors", choices=("smash", "partition", "expand"), default="partition", help="one interval for a tensor, a block or an element")
    parser.add_argument("--values", choices=("interval", "affine"), default="affine", help="intervals alone, or equalities between tensors as well")
    parser.add_argument("--confirm", action="store_true", help="run the program or model in a child process until it shows what may happen, and write scripts")
    parser.add_argument("--witness", metavar="NAME", help="with --confirm: how the names of the written files begin; witness_ and the model's name by default")
    parser.add_argument("--fix", action="store_true", help="propose changes of source lines after which the operations are proved safe")
    parser.add_argument("--html", metavar="FILE.html", help="also write the report as a page with a picture of the graph (pip install 'tensorproof[html]')")
    parser.add_argument("--entry", metavar="FILE.py::Name", help="enter this module instead of running the program")
    _inputs(parser)
    _imports(parser)
    _format(parser)
    parser.several("--select", "select", "CODE", "only findings of this code or prefix")
    parser.several("--ignore", "ignore", "CODE", "leave out findings of this code or prefix")
    parser.add_argument("--fail-on", choices=("error", "warning", "unknown"), default="error", help="what makes the exit status 1")
    parser.add_argument("--time-limit", metavar="SECONDS", default="20", help="how long reading and analysis may take each; then what was found is shown")
    parser.add_argument("-q", "--quiet", action="store_true", help="findings only")
    parser.add_argument("-v", "--verbose", action="store_true", help="also list the operations that are proved safe, and every call that was not understood")


def space(parser: Parser) -> None:
    words = "a Python file, a saved model or a space; the program's arguments follow after --"
    parser.add_argument("paths", nargs="*", metavar="FILE.py|MODEL|SPACE.toml", help=words)
    parser.several("--param", "param", "NAME=VALUES", "a parameter: kernel=1..11, width=64..1024:64, act=relu,gelu, conv1.strides=1,2 of a model")
    parser.add_argument("--entry", metavar="FILE.py::Name", help="call this class or function with the parameters, instead of running the program")
    parser.several("--input", "inputs", "NAME=SHAPE", "an input of the entry, such as x=8,3,size,size; a size may be a parameter")
    parser.several("--data", "data", "NAME=COUNTx(SIZES)", "a dataset: how many samples, and what one is, such as Photos=5000x(3,224,224),int64()")
    parser.add_argument("--mode", choices=("vectorised", "individual", "bulk"), help="arrays, a question to Z3 for each vector, or its enumeration")
    parser.add_argument("--strict", action="store_true", help="what runs and is wrong all the same is invalid: a stride above the kernel skips data")
    parser.add_argument("--list", metavar="FILE.csv|.parquet", help="write every vector with its verdict")
    parser.add_argument("--engine", default="local", metavar="local|spark", help="decide here, or on a Spark cluster")
    parser.add_argument("--master", metavar="URL", help="the cluster, such as spark://host:7077")
    parser.add_argument("--jobs", default="1", metavar="N", help="how many local processes decide vectors")
    parser.add_argument("--plot", metavar="A,B", help="draw the valid region over two parameters")
    parser.add_argument("--plot-file", metavar="FILE.png|.svg|.html", default="space.png", help="where the picture is written")
    _imports(parser)
    _format(parser)
    parser.add_argument("--fail-on", choices=("error", "unknown"), default="error", help="what makes the exit status 1")
    parser.add_argument("--time-limit", metavar="SECONDS", default="20", help="how long one analysis of the program may take, counted in steps")
    parser.add_argument("-q", "--quiet", action="store_true", help="the exit status alone")


def library(parser: Parser) -> None:
    parser.add_argument("library", metavar="torch|tensorflow|keras", help="the installed library; tensorflow includes Keras")
    parser.several("--rule", "rule", "RULE", "only this rule")
    parser.add_argument("--rules", action="store_true", help="list the rules")
    parser.several("--api", "api", "GLOB", "only public names that match, such as torch.nn.*, tf.math.* or keras.layers.Conv?D")
    parser.add_argument("--budget", metavar="TIME", help="stop after this time, such as 90s, 10m or 2h; 5m by default")
    parser.add_argument("--calls", metavar="N", help="stop after about so many generated calls; the same seed then gives the same findings")
    parser.add_argument("--seed", default="0", metavar="N", help="what is drawn depends on it alone")
    parser.add_argument("--store", metavar="FILE", help="keep the campaign in this file; the same command goes on where it was stopped")
    parser.add_argument("--report", metavar="DIR", help="write a Markdown report and a script for each group, and an HTML page of all")
    parser.add_argument("--engine", default="local", metavar="local|spark", help="run here, or on a Spark cluster")
    parser.add_argument("--master", metavar="URL", help="the cluster, such as spark://host:7077")
    parser.add_argument("--jobs", default="1", metavar="N", help="how many worker processes")
    _format(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="the exit status alone")


def explain(parser: Parser) -> None:
    parser.add_argument("code", metavar="CODE")


def ops(parser: Parser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME")
    _format(parser)


def _inputs(parser: Parser) -> None:
    parser.several("--input", "inputs", "NAME=SHAPE", "the shape of an input, such as x=8,3,H,W")


def _imports(parser: Parser) -> None:
    parser.add_argument("--python", dest="environment", metavar="ENV", help="the environment whose packages the program imports (a folder)")
    parser.several("--path", "path", "DIR", "another folder from which the program imports")


def _target(parser: Parser) -> None:
    parser.add_argument(
        "--target",
        metavar="LIBRARY=VERSION,…",
        help="the versions that the program is written for, such as torch=1.13 (else the environment's)",
    )


def _format(parser: Parser) -> None:
    parser.add_argument("--output-format", default="full", metavar="|".join(FORMATS), help="how to print")


LATER = ("--checkpoint",)


def read(command: str, description: str, declare: Callable[[Parser], None], words: list[str], settings: dict[str, Any]) -> argparse.Namespace:
    """The options of a command; what is not given comes from the configuration."""
    parser = Parser(f"tensorproof {command}", description)
    declare(parser)
    parser.add_argument("--config", metavar="FILE", help="the configuration, in place of the nearest pyproject.toml")
    parser.set_defaults(**{name: value for name, value in settings.items() if not isinstance(value, list)})
    later = next((word for word in words if word.partition("=")[0] in LATER), None)
    if later is not None:
        raise BadInput(f"the option {later.partition('=')[0]} is not built yet")
    if not any(word.startswith("-") and "h" in word for word in words):
        parser.usage = ""  # only help shows it, and to make it takes longer than to read the options
    found = parser.parse_intermixed_args(words)
    for name, value in settings.items():
        if isinstance(value, list) and getattr(found, name, None) is None:
            setattr(found, name, value)
    if getattr(found, "output_format", "full") not in FORMATS:
        raise BadInput(f"the output format {found.output_format} is not built yet; there are {', '.join(FORMATS)}")
    return found


def chosen(code: str, select: list[str], ignore: list[str]) -> bool:
    """Whether a finding's code is among those that --select and --ignore leave."""

    def names(rule: str) -> bool:
        return code == rule or code.startswith(rule.rstrip("/") + "/")

    return (not select or any(map(names, select))) and not any(map(names, ignore))
