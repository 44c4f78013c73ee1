"""Names of the outputs of the operators that have several, as function bodies refer to them (`node:values:0`).

Taken from TensorFlow 2.21's operator definitions. `name*attr` is a list whose length the attribute gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TABLE = """
AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler
  ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler: sampled_candidates true_expected_count sampled_expected_count
AnonymousIteratorV2 AnonymousMemoryCache AnonymousMultiDeviceIterator AnonymousRandomSeedGenerator AnonymousSeedGenerator: handle
  deleter
ApproxTopK TopK TopKV2: values indices
BarrierTakeMany: indices keys values
Batch: batched_tensors*T batch_index id
BatchNormWithGlobalNormalizationGrad: dx dm dv db dg
BatchSelfAdjointEigV2 Eig SelfAdjointEigV2: e v
BatchSvd Svd: s u v
BlockLSTM BlockLSTMV2 LSTMBlockCell: i cs f o ci co h
BlockLSTMGrad BlockLSTMGradV2: x_grad cs_prev_grad h_prev_grad w_grad wci_grad wcf_grad wco_grad b_grad
BroadcastGradientArgs: r0 r1
CSRSparseMatrixComponents: row_ptrs col_inds values
CSRSparseMatrixToSparseTensor: indices values dense_shape
CTCBeamSearchDecoder: decoded_indices*top_paths decoded_values*top_paths decoded_shape*top_paths log_probability
CTCGreedyDecoder: decoded_indices decoded_values decoded_shape log_probability
CTCLoss CTCLossV2: loss gradient
CombinedNonMaxSuppression: nmsed_boxes nmsed_scores nmsed_classes valid_detections
ComputeAccidentalHits: indices ids weights
CudnnRNN: output output_h output_c reserve_space
CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3: input_backprop input_h_backprop input_c_backprop params_backprop
CudnnRNNV2 CudnnRNNV3: output output_h output_c reserve_space host_reserved
DecodeProtoV2: sizes values
DecodeWav: audio sample_rate
DenseCountSparseOutput RaggedCountSparseOutput SparseCountSparseOutput: output_indices output_values output_dense_shape
DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation: result_indices result_values result_shape
DeserializeManySparse DeserializeSparse TakeManySparseFromTensorsMap: sparse_indices sparse_values sparse_shape
FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient: backprops_wrt_input backprop_wrt_min backprop_wrt_max
FractionalAvgPool FractionalMaxPool: output row_pooling_sequence col_pooling_sequence
FusedBatchNorm FusedBatchNormV2: y batch_mean batch_variance reserve_space_1 reserve_space_2
FusedBatchNormGrad FusedBatchNormGradV2: x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4
FusedBatchNormGradV3: x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5
FusedBatchNormV3: y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3
GRUBlockCell: r u c h
GRUBlockCellGrad: d_x d_h_prev d_c_bar d_r_bar_u_bar
GenerateBoundingBoxProposals: rois roi_probabilities
GenerateVocabRemapping: remapping num_present
IsotonicRegression: output segments
LSTMBlockCellGrad: cs_prev_grad dicfo wci_grad wcf_grad wco_grad
ListDiff: out idx
LogMatrixDeterminant: sign log_abs_determinant
LookupTableExport LookupTableExportV2 ReaderReadUpTo ReaderReadUpToV2: keys values
Lu: lu p
MaxPoolWithArgmax: output argmax
Merge RefMerge: output value_index
NearestNeighbors: nearest_center_indices nearest_center_distances
NonMaxSuppressionV4: selected_indices valid_outputs
NonMaxSuppressionV5: selected_indices selected_scores valid_outputs
OrderedMapUnstageNoKey: key values
ParseExample: sparse_indices*Nsparse sparse_values*sparse_types sparse_shapes*Nsparse dense_values*Tdense
ParseExampleV2: sparse_indices*num_sparse sparse_values*sparse_types sparse_shapes*num_sparse dense_values*Tdense
  ragged_values*ragged_value_types ragged_row_splits*ragged_split_types
ParseSequenceExample: context_sparse_indices*Ncontext_sparse context_sparse_values*context_sparse_types
  context_sparse_shapes*Ncontext_sparse context_dense_values*Tcontext_dense feature_list_sparse_indices*Nfeature_list_sparse
  feature_list_sparse_values*feature_list_sparse_types feature_list_sparse_shapes*Nfeature_list_sparse
  feature_list_dense_values*feature_list_dense_types feature_list_dense_lengths*Nfeature_list_dense
ParseSequenceExampleV2: context_sparse_indices*Ncontext_sparse context_sparse_values*context_sparse_types
  context_sparse_shapes*Ncontext_sparse context_dense_values*Tcontext_dense context_ragged_values*context_ragged_value_types
  context_ragged_row_splits*context_ragged_split_types feature_list_sparse_indices*Nfeature_list_sparse
  feature_list_sparse_values*feature_list_sparse_types feature_list_sparse_shapes*Nfeature_list_sparse
  feature_list_dense_values*feature_list_dense_types feature_list_dense_lengths*Nfeature_list_dense
  feature_list_ragged_values*feature_list_ragged_value_types feature_list_ragged_outer_splits*feature_list_ragged_split_types
  feature_list_ragged_inner_splits*feature_list_ragged_split_types
ParseSingleExample: sparse_indices*num_sparse sparse_values*sparse_types sparse_shapes*num_sparse dense_values*Tdense
ParseSingleSequenceExample: context_sparse_indices*Ncontext_sparse context_sparse_values*context_sparse_types
  context_sparse_shapes*Ncontext_sparse context_dense_values*Tcontext_dense feature_list_sparse_indices*Nfeature_list_sparse
  feature_list_sparse_values*feature_list_sparse_types feature_list_sparse_shapes*Nfeature_list_sparse
  feature_list_dense_values*feature_list_dense_types
Qr: q r
QuantizeAndDequantizeV4Grad: input_backprop input_min_backprop input_max_backprop
QuantizeDownAndShrinkRange QuantizeV2 QuantizedConcat QuantizedConcatV2 QuantizedReshape Requantize RequantizePerChannel: output
  output_min output_max
QuantizedAdd QuantizedMul: z min_z max_z
QuantizedAvgPool QuantizedConv2D QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize QuantizedConv2DAndRequantize
  QuantizedConv2DPerChannel QuantizedConv2DWithBias QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasAndReluAndRequantize
  QuantizedConv2DWithBiasAndRequantize QuantizedConv2DWithBiasSignedSumAndReluAndRequantize QuantizedConv2DWithBiasSumAndRelu
  QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedDepthwiseConv2D QuantizedDepthwiseConv2DWithBias
  QuantizedDepthwiseConv2DWithBiasAndRelu QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize QuantizedMaxPool: output min_output
  max_output
QuantizedBatchNormWithGlobalNormalization: result result_min result_max
QuantizedBiasAdd: output min_out max_out
QuantizedInstanceNorm: y y_min y_max
QuantizedMatMul QuantizedMatMulWithBias QuantizedMatMulWithBiasAndRelu QuantizedMatMulWithBiasAndReluAndRequantize
  QuantizedMatMulWithBiasAndRequantize: out min_out max_out
QuantizedRelu QuantizedRelu6 QuantizedReluX: activations min_activations max_activations
QuantizedResizeBilinear: resized_images out_min out_max
RaggedCross: output_values output_row_splits
RaggedFillEmptyRows: output_value_rowids output_values empty_row_indicator reverse_index_map
RaggedFillEmptyRowsGrad SparseFillEmptyRowsGrad: d_values d_default_value
RaggedGather: output_nested_splits*OUTPUT_RAGGED_RANK output_dense_values
RaggedRange: rt_nested_splits rt_dense_values
RaggedTensorFromVariant: output_nested_splits*output_ragged_rank output_dense_values
RaggedTensorToSparse: sparse_indices sparse_values sparse_dense_shape
ReaderRead ReaderReadV2: key value
RefSwitch Switch: output_false output_true
RequantizationRange RequantizationRangePerChannel: output_min output_max
SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox: begin size bboxes
Skipgram: vocab_word vocab_freq words_per_epoch current_epoch total_words_processed examples labels
SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits: loss backprop
SparseAccumulatorTakeGradient StringSplit StringSplitV2: indices values shape
SparseAdd: sum_indices sum_values sum_shape
SparseAddGrad: a_val_grad b_val_grad
SparseConcat SparseCross SparseCrossHashed SparseCrossV2 SparseReduceMaxSparse SparseReduceSumSparse SparseSlice: output_indices
  output_values output_shape
SparseFillEmptyRows: output_indices output_values empty_row_indicator reverse_index_map
SparseReorder SparseSparseMaximum SparseSparseMinimum: output_indices output_values
SparseReshape: output_indices output_shape
SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2 SparseSegmentSumGradV2: output sorted_unique_indices
SparseSplit: output_indices*num_split output_values*num_split output_shape*num_split
StatelessRandomGetKeyCounter: key counter
StatelessRandomGetKeyCounterAlg: key counter alg
StringNGrams: ngrams ngrams_splits
TensorArrayConcat TensorArrayConcatV2 TensorArrayConcatV3: value lengths
TensorArrayGradV3 TensorArrayGradWithShape: grad_handle flow_out
TensorArrayV3: handle flow
TensorListConcat TensorListConcatV2: tensor lengths
TensorListPopBack: output_handle tensor
TopKUnique TopKWithUnique: topk topk_indices
UnicodeDecode: row_splits char_values
UnicodeDecodeWithOffsets: row_splits char_values char_to_byte_starts
Unique UniqueV2: y idx
UniqueWithCounts UniqueWithCountsV2: y idx count
"""


def _read_table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for row in _TABLE.replace("\n  ", " ").strip().splitlines():
        spellings, _, outputs = row.partition(": ")
        for spelling in spellings.split():
            table[spelling] = tuple(outputs.split())
    return table


OUTPUTS = _read_table()


def output_index(spelling: str, attributes: Mapping[str, Any], output: str, index: int) -> int:
    """The position among all outputs of the `index`-th item of the output called `output`."""
    position = 0
    for known in OUTPUTS.get(spelling, ()):
        name, _, counted = known.partition("*")
        if name == output:
            return position + index
        count = attributes.get(counted, 1) if counted else 1
        position += len(count) if isinstance(count, tuple) else int(count)  # pyright: ignore[reportUnknownArgumentType]
    return index
