"""Which file models which names of TensorFlow 1."""

from __future__ import annotations

_NAMES = {
    "tf_graph": (
        "placeholder", "placeholder_with_default", "Graph", "reset_default_graph", "get_default_graph", "group", "tuple", "global_variables_initializer",
        "local_variables_initializer", "initialize_all_variables", "initialize_local_variables", "tables_initializer", "variables_initializer", "no_op",
        "initialize_variables", "report_uninitialized_variables", "op_scope", "colocate_with", "control_dependencies",
        "set_random_seed", "random.set_random_seed", "disable_v2_behavior", "disable_eager_execution", "disable_v2_tensorshape",
        "disable_resource_variables", "enable_resource_variables", "disable_control_flow_v2", "enable_control_flow_v2", "Operation",
    ),
    "tf_savers": ("train.Saver",),
    "tf_collections": ("add_to_collection", "get_collection", "get_collection_ref", "GraphKeys"),
    "tf_session": (
        "Session", "InteractiveSession", "train.MonitoredTrainingSession", "train.MonitoredSession", "train.SingularMonitoredSession", "get_default_session",
        "Tensor.eval", "ConfigProto", "GPUOptions", "RunOptions", "RunMetadata",
    ),
    "tf_variables": (
        "get_variable", "variable_scope", "get_variable_scope", "variable_op_scope", "assign", "assign_add", "assign_sub", "global_variables", "all_variables",
        "trainable_variables", "model_variables", "local_variables", "moving_average_variables", "truncated_normal_initializer", "random_normal_initializer",
        "random_uniform_initializer", "constant_initializer", "zeros_initializer", "ones_initializer", "orthogonal_initializer",
        "glorot_uniform_initializer", "glorot_normal_initializer", "variance_scaling_initializer", "uniform_unit_scaling_initializer",
        "initializers.truncated_normal", "initializers.random_normal", "initializers.random_uniform", "initializers.constant", "initializers.zeros",
        "initializers.ones", "initializers.orthogonal", "initializers.glorot_uniform", "initializers.glorot_normal", "initializers.variance_scaling",
        "initializers.he_normal", "initializers.he_uniform", "initializers.lecun_normal", "initializers.lecun_uniform", "initializers.identity",
        "is_variable_initialized", "train.get_or_create_global_step", "train.create_global_step", "train.get_global_step", "scatter_update", "scatter_add",
        "scatter_sub", "scatter_mul", "scatter_div", "scatter_min", "scatter_max", "AUTO_REUSE", "VariableScope",
    ),
    "tf_graph_control": (
        "cond", "case", "while_loop", "map_fn", "scan", "foldl", "foldr", "py_func", "compat.v1.cond", "compat.v1.case", "compat.v1.while_loop",
        "compat.v1.map_fn", "compat.v1.scan", "compat.v1.foldl", "compat.v1.foldr",
    ),
    "tf_estimator": ("estimator", "feature_column"),
    "tf_queues": (
        "train.string_input_producer", "train.input_producer", "train.range_input_producer", "train.slice_input_producer", "train.limit_epochs", "train.batch",
        "train.shuffle_batch", "train.maybe_batch", "train.maybe_shuffle_batch", "TFRecordReader", "TextLineReader", "WholeFileReader",
        "FixedLengthRecordReader", "IdentityReader", "FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue", "queue", "QueueBase", "ReaderBase",
    ),
    "tf_layers1": ("layers", "nn.dropout", "compat.v1.nn.dropout"),
    "tf_examples": ("examples", "contrib.learn"),
    "tf_iterators": (
        "data.make_one_shot_iterator", "data.make_initializable_iterator", "data.Iterator", "compat.v1.data.make_one_shot_iterator",
        "compat.v1.data.make_initializable_iterator", "compat.v1.data.Iterator",
    ),
    "tf_cells": ("nn.rnn_cell",),
    "tf_rnn": (
        "nn.dynamic_rnn", "nn.bidirectional_dynamic_rnn", "nn.static_rnn", "nn.rnn", "nn.static_bidirectional_rnn", "nn.rnn_cell.static_rnn",
        "nn.rnn_cell.static_bidirectional_rnn", "nn.rnn_cell.stack_bidirectional_dynamic_rnn",
    ),
    "tf_train": (
        "train", "contrib.opt", "gradients", "summary", "Summary", "scalar_summary", "histogram_summary", "image_summary", "merge_all_summaries",
        "merge_summary", "nn.nce_loss", "nn.sampled_softmax_loss", "metrics", "losses", "compat.v1.losses",
    ),
}  # fmt: skip
FILES = {
    **{f"tf.{name}": file for file, names in _NAMES.items() for name in names}, "tf.compat.v1": "tf_graph", "tf.logging": "quiet",
    "tf.compat.v1.logging": "quiet", "tf1 initializer": "tf_variables", "tf1 context": "tf_graph", "tf.reshape": "outside",
    "tf.expand_dims": "tf_lenient", "tf.range": "tf_lenient", "slim": "slim", "slim scope": "slim",
    "tf mnist": "tf_examples", "tf mnist sets": "tf_examples",
}  # fmt: skip
