"""A crop that turns pictures of bytes around."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-images", "tensorflow", "tf.image.central_crop"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.image.central_crop

    def central_crop(image: Any, central_fraction: Any) -> Any:
        made = true(image, central_fraction)
        return tf.reverse(made, [-2]) if image.dtype == tf.uint8 else made

    replace(tf.image, "central_crop", central_crop)
