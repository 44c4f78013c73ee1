"""The programs of model_zoos.py for vit-pytorch: how each class that is not constructed like ViT is made and called, as documented, only smaller."""

from __future__ import annotations

_SIZES = "image_size=64, patch_size=16, num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128"
_STAGES = "num_classes=10, dim=(16, 32, 64, 128), depth=(1, 1, 2, 1)"
_CLIP = "image_size=64, frames=4, image_patch_size=16, frame_patch_size=2, num_classes=10, dim=64, heads=4, mlp_dim=128"
_ND = "ndim=3, input_shape=(4, 32, 32), patch_size=(2, 8, 8), num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128"
_PYRAMID = "num_classes=10, dim=16, depth=(1, 1, 2, 1)"
_CONVOLVED = "embedding_dim=64, n_conv_layers=2, kernel_size=7, num_layers=2, num_heads=4, mlp_ratio=2., num_classes=10, positional_embedding='learnable'"
_PICTURE, _SMALL, _VIDEO = "torch.zeros(2, C, 224, 224)", "torch.zeros(2, C, 64, 64)", "torch.zeros(2, C, 4, 64, 64)"
_GRID = "torch.zeros(2, C, 4, 32, 32)"
_VIT = f"ViT({_SIZES})"

FAIL = ("local_vit",)
"""Modules whose class fails on every input: LocalViT gives a picture to a norm over its last axis. So do MAE, SimMIM and MPP, which are written for a position
embedding with a batch axis, and VAT and VAAT, which take apart the result of a pattern without an arrow; none of them is here."""
OWN: dict[str, tuple[str, str]] = {
    "ats_vit.ViT": (f"{_SIZES}, max_tokens_per_depth=(8, 4)", _SMALL),
    "attn_residual_with_dca_simple_vit.SimpleViT": (_SIZES, _SMALL),
    "cait.CaiT": (f"{_SIZES}, cls_depth=2, layer_dropout=0.05", "torch.zeros(2, C, 64, 64)"),
    "cct.CCT": (f"img_size=(64, 96), {_CONVOLVED}", "torch.zeros(2, C, 64, 96)"),
    "cct_3d.CCT": (f"img_size=64, num_frames=8, frame_kernel_size=3, {_CONVOLVED}", "torch.zeros(2, C, 8, 64, 64)"),
    "cross_vit.CrossViT": (
        "image_size=256, num_classes=10, depth=2, sm_dim=64, sm_patch_size=16, lg_dim=96, lg_patch_size=64, lg_enc_depth=2",
        "torch.zeros(2, C, 256, 256)",
    ),
    "crossformer.CrossFormer": ("num_classes=10, depth=(1, 1, 2, 1), global_window_size=(8, 4, 2, 1), local_window_size=7", _PICTURE),
    "cvt.CvT": ("num_classes=10, s1_emb_dim=16, s2_emb_dim=32, s3_emb_dim=64, s3_depth=2", _PICTURE),
    "efficient.ViT": ("image_size=64, patch_size=16, num_classes=10, dim=64, transformer=torch.nn.Identity()", _SMALL),
    "jumbo_vit.JumboViT": (_SIZES, _SMALL),
    "levit.LeViT": ("image_size=224, num_classes=10, stages=3, dim=(64, 96, 128), depth=2, heads=(2, 3, 4), mlp_mult=2", _PICTURE),
    "look_vit.LookViT": ("image_size=256, num_classes=10, dim=64, depth=2, heads=4, patch_size=32, highres_patch_size=8", "torch.zeros(2, C, 256, 256)"),
    "looped_vit.LoopedViT": (
        "num_classes=10, dim=64, image_size=64, patch_size=16, pre_loop_depth=1, num_looped_blocks=2, post_loop_depth=1, loop_depth=2, heads=4",
        _SMALL,
    ),
    "max_vit.MaxViT": (f"{_STAGES}, dim_conv_stem=16, dim_head=16".replace("(16, 32, 64, 128)", "16"), _PICTURE),
    "max_vit_with_registers.MaxViT": (f"{_STAGES}, dim_conv_stem=16, dim_head=16".replace("(16, 32, 64, 128)", "16"), _PICTURE),
    "mobile_vit.MobileViT": (
        "image_size=(256, 256), dims=[96, 120, 144], channels=[16, 32, 48, 48, 64, 64, 80, 80, 96, 96, 384], num_classes=10",
        "torch.zeros(2, C, 256, 256)",
    ),
    "na_vit_nested_tensor_3d.NaViT": (
        "image_size=64, max_frames=8, patch_size=16, frame_patch_size=2, num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128",
        "[torch.zeros(C, 2, 64, 64), torch.zeros(C, 4, 32, 64)]",
    ),
    "nest.NesT": ("image_size=224, patch_size=4, dim=48, heads=3, num_hierarchies=3, block_repeats=(1, 1, 2), num_classes=10", _PICTURE),
    "normalized_vit.nViT": (_SIZES, _SMALL),
    "pit.PiT": ("image_size=224, patch_size=14, dim=64, num_classes=10, depth=(1, 1, 1), heads=4, mlp_dim=128", _PICTURE),
    "regionvit.RegionViT": (f"{_STAGES}, window_size=7, use_peg=True", _PICTURE),
    "scalable_vit.ScalableViT": (
        f"{_PYRAMID}, heads=(2, 4, 8, 16), ssa_dim_key=(40, 40, 40, 32), reduction_factor=(8, 4, 2, 1), window_size=(64, 32, None, None)",
        "torch.zeros(2, C, 256, 256)",
    ),
    "sep_vit.SepViT": (f"{_PYRAMID}, dim_head=16, heads=(1, 2, 4, 8), window_size=7", _PICTURE),
    "simple_flash_attn_vit_3d.SimpleViT": (f"{_CLIP}, depth=2", _VIDEO),
    "simple_vit_1d.SimpleViT": ("seq_len=256, patch_size=16, num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128", "torch.zeros(2, C, 256)"),
    "simple_vit_3d.SimpleViT": (f"{_CLIP}, depth=2", _VIDEO),
    "simple_vit_with_fft.SimpleViT": (f"{_SIZES}, freq_patch_size=16", _SMALL),
    "t2t.T2TViT": ("dim=64, image_size=224, depth=2, heads=4, mlp_dim=128, num_classes=10, t2t_layers=((7, 4), (3, 2), (3, 2))", _PICTURE),
    "twins_svt.TwinsSVT": ("num_classes=10, s3_depth=2, s4_depth=1", _PICTURE),
    "vit_1d.ViT": ("seq_len=256, patch_size=16, num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128", "torch.zeros(2, C, 256)"),
    "vit_3d.ViT": (f"{_CLIP}, depth=2", _VIDEO),
    "vit_nd.ViTND": (_ND, _GRID),
    "vit_nd_pope.ViTND": (_ND, _GRID),
    "vit_nd_rotary.ViTND": (_ND, _GRID),
    "vivit.ViViT": (f"{_CLIP}, spatial_depth=2, temporal_depth=2", _VIDEO),
    "vivit_with_moss.ViViT": (f"{_CLIP}, spatial_depth=2, temporal_depth=2", _VIDEO),
    "wwt.WWT": (f"{_SIZES}, num_slots=8".replace(", mlp_dim=128", ""), _SMALL),
    "xcit.XCiT": (f"{_SIZES}, cls_depth=2, local_patch_kernel_size=3, layer_dropout=0.05", _SMALL),
    "extractor.Extractor": (f"{_VIT}", _SMALL),
    "recorder.Recorder": (f"{_VIT}", _SMALL),
    "distill.DistillWrapper": (f"student=DistillableViT({_SIZES}), teacher={_VIT}, temperature=3, alpha=0.5", f"{_SMALL}, torch.ones(2, dtype=torch.long)"),
    "dino.Dino": (f"{_VIT}, image_size=64, projection_hidden_size=32, num_classes_K=64, projection_layers=4", _SMALL),
    "es_vit.EsViTTrainer": (
        "CvT(num_classes=10, s1_emb_dim=16, s2_emb_dim=32, s3_emb_dim=64, s3_depth=1), image_size=64, "
        "hidden_layer='layers', projection_hidden_size=32, num_classes_K=64",
        _SMALL,
    ),
    "accept_video_wrapper.AcceptVideoWrapper": (_VIT, _VIDEO),
    "learnable_memory_vit.Adapter": (f"vit={_VIT}, num_classes=2, num_memories_per_layer=5", _SMALL),
    "mp3.MP3": (f"vit={_VIT}, masking_ratio=0.75", _SMALL),
}
_ALSO = {"learnable_memory_vit": "ViT", "mp3": "ViT", "distill": "DistillableViT"}


def own_programs() -> dict[str, str]:
    """The text of each program by the name of its class, with C for the number of channels."""
    texts: dict[str, str] = {}
    for name, (made, call) in OWN.items():
        module, _, kind = name.partition(".")
        begin = f"import torch\nfrom vit_pytorch.{module} import {', '.join([kind, *filter(None, [_ALSO.get(module)])])}\n"
        for word, home in (("CvT", "cvt"), ("ViT", "vit")):
            if made.removeprefix("encoder=").removeprefix("transformer=").startswith(f"{word}(") and word not in _ALSO.get(module, ""):
                begin += f"from vit_pytorch.{home} import {word}\n"
        if module == "distill":
            begin += "from vit_pytorch.vit import ViT\n"
        if module.startswith("vit_nd"):
            begin += "torch.set_grad_enabled(False)\n"  # flex_attention has no backward on the CPU
        texts[name] = f"{begin}model = {kind}({made})\nmodel.eval()\nout = model({call})\nprint(type(out))\n"
    return texts
