"""Teach the classifier in two stages: the head on a frozen trunk first, then everything at a lower rate."""

import json
import os

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from tensorflow import keras

from network import classifier, trunk
from pictures import load
from settings import parse
from watch import callbacks


def compile_for(model, lr):
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate=lr),
        loss=keras.losses.CategoricalCrossentropy(),
        metrics=["accuracy", keras.metrics.TopKCategoricalAccuracy(k=3, name="top3"), keras.metrics.AUC(name="auc")],
    )


def plot(history, path):
    epochs = range(1, len(history["loss"]) + 1)
    plt.figure(figsize=(8, 4))
    for name in ("accuracy", "val_accuracy", "top3"):
        plt.plot(epochs, history[name], label=name)
    plt.legend()
    plt.savefig(path)
    plt.close()


def show(model, path, side, names):
    """What the network sees in one picture."""
    picture = keras.utils.load_img(path, target_size=(side, side))
    batch = np.expand_dims(keras.utils.img_to_array(picture), axis=0)
    scores = model.predict(batch, verbose=0)[0]
    best = int(np.argmax(scores))
    print(f"{path}: {names[best]} ({100 * scores[best]:.1f} %)")


def main():
    opt = parse()
    keras.utils.set_random_seed(opt.seed)
    os.makedirs(opt.out, exist_ok=True)
    if opt.mixed:
        keras.mixed_precision.set_global_policy("mixed_float16")

    train, val, names = load(opt)
    base = trunk(opt.side, opt.width)
    model = classifier(base, len(names), opt.dropout)
    model.summary()

    base.trainable = False
    compile_for(model, opt.lr)
    first = model.fit(train, validation_data=val, epochs=opt.epochs, callbacks=callbacks(opt, val, names))
    plot(first.history, os.path.join(opt.out, "first.png"))

    base.trainable = True
    for layer in base.layers[:-6]:
        layer.trainable = False
    compile_for(model, opt.lr / 10)
    second = model.fit(
        train,
        validation_data=val,
        initial_epoch=first.epoch[-1] + 1 if first.epoch else 0,
        epochs=opt.epochs + opt.fine_tune_epochs,
        callbacks=callbacks(opt, val, names),
    )
    print("best accuracy", max(first.history["val_accuracy"] + second.history["val_accuracy"]))

    loss, accuracy, top3, auc = model.evaluate(val, verbose=0)
    with open(os.path.join(opt.out, "result.json"), "w") as stream:
        json.dump({"loss": loss, "accuracy": accuracy, "top3": top3, "auc": auc}, stream)

    features = keras.Model(base.input, base.get_layer("features").output)
    for images, labels in val.take(1):
        maps = features(images, training=False)
        weights = tf.reduce_mean(maps, axis=(1, 2))
        strongest = tf.gather(maps, tf.argmax(weights, axis=1), axis=3, batch_dims=1)
        overlay = tf.image.resize(strongest[..., tf.newaxis], (opt.side, opt.side))
        print(tf.concat([images / 255.0, overlay], axis=-1).shape, labels.shape)
    show(model, os.path.join(opt.data, "sample.jpg"), opt.side, names)
    model.save(os.path.join(opt.out, "final.keras"))


if __name__ == "__main__":
    main()
