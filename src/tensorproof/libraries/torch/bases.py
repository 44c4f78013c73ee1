"""The base classes of torch's own layers: `isinstance(module, nn.modules.batchnorm._BatchNorm)`."""

from __future__ import annotations

from tensorproof.bindings.call import spelled
from tensorproof.values import Unknown, Value

_FAMILIES: dict[str, tuple[str, ...]] = {
    "_BatchNorm": ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d"),
    "_InstanceNorm": ("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d"),
    "_ConvTransposeNd": tuple(f"{lazy}ConvTranspose{n}d" for lazy in ("", "Lazy") for n in (1, 2, 3)),
    "_DropoutNd": ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"),
    "_MaxPoolNd": ("MaxPool1d", "MaxPool2d", "MaxPool3d"),
    "_AvgPoolNd": ("AvgPool1d", "AvgPool2d", "AvgPool3d"),
    "_AdaptiveAvgPoolNd": ("AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"),
    "_AdaptiveMaxPoolNd": ("AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"),
    "RNNBase": ("RNN", "LSTM", "GRU"),
    "RNNCellBase": ("RNNCell", "LSTMCell", "GRUCell"),
    "_LazyNormBase": tuple(f"Lazy{kind}Norm{n}d" for kind in ("Batch", "Instance") for n in (1, 2, 3)),
}
_FAMILIES["_NormBase"] = (*_FAMILIES["_BatchNorm"], *_FAMILIES["_InstanceNorm"])
_FAMILIES["_ConvNd"] = (*(f"{lazy}Conv{n}d" for lazy in ("", "Lazy") for n in (1, 2, 3)), *_FAMILIES["_ConvTransposeNd"])
_DERIVED = {"LazyLinear": "Linear", "NonDynamicallyQuantizableLinear": "Linear", "ReLU6": "Hardtanh"}


def is_base(wanted: str, layer: str) -> Value:
    """Whether a class is a base of a layer's class; not known of classes that are neither layers nor families here."""
    if wanted in _FAMILIES:
        return layer in _FAMILIES[wanted]
    if _DERIVED.get(layer) == wanted or layer == f"Lazy{wanted}":
        return True
    return False if spelled(f"torch.nn.{wanted}") or not wanted.startswith("_") else Unknown("isinstance")
