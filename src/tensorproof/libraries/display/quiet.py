"""Libraries whose calls never touch a tensor: plots, logs, trackers, terminals. Whatever they give is quiet, too."""

from __future__ import annotations

from tensorproof.libraries.model import Run
from tensorproof.libraries.plain import quiet

SPEAKS_FOR = (
    "seaborn", "plotly", "mlflow", "comet_ml", "neptune", "visdom", "termcolor", "colorama", "loguru", "prettytable", "tabulate", "tensorboard", "tensorboardX",
    "tensorboard_logger", "psutil", "GPUtil", "pynvml", "IPython", "gc", "traceback", "faulthandler", "resource", "pprint", "pdb", "ipdb", "pstats",
    "tracemalloc", "torchinfo", "torchsummary", "swanlab", "clearml", "aim", "dvclive", "sacred", "setproctitle", "codecs", "bokeh", "imageio", "moviepy",
    "smtplib", "urllib", "requests", "mpl_toolkits", "git", "gpustat", "nvitop", "humanize", "icecream", "coloredlogs", "structlog", "pyfiglet", "emoji",
    "halo", "torchviz", "graphviz", "netron", "pytz", "dateutil", "arrow", "cpuinfo", "py3nvml", "nvidia_smi", "dotenv", "ipywidgets", "tkinter", "curses",
    "sentry_sdk", "knockknock", "trackio", "altair", "streamlit", "tensorwatch", "hiddenlayer", "colorlog", "colorful", "blessings", "crayons", "http", "ssl",
    "select", "sched", "locale", "gettext", "readline", "doctest", "secrets", "rich", "wandb", "tf.logging", "tf.compat.v1.logging", "tf.io.gfile", "tf.gfile",
)  # fmt: skip


def others(name: str) -> Run | None:
    """Any name is a function without effect."""
    return quiet
