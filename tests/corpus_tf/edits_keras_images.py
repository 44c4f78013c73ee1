"""Single edits that break the Keras image classifier; each fails under Keras 3.15 and TensorFlow 2.21."""

from __future__ import annotations

DRIVER = "train.py"
EDITS: list[tuple[str, str, str, str | None]] = [
    ("pictures.py", 'label_mode="categorical",', 'label_mode="int",', None),
    ("pictures.py", "image_size=(opt.side, opt.side),", "image_size=(opt.side, opt.side // 2),", "first = model.fit(train, validation_data=val, epochs=opt.epochs, callbacks=callbacks(opt, val, names))"),
    ("pictures.py", "        batch_size=opt.batch_size,\n", '        batch_size=opt.batch_size,\n        color_mode="grayscale",\n', None),
    ("network.py", "residual = layers.Conv2D(filters, 1, strides=2, padding=\"same\")(previous)", "residual = layers.Conv2D(filters, 1, padding=\"same\")(previous)", "return layers.add([y, residual])"),
    ("network.py", "y = layers.MaxPooling2D(3, strides=2, padding=\"same\")(y)", "y = layers.MaxPooling2D(3, strides=2)(y)", "return layers.add([y, residual])"),
    ("network.py", "residual = layers.Conv2D(filters, 1,", "residual = layers.Conv2D(filters // 2, 1,", "return layers.add([y, residual])"),
    ("network.py", "inputs = keras.Input(shape=base.input_shape[1:])", "inputs = keras.Input(shape=base.input_shape)", None),
    ("network.py", "    x = layers.GlobalAveragePooling2D()(x)\n", "", None),
    ("network.py", "        outputs = layers.Dense(classes, activation", "        outputs = layers.Dense(classes + 1, activation", None),
    ("train.py", "loss=keras.losses.CategoricalCrossentropy(),", "loss=keras.losses.SparseCategoricalCrossentropy(),", "first = model.fit(train, validation_data=val, epochs=opt.epochs, callbacks=callbacks(opt, val, names))"),
    ("train.py", "    loss, accuracy, top3, auc = model.evaluate(val, verbose=0)", "    loss, accuracy, top3 = model.evaluate(val, verbose=0)\n    auc = 0.0", "loss, accuracy, top3 = model.evaluate(val, verbose=0)"),
    ("train.py", "batch = np.expand_dims(keras.utils.img_to_array(picture), axis=0)", "batch = keras.utils.img_to_array(picture)", "scores = model.predict(batch, verbose=0)[0]"),
    ("train.py", 'for name in ("accuracy", "val_accuracy", "top3"):', 'for name in ("acc", "val_acc", "top3"):', "plt.plot(epochs, history[name], label=name)"),
    ("train.py", 'base.get_layer("features").output)', 'base.get_layer("feature_maps").output)', 'features = keras.Model(base.input, base.get_layer("feature_maps").output)'),
    ("train.py", "overlay = tf.image.resize(strongest[..., tf.newaxis], (opt.side, opt.side))", "overlay = tf.image.resize(strongest[..., tf.newaxis], (opt.side, opt.side - 1))", None),
    ("train.py", "strongest[..., tf.newaxis]", "strongest", None),
    ("watch.py", "guessed = np.argmax(self.model.predict_on_batch(images), axis=1)", "guessed = np.argmax(self.model.predict_on_batch(images[0]), axis=1)", None),
    ("watch.py", "truth = np.argmax(labels.numpy(), axis=1)", "truth = np.argmax(labels.numpy(), axis=2)", "truth = np.argmax(labels.numpy(), axis=2)"),
    ("watch.py", 'os.path.join(opt.out, "best.keras")', 'os.path.join(opt.out, "best.ckpt")', None),
]  # fmt: skip
