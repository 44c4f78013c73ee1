"""Old and private homes of Keras names: `tf.keras.layers.Dense`, `keras.layers.core.Dense` and `keras.src.layers.Dense` are one class."""

from __future__ import annotations

from functools import cache

_PREFIXES = (
    ("tensorflow", "tf"), ("tf.python.keras", "keras"), ("tf.keras", "keras"), ("tf.compat.v1.keras", "keras"), ("tf.compat.v2.keras", "keras"),
    ("tf.contrib.keras.python.keras", "keras"), ("tf.contrib.keras", "keras"), ("tf_keras", "keras"),
    ("tf.optimizers", "keras.optimizers"), ("keras.api", "keras"),
    ("keras._tf_keras.keras", "keras"), ("tf._api.v2", "tf"),
)  # fmt: skip
"""Whole trees with another root; the first that fits, again and again."""

_LAYER_HOMES = (
    "activation", "activations", "advanced_activations", "attention", "convolutional", "convolutional_recurrent", "core", "cudnn_recurrent", "embeddings",
    "experimental", "experimental.preprocessing", "kernelized", "local", "merge", "merging", "noise", "normalization", "normalization_v2",
    "pooling", "preprocessing", "preprocessing.image_preprocessing", "recurrent", "recurrent_v2", "regularization", "reshaping", "rnn", "serialization",
    "wrappers", "dense_attention", "einsum_dense", "layer", "core.dense", "core.lambda_layer", "core.input_layer",
)  # fmt: skip
_MODULES = {
    **{f"keras.layers.{place}": "keras.layers" for place in _LAYER_HOMES},
    "keras.engine": "keras.layers", "keras.engine.base_layer": "keras.layers", "keras.engine.topology": "keras.layers", "keras.engine.training": "keras.models",
    "keras.engine.sequential": "keras.models", "keras.engine.functional": "keras.models", "keras.engine.input_layer": "keras.layers",
    "keras.engine.keras_tensor": "keras", "keras.engine.network": "keras.models", "keras.engine.data_adapter": "keras.utils",
    "keras.utils.np_utils": "keras.utils", "keras.utils.generic_utils": "keras.utils", "keras.utils.vis_utils": "keras.utils",
    "keras.utils.layer_utils": "keras.utils", "keras.utils.data_utils": "keras.utils", "keras.utils.io_utils": "keras.utils",
    "keras.utils.training_utils": "keras.utils", "keras.utils.multi_gpu_utils": "keras.utils", "keras.utils.visualize_util": "keras.utils",
    "keras.src.layers": "keras.layers", "keras.src.models": "keras.models", "keras.src.ops": "keras.ops", "keras.src.initializers": "keras.initializers",
    "keras.src.regularizers": "keras.regularizers", "keras.src.constraints": "keras.constraints", "keras.src.activations": "keras.activations",
    "keras.src.losses": "keras.losses", "keras.src.metrics": "keras.metrics", "keras.src.optimizers": "keras.optimizers", "keras.src.utils": "keras.utils",
    "keras.src.random": "keras.random", "keras.src.saving": "keras.saving", "keras.src.backend": "keras.backend", "keras.src.callbacks": "keras.callbacks",
    "keras.src.layers.layer": "keras.layers", "keras.src.models.model": "keras.models", "keras.src.models.functional": "keras.models",
    "keras.src.utils.file_utils": "keras.utils", "keras.src.utils.image_utils": "keras.utils", "keras.src.datasets": "keras.datasets",
    "keras.src.models.sequential": "keras.models", "keras.backend.tensorflow_backend": "keras.backend", "keras.backend.common": "keras.backend",
    "keras.initializers.initializers_v2": "keras.initializers", "keras.optimizer_v2": "keras.optimizers", "keras.optimizers.optimizer_v2": "keras.optimizers",
    "keras.ops.operation_utils": "keras.utils", "keras.utils.file_utils": "keras.utils", "keras.utils.image_utils": "keras.utils",
    "keras.utils.tf_utils": "keras.utils", "keras.src.ops.operation_utils": "keras.utils",
    "keras.legacy.backend": "keras.backend", "keras.saving.object_registration": "keras.saving",
}  # fmt: skip
_NAMES = {
    **{f"keras.{w}": f"keras.{w.lower()}s.{w}" for w in ("Initializer", "Metric", "Optimizer", "Regularizer", "Quantizer")},
    "keras.Loss": "keras.losses.Loss", "keras.utils.standardize_dtype": "keras.backend.standardize_dtype",
    **{f"keras.{home}.{short}": f"keras.losses.{name}" for home in ("losses", "metrics") for name, shorts in (
        ("mean_squared_error", ("mse", "MSE")), ("mean_absolute_error", ("mae", "MAE")), ("mean_absolute_percentage_error", ("mape", "MAPE")),
        ("mean_squared_logarithmic_error", ("msle", "MSLE")), ("kl_divergence", ("kld", "KLD", "kullback_leibler_divergence")), ("log_cosh", ("logcosh",)),
    ) for short in shorts},
    "keras.mixed_precision.LossScaleOptimizer": "keras.optimizers.LossScaleOptimizer",
    "keras.mixed_precision.experimental.LossScaleOptimizer": "keras.optimizers.LossScaleOptimizer",
    "keras.models.Sequential": "keras.Sequential", "keras.models.Model": "keras.Model", "keras.models.Functional": "keras.Model",
    "keras.layers.Sequential": "keras.Sequential", "keras.layers.Model": "keras.Model",
    "keras.layers.Input": "keras.Input", "keras.models.Input": "keras.Input", "keras.layers.Layer": "keras.Layer", "keras.layers.InputSpec": "keras.InputSpec",
    "keras.layers.Container": "keras.Model", "keras.layers.Network": "keras.Model", "keras.models.Network": "keras.Model",
    "keras.layers.BatchNormalizationV1": "keras.layers.BatchNormalization", "keras.layers.CuDNNLSTM": "keras.layers.LSTM",
    "keras.layers.CuDNNGRU": "keras.layers.GRU", "keras.layers.SyncBatchNormalization": "keras.layers.BatchNormalization",
    "keras.layers.BatchNormalizationV2": "keras.layers.BatchNormalization",
    "keras.utils.register_keras_serializable": "keras.saving.register_keras_serializable",
    "keras.utils.serialize_keras_object": "keras.saving.serialize_keras_object", "keras.utils.get_custom_objects": "keras.saving.get_custom_objects",
    "keras.utils.custom_object_scope": "keras.saving.custom_object_scope", "keras.utils.CustomObjectScope": "keras.saving.custom_object_scope",
    "keras.saving.CustomObjectScope": "keras.saving.custom_object_scope", "keras.saving.load_model": "keras.models.load_model",
    "keras.preprocessing.image_dataset_from_directory": "keras.utils.image_dataset_from_directory",
    "keras.preprocessing.text_dataset_from_directory": "keras.utils.text_dataset_from_directory",
    "keras.preprocessing.timeseries_dataset_from_array": "keras.utils.timeseries_dataset_from_array",
    "keras.preprocessing.sequence.pad_sequences": "keras.utils.pad_sequences", "keras.preprocessing.image.load_img": "keras.utils.load_img",
    "keras.preprocessing.image.img_to_array": "keras.utils.img_to_array", "keras.preprocessing.image.array_to_img": "keras.utils.array_to_img",
    "keras.preprocessing.image.save_img": "keras.utils.save_img",
}  # fmt: skip


def _home(name: str) -> str:
    from tensorproof.libraries.tensorflow.version1.aliases import home  # which no program of torch needs

    return home(name)


@cache
def canonical(name: str) -> str:
    """The one name of something in a library that has moved or is known under several."""
    if name.startswith("torch.nn.modules.") and name.rpartition(".")[2][:1].isupper():
        return "torch.nn." + name.rpartition(".")[2]
    changed = True
    while changed:
        changed = False
        for old, new in _PREFIXES:
            if name == old or name.startswith(old + "."):
                name = new + name[len(old) :]
                changed = True
                break
    for old in ("tf.losses.", "tf.metrics."):  # classes of TensorFlow 2; the functions of TensorFlow 1 are written small
        if name.startswith(old) and name[len(old) :][:1].isupper() and name != "tf.losses.Reduction":
            name = "keras." + name.removeprefix("tf.")
    if not name.startswith("keras."):
        return _home(name) if name.startswith("tf") else name
    parts = name.split(".")
    for length in range(len(parts), 1, -1):
        place = _MODULES.get(".".join(parts[:length]))
        if place is not None:
            name = ".".join([place, *parts[length:]])
            break
    return _NAMES.get(name, name)
