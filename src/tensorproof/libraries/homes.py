"""Which file models which names: the longest dotted prefix decides. A file is loaded when one of its names is used."""

from __future__ import annotations

from tensorproof.libraries.tf1_homes import FILES as TF1
from tensorproof.libraries.tf2_homes import FILES as TF2

FILES = {
    "torch": "torch_core", "torch.save": "torch_files", "torch.load": "torch_files", "torch.nn.LinearCrossEntropyOptions": "torch_core",
    "torch.nn": "torch_nn", "torch.nn.utils": "torch_core", "torch.nn.init": "torch_core", "torch.nn.parallel": "torch_nn",
    "torch.utils.data": "torch_data", "torch.utils": "torch_core", "torch.optim": "torch_optim", "torch.cuda": "torch_core", "torch.amp": "torch_core",
    "torch.Tensor": "torch_core", "torch.Tensor.tolist": "sequences", "numpy.ndarray.tolist": "sequences",
    "torch.randint": "sequences", "torch.bincount": "sequences",
    "torch.Tensor.bincount": "sequences", "torch.sort": "sequences", "torch.Tensor.sort": "sequences", "sequence": "sequences",
    **{f"torch.distributed.{w}": "torch_distributed" for w in (
        "all_reduce", "broadcast", "reduce", "send", "recv", "isend", "irecv", "all_gather", "all_gather_object", "broadcast_object_list", "get_backend",
        "new_group", "is_torchelastic_launched", "is_nccl_available", "Work")},
    "torch.distributions": "torch_distributions", "torchvision": "torchvision_data",
    **dict.fromkeys((
        "torch.autograd.grad", "torch.autograd.backward", "torch.autograd.Variable", "torch.autograd.variable", "torch.autograd.functional",
        "torch.autograd.Function", "torch.autograd.function", "torch.func", "torch.vmap", "torch.nn.utils.stateless",
    ), "torch_autograd"),
    "torchvision.transforms": "torchvision_transforms", "argparse": "python_arguments",
    "inspect": "python_inspect", "tensorproof": "told_data", "asyncio": "python_functions",
    "functools": "python_functions", "contextlib": "python_contexts", "operator": "python_operators",
    "itertools": "python_iterators",
    "collections": "python_collections", "builtins": "python_collections", "dataclasses": "python_classes", "enum": "python_enums", "typing": "python_typing",
    "abc": "python_typing",
    "typing_extensions": "python_typing", "numbers": "python_typing",
    **{f"numpy.{w}": "numpy_numbers"
        for w in ("ceil", "floor", "trunc", "fix", "rint", "round", "around", "sqrt", "log", "log2", "log10", "exp", "issubdtype")},
    "numpy.reshape": "pandas_shapes", "numpy.ndarray.reshape": "pandas_shapes", "random": "python_random", "numpy": "numpy_core", "os": "python_system",
    "sys": "python_system", "time": "python_system", "pathlib": "python_paths",
    "json": "python_files", "yaml": "python_files", "toml": "python_files", "tomllib": "python_files", "pickle": "python_files", "csv": "python_csv",
    "logging": "python_system", "warnings": "python_system", "copy": "python_copies", "math": "python_operators", "tqdm": "progress", "PIL": "images",
    **TF1, **TF2,
    "keras": "keras_core", "keras.layers": "keras_layers_home", "keras.word": "keras_words", "keras.backend": "keras_backend", "keras.utils": "keras_utils",
    "keras.initializers": "keras_words", "keras.regularizers": "keras_words", "keras.constraints": "keras_words", "keras.activations": "keras_words",
    "tf.initializers": "keras_words", "keras.datasets": "keras_datasets", "keras.losses": "keras_losses_model", "keras.metrics": "keras_metrics",
    "keras.callbacks": "keras_callbacks", "keras.compiled": "keras_compile", "keras.History": "keras_training", "keras.logs": "keras_callbacks",
    "keras.preprocessing.text": "keras_tokenizer", "keras.words": "keras_tokenizer", "keras.objects": "keras_arrays", "keras.word_pairs": "keras_tokenizer",
    "keras.preprocessing.sequence": "keras_arrays", "keras.preprocessing.image": "keras_generators", "keras.image_batches": "keras_generators",
    **{f"keras.utils.{w}": "keras_directories" for w in (
        "image_dataset_from_directory", "text_dataset_from_directory", "audio_dataset_from_directory", "timeseries_dataset_from_array", "split_dataset")},
    "keras.utils.PyDataset": "keras_generators", "keras.utils.Sequence": "keras_generators",
    "keras.preprocessing.sequence.TimeseriesGenerator": "keras_generators",
    **{f"keras.utils.{w}": "keras_arrays" for w in ("to_categorical", "normalize", "pad_sequences", "pack_x_y_sample_weight", "unpack_x_y_sample_weight")},
    "keras.config": "keras_backend", "keras.mixed_precision": "keras_backend", "keras.DTypePolicy": "keras_backend",
    "keras.dtype_policies": "keras_backend", "keras.saving": "keras_utils", "keras.models": "keras_utils", "keras.models.load_model": "keras_saving",
    "keras.src.api_export": "keras_utils",
    "keras.ops": "keras_operations", "keras.random": "keras_operations", "keras.seed": "keras_operations", "keras.name_scope": "keras_utils",
    "keras.device": "keras_utils", "keras.image": "keras_utils", "keras.scope": "keras_utils", "keras.policy": "keras_utils",
    "einops": "einops_model", "pandas": "pandas_tables", "sklearn": "tables", "sklearn.folds": "sklearn_folds", "sklearn.split": "sklearn_folds",
    "sklearn.one_hot": "sklearn_folds",
    **{f"sklearn.model_selection.{w}": "sklearn_folds" for w in ("KFold", "StratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold")},
    "sklearn.preprocessing.LabelBinarizer": "sklearn_folds", "sklearn.preprocessing.OneHotEncoder": "sklearn_folds", "sklearn.utils": "sklearn_folds",
    "os.path": "python_paths",
    "importlib": "python_system", "configparser": "python_files",
    **dict.fromkeys(("heapq", "bisect", "queue", "io", "multiprocessing", "concurrent"), "python_queues"), "tomli": "python_files", "rich": "quiet",
    "rich.progress": "progress", "fastprogress": "progress",
    **dict.fromkeys((
        "seaborn", "plotly", "mlflow", "comet_ml", "neptune", "visdom", "termcolor", "colorama", "loguru", "prettytable", "tabulate", "tensorboard",
        "tensorboard_logger", "psutil", "GPUtil", "pynvml", "IPython", "signal", "atexit", "gc", "traceback", "faulthandler", "resource", "socket", "pprint",
        "hashlib", "platform", "getpass", "tempfile", "pdb", "ipdb", "cProfile", "pstats", "tracemalloc", "torchinfo", "torchsummary", "swanlab", "clearml",
        "aim", "dvclive", "sacred", "setproctitle", "codecs", "bokeh", "imageio", "moviepy", "smtplib", "zipfile", "tarfile", "gzip", "urllib", "requests",
        "http", "ssl", "select", "sched", "locale", "gettext", "readline", "unittest", "doctest", "timeit", "secrets",
    ), "quiet"),
    "matplotlib": "quiet", "tensorboardX": "quiet", "wandb": "quiet",
    "omegaconf": "configurations", "hydra": "configurations", "absl": "configurations", "click": "configurations", "fire": "configurations",
    "pytorch_lightning": "lightning", "lightning": "lightning", "datetime": "python_system", "glob": "python_system", "re": "python_texts",
    "shutil": "python_system", "uuid": "python_system", "threading": "python_system", "subprocess": "python_system", "types": "python_typing",
}  # fmt: skip
