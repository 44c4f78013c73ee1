"""torchvision.transforms, versions 1 and 2, and their functional forms: what each does to a picture's channels and sides."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries import picture_rules as rules
from tensorproof.libraries.images import is_image
from tensorproof.libraries.model import KindModel
from tensorproof.libraries.picture_rules import each_side
from tensorproof.terms.ints import Origin
from tensorproof.terms.predicates import eq
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, List, Model, Native
from tensorproof.values.python_values import Unknown

V1, V2 = "torchvision.transforms.", "torchvision.transforms.v2."
RULES: dict[str, tuple[str, Any]] = {
    "ToTensor": ("", rules.to_tensor), "PILToTensor": ("", rules.pil_to_tensor), "ToImage": ("", rules.to_image), "ToPILImage": ("mode", rules.to_pil_image),
    "Normalize": ("mean std inplace", rules.normalize), "Resize": ("size interpolation max_size antialias", rules.resize),
    "CenterCrop": ("size", rules.center_crop), "RandomCrop": ("size padding pad_if_needed fill padding_mode", rules.random_crop),
    "RandomResizedCrop": ("size scale ratio interpolation antialias", rules.resized), "Grayscale": ("num_output_channels", rules.grayscale),
    "Pad": ("padding fill padding_mode", rules.pad), "RandomRotation": ("degrees interpolation expand center fill", rules.rotated),
    "FiveCrop": ("size", rules.five_crop), "TenCrop": ("size vertical_flip", rules.ten_crop), "ConvertImageDtype": ("dtype", rules.convert_dtype),
    "ConvertDtype": ("dtype", rules.convert_dtype), "ToDtype": ("dtype scale", rules.to_dtype), "RGB": ("", rules.to_rgb),
    "RandomErasing": ("p scale ratio value inplace", rules.tensor_only), "LinearTransformation": ("transformation_matrix mean_vector", rules.tensor_only),
    "RandomHorizontalFlip": ("p", rules.same), "RandomVerticalFlip": ("p", rules.same), "RandomGrayscale": ("p", rules.same),
    "ColorJitter": ("brightness contrast saturation hue", rules.same), "RandomPerspective": ("distortion_scale p interpolation fill", rules.same),
    "RandomAffine": ("degrees translate scale shear interpolation fill center", rules.same), "GaussianBlur": ("kernel_size sigma", rules.same),
    "RandomInvert": ("p", rules.same), "RandomPosterize": ("bits p", rules.same), "RandomSolarize": ("threshold p", rules.same),
    "RandomAdjustSharpness": ("sharpness_factor p", rules.same), "RandomAutocontrast": ("p", rules.same), "RandomEqualize": ("p", rules.same),
    "RandAugment": ("num_ops magnitude num_magnitude_bins interpolation fill", rules.same), "AutoAugment": ("policy interpolation fill", rules.same),
    "TrivialAugmentWide": ("num_magnitude_bins interpolation fill", rules.same), "AugMix": ("severity mixture_width chain_depth alpha", rules.same),
    "ElasticTransform": ("alpha sigma interpolation fill", rules.same), "Identity": ("", rules.same), "RandomPhotometricDistort": ("brightness", rules.same),
    "RandomChannelPermutation": ("", rules.same), "GaussianNoise": ("mean sigma clip", rules.same), "ToPureTensor": ("", rules.same),
    "JPEG": ("quality", rules.same), "ClampBoundingBoxes": ("", rules.same), "SanitizeBoundingBoxes": ("", rules.same),
}  # fmt: skip
_WHOLE: dict[str, str] = {
    "Compose": "transforms", "RandomApply": "transforms p", "RandomChoice": "transforms p", "RandomOrder": "transforms", "Lambda": "lambd",
    "CutMix": "", "MixUp": "",
}  # fmt: skip
FUNCTIONAL: dict[str, tuple[str, Any]] = {
    "to_tensor": ("", rules.to_tensor), "pil_to_tensor": ("", rules.pil_to_tensor), "to_pil_image": ("mode", rules.to_pil_image),
    "to_image": ("", rules.to_image),
    "normalize": ("mean std inplace", rules.normalize), "resize": ("size interpolation max_size antialias", rules.resize),
    "center_crop": ("output_size", rules.center_crop), "crop": ("top left height width", rules.cropped), "hflip": ("", rules.same), "vflip": ("", rules.same),
    "horizontal_flip": ("", rules.same), "vertical_flip": ("", rules.same), "pad": ("padding fill padding_mode", rules.pad),
    "rotate": ("angle interpolation expand center fill", rules.rotated), "affine": ("angle translate scale shear", rules.same),
    "perspective": ("startpoints endpoints", rules.same), "resized_crop": ("top left height width size interpolation antialias", rules.resized),
    "to_grayscale": ("num_output_channels", rules.grayscale), "rgb_to_grayscale": ("num_output_channels", rules.grayscale),
    "five_crop": ("size", rules.five_crop), "ten_crop": ("size vertical_flip", rules.ten_crop), "convert_image_dtype": ("dtype", rules.convert_dtype),
    "to_dtype": ("dtype scale", rules.to_dtype), "erase": ("i j h w v inplace", rules.tensor_only),
    **dict.fromkeys(
        (
            "adjust_brightness", "adjust_contrast", "adjust_saturation", "adjust_hue", "adjust_gamma", "adjust_sharpness", "gaussian_blur", "invert",
            "posterize", "solarize", "autocontrast", "equalize",
        ),
        ("factor gain", rules.same),
    ),
}  # fmt: skip


def _bound(m: Any, name: str, words: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> dict[str, Any]:
    order = words.split()
    if len(args) > len(order) and name not in ("CutMix", "MixUp"):
        raise m.raised("TypeError", f"{name} takes at most {len(order)} arguments, not {len(args)}", node, "call/arguments")
    return {**dict(zip(order, args)), **kwargs}


def _maker(name: str, words: str) -> Any:
    def make(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        given = _bound(m, name, words, args, kwargs, node)
        needed = {"Compose": "transforms", "Pad": "padding", **dict.fromkeys(("Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop"), "size")}.get(name)
        if name == "Normalize" and ("mean" not in given or "std" not in given):
            needed = "mean" if "mean" not in given else "std"
        if needed is not None and needed not in given:
            raise m.raised("TypeError", f"{name} needs the argument {needed}", node, "call/arguments")
        if name == "Normalize":
            rules.check_normalize(m, given, node)
        return Model(V1 + name, m.heap.space({"given": m.heap.space(given)}), m.user_span(node))

    return make


def apply(m: Any, name: str, given: Any, x: Any, node: Any) -> Any:
    """One transform of one picture."""
    if isinstance(x, Choice):
        return m.branching.choose(x.condition, lambda: apply(m, name, given, x.then, node), lambda: apply(m, name, given, x.other, node))
    if isinstance(x, Unknown):
        return m.gap(name, node, f"the picture is not known: {x.reason}")
    return RULES[name][1](m, given, x, node)


def _call(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    name, given = me.kind.removeprefix(V1), me.space["given"]
    if not args:
        args = tuple(kwargs.values())
    if name == "Lambda":
        return m.call(given.get("lambd"), args, {}, node)
    if name in ("CutMix", "MixUp"):
        return _mixed(m, given, args, node)
    if name in _WHOLE:
        return _whole(m, name, given, args, node)
    if len(args) == 1:
        if type(args[0]) is tuple:
            return tuple(_if_picture(m, name, given, v, node) for v in args[0])
        return apply(m, name, given, args[0], node)
    return tuple(_if_picture(m, name, given, v, node, i == 0) for i, v in enumerate(args))


def _if_picture(m: Any, name: str, given: Any, value: Any, node: Any, first: bool = True) -> Any:
    if is_image(value) or (first and isinstance(value, TensorType)) or isinstance(value, Choice):
        return apply(m, name, given, value, node)
    return value


def _whole(m: Any, name: str, given: Any, args: tuple[Any, ...], node: Any) -> Any:
    listed = m.iterate(given["transforms"], node)
    if listed is None:
        return m.gap(V1 + name, node, "of transforms that are not known")

    def all_of() -> Any:
        value: Any = args
        for one in listed:
            result = m.call(one, value, {}, node)
            value = result if type(result) is tuple and len(args) > 1 else (result,)
        return value[0] if len(args) == 1 else value

    if name in ("Compose", "RandomOrder"):
        return all_of()
    drawn = m.symbol(m.name_here("the transform drawn", node), 0, max(len(listed) - 1, 1), Origin.WORLD)
    if name == "RandomApply":
        return m.branching.choose(eq(drawn, 1), all_of, lambda: args[0] if len(args) == 1 else args)
    result: Any = MISSING
    for i in reversed(range(len(listed))):
        if result is MISSING:
            result = m.call(listed[i], args, {}, node)
        else:
            result = m.branching.choose(eq(drawn, i), lambda i=i: m.call(listed[i], args, {}, node), lambda r=result: r)
    return result


def _mixed(m: Any, given: Any, args: tuple[Any, ...], node: Any) -> Any:
    """A batch and its labels: the labels become rows of weights."""
    from tensorproof.terms.dtypes import FLOAT32
    from tensorproof.terms.shapes import Shape

    batch = args if len(args) == 2 else args[0] if isinstance(args[0], tuple) else tuple(args[0].items) if isinstance(args[0], List) else None
    classes = given.get("num_classes")
    if batch is None or len(batch) != 2 or not isinstance(batch[1], TensorType) or not batch[1].shape.known or classes is None:
        return m.gap("CutMix or MixUp", node, "the batch is not known")
    return batch[0], TensorType(Shape((batch[1].shape[0], classes)), FLOAT32)


def _functional(name: str, words: str, rule: Any) -> Any:
    def run(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        named = dict(kwargs)
        picture = args[0] if args else next((named.pop(k) for k in ("img", "inpt", "pic", "tensor", "image") if k in named), Unknown("nothing"))
        given = _bound(m, name, words, args[1:], named, node)
        if "output_size" in given:
            given["size"] = given["output_size"]
        if isinstance(picture, Choice):
            return m.branching.choose(
                picture.condition, lambda: run(m, (picture.then, *args[1:]), named, node), lambda: run(m, (picture.other, *args[1:]), named, node)
            )
        if isinstance(picture, Unknown):
            return m.gap(name, node, f"the picture is not known: {picture.reason}")
        return rule(m, given, picture, node)

    return run


def _crop_place(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    """RandomCrop.get_params(image, size): where a crop begins, and its size."""
    size = args[1] if len(args) > 1 else kwargs.get("output_size")
    height, width = each_side(m, size, node)
    outside = Unknown("a place in a picture")
    return outside, outside, height, width


def _attribute(m: Any, me: Model, name: str, node: Any) -> Any:
    given = me.space["given"]
    if name == "transforms" and name in given:
        return given[name]
    if name == "forward":
        return Native("forward", lambda machine, args, kwargs, at: _call(machine, me, args, kwargs, at))
    return given.get(name, MISSING)


def _sides_of(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    x = args[0] if args else kwargs.get("img")
    found = rules.sides(m, x, node) if is_image(x) or isinstance(x, TensorType) else None
    return Unknown("size") if found is None else List(m.heap.row((found[1], found[0])))


def _dimensions(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    x = args[0] if args else kwargs.get("img")
    found = rules.sides(m, x, node) if is_image(x) or isinstance(x, TensorType) else None
    return Unknown("size") if found is None else List(m.heap.row((rules.channels_of(x), *found)))


_ALL = {**{n: words for n, (words, _) in RULES.items()}, **_WHOLE}
_HOMES = (V1, V2, V1 + "transforms.", V1 + "autoaugment.")
FUNCTIONS: dict[str, Any] = {home + n: _maker(n, words) for n, words in _ALL.items() for home in _HOMES}
for _home in (V1 + "functional.", V2 + "functional."):
    FUNCTIONS |= {_home + n: _functional(n, words, rule) for n, (words, rule) in FUNCTIONAL.items()}
    FUNCTIONS |= {_home + "get_image_size": _sides_of, _home + "get_dimensions": _dimensions}
FUNCTIONS |= {V1 + "RandomCrop.get_params": _crop_place}
KINDS = {V1 + n: KindModel(attribute=_attribute, call=_call, open=True, bases=("torch.nn.Module",)) for n in _ALL}
