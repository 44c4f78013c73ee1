"""Which file models which names of TensorFlow 2."""

from __future__ import annotations

_NAMES = {
    "tf_tensors": ("Tensor", "Variable", "IndexedSlices", "constant", "convert_to_tensor"),
    "tf_shapes": ("TensorShape", "Dimension"), "tf_data": ("data", "TensorSpec"), "tf_tensor_array": ("TensorArray",),
    "tf_core": (
        "train.Checkpoint", "train.CheckpointManager", "train.latest_checkpoint", "train.Coordinator", "summary.create_file_writer", "summary.record_if",
        "summary.trace_on", "summary.trace_export", "summary.trace_off", "summary.experimental", "summary.SummaryWriter",
    ),
    "tf_io": (
        "train.Feature", "train.Features", "train.Example", "train.BytesList", "train.Int64List", "train.FloatList", "train.FeatureList", "train.FeatureLists",
        "train.SequenceExample", "io", "read_file", "strings", "as_string", "lookup", "ragged", "RaggedTensor", "SparseTensor", "sparse", "random.Generator",
        "random.get_global_generator", "random.experimental", "timestamp", "image.decode_jpeg", "image.decode_png", "image.decode_bmp", "image.decode_image",
        "image.resize", "image.sample_distorted_bounding_box",
    ),
    "tf_checks": (
        "debugging", "Assert", "verify_tensor_all_finite", "assert_equal", "assert_none_equal", "assert_less", "assert_less_equal", "assert_greater",
        "assert_greater_equal", "assert_rank", "assert_rank_in", "assert_rank_at_least", "assert_scalar", "assert_type", "assert_shapes", "assert_positive",
        "assert_negative", "assert_non_negative", "assert_non_positive", "assert_near", "assert_integer",
    ),
    "tf_ranges": ("nn.sparse_softmax_cross_entropy_with_logits", "nn.embedding_lookup", "gather"), "quiet": ("io.gfile", "gfile"),
}  # fmt: skip
FILES = {
    "tf": "tf_core", **{f"tf.{name}": file for file, names in _NAMES.items() for name in names}, "tensorflow_datasets": "tf_datasets", "tfds": "tf_datasets",
    "keras.optimizers": "keras_optimizers",
}  # fmt: skip
