"""Operators that cannot be held against a library in some respect, each with the reason."""

from __future__ import annotations

NOT_COMPARED: dict[str, str] = {
    "argpartition": "the order within the parts is not determined",
    "lp_normalize": "the reference of ONNX sums without absolute values",
    "deform_conv": "the reference of ONNX interpolates in single precision",
    "qr": "unique up to signs",
    "svd": "unique up to signs",
    "eig": "unique up to order and factors",
    "eigh": "eigenvectors are unique up to factors",
    "eigvals": "unique up to order",
}
"""Values are not compared with those of a reference function."""
NO_ORACLE: dict[str, str] = {
    "augment_image": "any of 24 changes at random, which share no bounds",
    "checked": "it hands on text alone",
    "group_norm_by_group": "out of use in ONNX, whose evaluator refuses it",
    "lobpcg": "sought from random vectors, without bounds for what is found",
    "max_roi_pool": "the evaluator of ONNX has no kernel for it",
    "random_crop": "TensorFlow has removed its kernel",
    "transformer_decoder_layer": "its weights are not arguments of the operator",
    "transformer_encoder_layer": "its weights are not arguments of the operator",
    **dict.fromkeys(
        ("box_area", "box_iou", "deform_conv2d", "nms", "ps_roi_align", "ps_roi_pool", "roi_align", "roi_pool"), "only where torchvision is installed"
    ),
}
"""Values are neither compared nor held against bounds."""
