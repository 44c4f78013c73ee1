"""The programs of model_zoos.py: for each model of a package one that is right and one whose input is too wide."""

from __future__ import annotations

import re
from pathlib import Path

from model_zoos_pair import Pair, pair
from model_zoos_transformers import transformers
from model_zoos_vit import FAIL, own_programs

_TIMM = re.compile(r"^@register_model\ndef (\w+)\(", re.MULTILINE)
_INPUTS = {"video": "1, C, 16, 112, 112", "detection": "C, 320, 320"}
_PER_FAMILY = 2
_OWN_SIZES = {"halonet50ts": 256}
"""timm's models that take no picture of 224 by 224, and have no size in their name."""


def torchvision(site: Path) -> dict[str, Pair]:
    """A program for each builder that is not quantised."""
    found: dict[str, Pair] = {}
    for path in sorted((site / "torchvision" / "models").rglob("*.py")):
        folder = path.parent.name
        if folder == "quantization":
            continue
        for name in re.findall(r"^@register_model\([^\n]*\)\n(?:@[^\n]*\n(?:\s[^\n]*\n|\)\n)*)*def (\w+)\(", path.read_text(), re.MULTILINE):
            where = "torchvision.models" + ("" if folder == "models" else f".{folder}")
            if folder == "optical_flow":
                call = "model(torch.zeros(1, C, 128, 128), torch.zeros(1, C, 128, 128))"
            elif folder == "detection":
                call = "model([torch.zeros(C, 320, 320)])"
            else:
                size = 299 if name == "inception_v3" else 224
                wide = folder == "video" and name.startswith(("mvit", "s3d", "swin3d"))
                call = f"model(torch.zeros({'1, C, 16, 224, 224' if wide else _INPUTS.get(folder, f'2, C, {size}, {size}')}))"
            made = f"{name}(weights=None, weights_backbone=None)" if folder in ("detection", "segmentation") else f"{name}()"
            found[name] = pair(f"import torch\nfrom {where} import {name}\nmodel = {made}\nmodel.eval()\nout = {call}\nprint(type(out))\n")
    return found


def timm(site: Path) -> dict[str, Pair]:
    """A program for two models of each family."""
    found: dict[str, Pair] = {}
    for path in sorted((site / "timm" / "models").glob("*.py")):
        names = _TIMM.findall(path.read_text())
        for name in names[:: max(1, len(names) // _PER_FAMILY)][:_PER_FAMILY]:
            size = next((int(n) for n in re.findall(r"_(\d{3})\b", name)[-1:]), _OWN_SIZES.get(name, 224))
            made = f"import timm\nimport torch\nmodel = timm.create_model({name!r})\nmodel.eval()\n"
            found[name] = pair(f"{made}out = model(torch.zeros(2, C, {size}, {size}))\nprint(out.shape)\n")
    return found


def vit_pytorch(site: Path) -> dict[str, Pair]:
    """A program for each module whose class is constructed like ViT, and for the others one of their own."""
    found: dict[str, Pair] = {}
    given = "image_size=256, patch_size=32, num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128"
    for path in sorted((site / "vit_pytorch").glob("*.py")):
        text = path.read_text()
        for name, parameters in re.findall(r"^class (\w+)\(Module\):\s+def __init__\(\s*self,([^)]*)\)", text.replace("nn.Module", "Module"), re.MULTILINE):
            taken = {p.partition("=")[0].partition(":")[0].strip(): "=" in p for p in parameters.split(",") if p.strip() not in ("", "*")}
            fits = {word.partition("=")[0] for word in given.split(", ")}
            if path.stem in FAIL:
                continue
            if fits <= taken.keys() and all(default for p, default in taken.items() if p not in fits) and "isinstance(depth, tuple)" not in text:
                made = f"import torch\nfrom vit_pytorch.{path.stem} import {name}\nmodel = {name}({given})\nmodel.eval()\n"
                found[f"{path.stem}.{name}"] = pair(f"{made}out = model(torch.zeros(2, C, 256, 256))\nprint(type(out))\n")
    return found | {name: pair(text) for name, text in own_programs().items()}


_SEGMENTATION = {
    "Unet": ("resnet18", "resnet34", "mobilenet_v2", "efficientnet-b0", "vgg11"), "UnetPlusPlus": ("resnet18", "mobilenet_v2"), "FPN": ("resnet18", "resnet50"),
    "Linknet": ("resnet18", "densenet121"), "MAnet": ("resnet18",), "PSPNet": ("resnet18", "mobilenet_v2"), "PAN": ("resnet18",), "DeepLabV3": ("resnet18",),
    "DeepLabV3Plus": ("resnet18", "resnet50"), "UPerNet": ("resnet18",), "Segformer": ("resnet18", "mit_b0"),
}  # fmt: skip


def segmentation_models_pytorch(site: Path) -> dict[str, Pair]:
    """A program for 21 pairs of a decoder and an encoder."""
    found: dict[str, Pair] = {}
    for name, encoders in _SEGMENTATION.items():
        for encoder in encoders:
            made = f"import torch\nimport segmentation_models_pytorch as smp\nmodel = smp.{name}({encoder!r}, encoder_weights=None, in_channels=3, classes=2)\n"
            found[f"{name} {encoder}"] = pair(f"{made}model.eval()\nout = model(torch.zeros(2, C, 128, 128))\nprint(out.shape)\n")
    return found


_DIFFUSERS = {
    "UNet2DModel": (
        "sample_size=32, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(32, 64), down_block_types=('DownBlock2D', 'AttnDownBlock2D'), "
        "up_block_types=('AttnUpBlock2D', 'UpBlock2D'), norm_num_groups=8",
        "torch.zeros(2, C, 32, 32), torch.tensor([1, 2])", 3,
    ),
    "UNet2DConditionModel": (
        "sample_size=32, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(32, 64), "
        "down_block_types=('DownBlock2D', 'CrossAttnDownBlock2D'), "
        "up_block_types=('CrossAttnUpBlock2D', 'UpBlock2D'), cross_attention_dim=16, attention_head_dim=8, norm_num_groups=8",
        "torch.zeros(2, C, 32, 32), torch.tensor([1, 2]), encoder_hidden_states=torch.zeros(2, 5, 16)", 4,
    ),
    "AutoencoderKL": (
        "in_channels=3, out_channels=3, block_out_channels=(32, 64), down_block_types=('DownEncoderBlock2D', 'DownEncoderBlock2D'), "
        "up_block_types=('UpDecoderBlock2D', 'UpDecoderBlock2D'), latent_channels=4, norm_num_groups=8",
        "torch.zeros(2, C, 32, 32)", 3,
    ),
    "VQModel": ("block_out_channels=(32,), norm_num_groups=8, latent_channels=3", "torch.zeros(2, C, 32, 32)", 3),
    "AutoencoderTiny": ("", "torch.zeros(2, C, 64, 64)", 3),
    "DiTTransformer2DModel": (
        "num_attention_heads=2, attention_head_dim=16, in_channels=4, num_layers=1, sample_size=8, patch_size=2, num_embeds_ada_norm=10, norm_num_groups=8",
        "torch.zeros(2, C, 8, 8), timestep=torch.tensor([1, 2]), class_labels=torch.tensor([1, 2])", 4,
    ),
    "PixArtTransformer2DModel": (
        "num_attention_heads=2, attention_head_dim=16, in_channels=4, out_channels=8, num_layers=1, cross_attention_dim=32,"
        " sample_size=8, patch_size=2, caption_channels=24, norm_num_groups=8",
        "torch.zeros(2, C, 8, 8), encoder_hidden_states=torch.zeros(2, 5, 24), timestep=torch.tensor([1, 2]), "
        "added_cond_kwargs={'resolution': None, 'aspect_ratio': None}", 4,
    ),
    "SD3Transformer2DModel": (
        "sample_size=8, patch_size=2, in_channels=4, num_layers=1, attention_head_dim=8, num_attention_heads=4, joint_attention_dim=32, "
        "caption_projection_dim=32, "
        "pooled_projection_dim=16, out_channels=4, pos_embed_max_size=8",
        "torch.zeros(2, C, 8, 8), encoder_hidden_states=torch.zeros(2, 5, 32), pooled_projections=torch.zeros(2, 16), timestep=torch.tensor([1, 2])", 4,
    ),
}  # fmt: skip


def diffusers(site: Path) -> dict[str, Pair]:
    """Programs for eight models of a small config."""
    found: dict[str, Pair] = {}
    for name, (config, call, channels) in _DIFFUSERS.items():
        made = f"import torch\nfrom diffusers import {name}\nmodel = {name}({config})\nmodel.eval()\nout = model({call})\nprint(out.sample.shape)\n"
        found[name] = pair(made, "C", channels)
    return found


ZOOS = {
    "torchvision": torchvision, "timm": timm, "vit_pytorch": vit_pytorch, "segmentation_models_pytorch": segmentation_models_pytorch,
    "transformers": transformers, "diffusers": diffusers,
}  # fmt: skip
