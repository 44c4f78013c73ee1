"""Which file models which names: the longest dotted prefix decides. A file is loaded when one of its names is used."""

from __future__ import annotations

from tensorproof.libraries.tf1_homes import FILES as TF1

FILES = {
    "torch": "torch_core", "torch.save": "torch_files", "torch.load": "torch_files", "torch.nn.LinearCrossEntropyOptions": "torch_core",
    "torch.nn": "torch_nn", "torch.nn.utils": "torch_core", "torch.nn.init": "torch_core", "torch.nn.parallel": "torch_nn",
    "torch.utils.data": "torch_data", "torch.utils": "torch_core", "torch.optim": "torch_optim", "torch.cuda": "torch_core", "torch.amp": "torch_core",
    "torch.Tensor": "torch_core", "torch.Tensor.tolist": "sequences", "torch.randint": "sequences", "sequence": "sequences",
    "torch.distributions": "torch_distributions", "torchvision": "torchvision_data",
    **dict.fromkeys((
        "torch.autograd.grad", "torch.autograd.backward", "torch.autograd.Variable", "torch.autograd.variable", "torch.autograd.functional",
        "torch.autograd.Function", "torch.autograd.function", "torch.func", "torch.vmap", "torch.nn.utils.stateless",
    ), "torch_autograd"),
    "torchvision.transforms": "torchvision_transforms", "argparse": "python_arguments",
    "inspect": "python_inspect", "asyncio": "python_functions",
    "functools": "python_functions", "contextlib": "python_contexts", "operator": "python_operators",
    "itertools": "python_iterators",
    "collections": "python_collections", "builtins": "python_collections", "dataclasses": "python_classes", "enum": "python_enums", "typing": "python_typing",
    "abc": "python_typing",
    "typing_extensions": "python_typing", "numbers": "python_typing",
    "random": "python_random", "numpy": "numpy_core", "os": "python_system", "sys": "python_system", "time": "python_system", "pathlib": "python_paths",
    "json": "python_files", "yaml": "python_files", "toml": "python_files", "tomllib": "python_files", "pickle": "python_files", "csv": "python_files",
    "logging": "python_system", "warnings": "python_system", "copy": "python_copies", "math": "python_operators", "tqdm": "progress", "PIL": "images",
    "tf": "tf_core", "tf.Tensor": "tf_tensors", "tf.Variable": "tf_tensors", "tf.IndexedSlices": "tf_tensors", "tf.constant": "tf_tensors", "tf.convert_to_tensor": "tf_tensors", "tf.TensorShape": "tf_shapes",
    "tf.Dimension": "tf_shapes", "tf.data": "tf_data", "tf.TensorSpec": "tf_data", "tf.TensorArray": "tf_tensor_array", "keras.optimizers": "keras_optimizers",
    **TF1, **{f"tf.train.{w}": "tf_core" for w in ("Checkpoint", "CheckpointManager", "latest_checkpoint", "Coordinator")},
    **{f"tf.train.{w}": "tf_io" for w in ("Feature", "Features", "Example", "BytesList", "Int64List", "FloatList", "FeatureList", "FeatureLists", "SequenceExample")},
    **dict.fromkeys((
        "tf.io", "tf.read_file", "tf.strings", "tf.as_string", "tf.lookup", "tf.ragged", "tf.RaggedTensor", "tf.SparseTensor", "tf.sparse", "tf.random.Generator",
        "tf.random.get_global_generator", "tf.random.experimental", "tf.timestamp", "tf.image.decode_jpeg", "tf.image.decode_png", "tf.image.decode_bmp",
    ), "tf_io"),
    "tf.io.gfile": "quiet", "tf.gfile": "quiet", "tf.debugging": "tf_checks", "tf.Assert": "tf_checks", "tf.verify_tensor_all_finite": "tf_checks",
    **{f"tf.assert_{w}": "tf_checks" for w in ("equal", "none_equal", "less", "less_equal", "greater", "greater_equal", "rank", "rank_in", "rank_at_least", "scalar",
                                               "type", "shapes", "positive", "negative", "non_negative", "non_positive", "near", "integer")},
    **{f"tf.summary.{w}": "tf_core" for w in ("create_file_writer", "record_if", "trace_on", "trace_export", "trace_off", "experimental", "SummaryWriter")},
    "keras": "keras_core", "keras.layers": "keras_layers_home", "keras.word": "keras_words", "keras.backend": "keras_backend", "keras.utils": "keras_utils",
    "keras.initializers": "keras_words", "keras.regularizers": "keras_words", "keras.constraints": "keras_words", "keras.activations": "keras_words",
    "tf.initializers": "keras_words",
    "einops": "einops_model", "pandas": "tables", "sklearn": "tables", "os.path": "python_paths",
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
