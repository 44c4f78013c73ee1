"""Single edits of `tf2_dcgan`, each tried under TensorFlow 2.21: every one of them makes the training fail."""

from __future__ import annotations

DRIVER = "train.py"
EDITS = [
    ("networks.py", "layers.Reshape((7, 7, width * 4))", "layers.Reshape((7, 7, width * 2))", None),
    ("networks.py", "layers.Conv2DTranspose(width, (5, 5), strides=(2, 2)", "layers.Conv2DTranspose(width, (5, 5), strides=(1, 1)", None),
    ("data.py", "images.reshape(images.shape[0], 28, 28, 1)", "images.reshape(images.shape[0], 28, 28)", None),
    ("data.py", "images.reshape(images.shape[0], 28, 28, 1)", "images.reshape(images.shape[0], 1, 28, 14)", None),
    ("train.py", "noise = tf.random.normal([batch, self.args.noise_dim])", "noise = tf.random.normal([batch, 2 * self.args.noise_dim])",
     "generated = self.generator(noise, training=True)"),
    ("train.py", "self.seed = tf.random.normal([args.examples, args.noise_dim])", "self.seed = tf.random.normal([args.noise_dim, args.examples])",
     "predictions = self.generator(self.seed, training=False)"),
    ("losses.py", "return cross_entropy(tf.ones_like(fake_output), fake_output)", "return cross_entropy(tf.ones([256, 1]), fake_output)", None),
    ("train.py", "zip(gen_gradients, self.generator.trainable_variables)", "zip(disc_gradients, self.generator.trainable_variables)", None),
    ("train.py", "self.step.assign_add(1)", "self.step.assign_add([1])", "self.step.assign_add([1])"),
    ("networks.py", "return self.head(self.flatten(x))", "return self.head(tf.reshape(x, [256, -1]))", None),
    ("train.py", "predictions[i, :, :, 0]", "predictions[i, :, :, 1]", None),
    ("networks.py", "self.act(self.conv2(x))", "self.act(self.conv1(x))", "x = self.dropout(self.act(self.conv1(x)), training=training)"),
]  # fmt: skip
