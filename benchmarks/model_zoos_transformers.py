"""The programs of model_zoos.py for transformers: classes with a small config."""

from __future__ import annotations

from pathlib import Path

from model_zoos_pair import Pair, pair

_SIZES = "num_hidden_layers=2, num_attention_heads=4, intermediate_size=64"
_SMALL = f"hidden_size=32, {_SIZES}"
_NARROW = "embedding_size=32"
_GROUPED = "num_key_value_heads=2, head_dim=8"
_TEXT = {
    "Bert": ("", "Model", "ForSequenceClassification", "ForMaskedLM", "ForTokenClassification", "ForQuestionAnswering"),
    "Roberta": ("", "Model", "ForSequenceClassification"), "Electra": (_NARROW, "Model", "ForSequenceClassification"),
    "DebertaV2": ("", "Model", "ForSequenceClassification"), "Albert": (_NARROW, "Model"), "ConvBert": (_NARROW, "Model"), "Ernie": ("", "Model"),
    "MobileBert": (f"{_NARROW}, intra_bottleneck_size=32", "Model"), "XLMRoberta": ("", "Model"), "Camembert": ("", "Model"), "MPNet": ("", "Model"),
    "RoFormer": ("", "Model"), "ModernBert": ("", "Model"), "Longformer": ("attention_window=4", "Model"),
    "Llama": ("", "Model", "ForCausalLM"), "Mistral": (_GROUPED, "ForCausalLM"), "Qwen2": (_GROUPED, "ForCausalLM"), "Qwen3": (_GROUPED, "ForCausalLM"),
    "Gemma": (_GROUPED, "ForCausalLM"), "Phi": ("", "ForCausalLM"), "GPTNeoX": ("", "ForCausalLM"), "StableLm": ("num_key_value_heads=2", "ForCausalLM"),
    "Olmo": ("", "ForCausalLM"), "Cohere": ("", "ForCausalLM"), "Mixtral": (f"{_GROUPED}, num_local_experts=2", "ForCausalLM"),
}  # fmt: skip
"""By family: what its config has beside the sizes that all have, and the ends of the names of its classes."""
_GPT2 = "GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=100)"
_DISTIL = "DistilBertConfig(dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=100)"
_OWN = {
    "GPT2LMHeadModel": _GPT2,
    "GPT2Model": _GPT2,
    "DistilBertModel": _DISTIL,
    "DistilBertForSequenceClassification": _DISTIL,
    "T5EncoderModel": "T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=100)",
    "OPTForCausalLM": "OPTConfig(hidden_size=32, word_embed_proj_dim=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, vocab_size=100)",
    "BloomForCausalLM": "BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=100)",
    "XLNetModel": "XLNetConfig(d_model=32, n_layer=2, n_head=4, d_inner=64, vocab_size=100)",
}
_LAYERS = "encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64"
_BART = f"BartConfig(d_model=32, {_LAYERS}, vocab_size=100)"
_BOTH = {
    "BartModel": _BART, "BartForConditionalGeneration": _BART,
    "T5ForConditionalGeneration": "T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=100, decoder_start_token_id=0)",
}  # fmt: skip
"""Classes with an encoder and a decoder."""
_VISION = {
    "ViT": ("Model", "ForImageClassification"), "DeiT": ("Model",), "Dinov2": ("Model",), "Beit": ("Model",), "ViTMAE": ("Model",),
}  # fmt: skip
_PICTURES = {
    "ResNetForImageClassification": "ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1])",
    "ConvNextModel": "ConvNextConfig(hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1])",
    "SwinModel": "SwinConfig(image_size=64, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4)",
    "SegformerModel": "SegformerConfig(hidden_sizes=[16, 32, 48, 64], num_attention_heads=[1, 2, 4, 8], depths=[1, 1, 1, 1])",
    "CLIPVisionModel": f"CLIPVisionConfig(image_size=64, patch_size=16, {_SMALL})",
}  # fmt: skip
_CLIP = f"""
text = CLIPTextConfig(vocab_size=100, {_SMALL})
vision = CLIPVisionConfig(image_size=64, patch_size=16, {_SMALL})
model = CLIPModel(CLIPConfig(text_config=text.to_dict(), vision_config=vision.to_dict(), projection_dim=16))
"""
_WAVES = "conv_dim=(32, 32), conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4"
_DETR = "DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone, d_model=32, num_queries=10"
_OTHERS = {
    "CLIPModel": (
        f"from transformers import CLIPConfig, CLIPModel, CLIPTextConfig, CLIPVisionConfig{_CLIP}",
        "out = model(input_ids=torch.ones(2, 7, dtype=torch.long), pixel_values=torch.zeros(2, C, 64, 64))\nprint(out.logits_per_image.shape)\n", 3,
    ),
    "WhisperModel": (
        f"from transformers import WhisperConfig, WhisperModel\nmodel = WhisperModel(WhisperConfig(d_model=32, {_LAYERS}, vocab_size=100, pad_token_id=0, "
        "bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, max_source_positions=50, num_mel_bins=80))\n",
        "out = model(torch.zeros(2, C, 100), decoder_input_ids=torch.ones(2, 5, dtype=torch.long))\nprint(out[0].shape)\n", 80,
    ),
    "Wav2Vec2Model": (
        f"from transformers import Wav2Vec2Config, Wav2Vec2Model\nmodel = Wav2Vec2Model(Wav2Vec2Config({_SMALL}, {_WAVES}))\n",
        "out = model(torch.zeros(2, 4000))\nprint(out[0].shape)\nmodel.feature_projection(torch.zeros(2, 9, C))\n", 32,
    ),
    "DetrForObjectDetection": (
        "from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig\n"
        "backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], out_features=['stage2'])\n"
        f"model = DetrForObjectDetection({_DETR}, {_LAYERS}))\n",
        "out = model(torch.zeros(2, C, 64, 64))\nprint(out.logits.shape, out.pred_boxes.shape)\n", 3,
    ),
}  # fmt: skip
_BEGIN = "import torch\nfrom transformers import {config}, {name}\nmodel = {name}({made})\nmodel.eval()\n"
_IDS = "input_ids=torch.ones(2, 7, dtype=torch.long), attention_mask=torch.ones(2, 7, dtype=torch.long)"


def _begin(name: str, config: str) -> str:
    return _BEGIN.format(config=config.partition("(")[0], name=name, made=config)


def transformers(site: Path) -> dict[str, Pair]:
    """A wrong text model takes embeddings of another width; a wrong vision model another number of channels."""
    found: dict[str, Pair] = {}
    sizes = {family: f"{family}Config(vocab_size=100, pad_token_id=0, {', '.join(filter(None, (_SMALL, more)))})" for family, (more, *_) in _TEXT.items()}
    texts = {f"{family}{end}": sizes[family] for family, (_, *ends) in _TEXT.items() for end in ends} | _OWN
    for name, config in texts.items():
        found[name] = pair(f"{_begin(name, config)}out = model({_IDS})\nprint(out[0].shape)\nmodel(inputs_embeds=torch.zeros(2, 7, WIDTH))\n", "WIDTH", 32)
    for name, config in _BOTH.items():
        target = "decoder_input_ids=torch.ones(2, 5, dtype=torch.long)"
        call = f"out = model({_IDS}, {target})\nprint(out[0].shape)\nmodel(inputs_embeds=torch.zeros(2, 7, WIDTH), {target})\n"
        found[name] = pair(f"{_begin(name, config)}{call}", "WIDTH", 32)
    pictures = {f"{family}{end}": f"{family}Config(image_size=64, patch_size=16, {_SMALL})" for family, ends in _VISION.items() for end in ends} | _PICTURES
    for name, config in pictures.items():
        found[name] = pair(f"{_begin(name, config)}out = model(torch.zeros(2, C, 64, 64))\nprint(out[0].shape)\n")
    for name, (begin, end, width) in _OTHERS.items():
        found[name] = pair(f"import torch\n{begin}model.eval()\n{end}", "C", width)
    return found
