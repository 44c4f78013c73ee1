"""Trains the classifier of reviews and looks into its blocks."""

import argparse

import keras
import numpy as np
from data import load_reviews
from keras import ops
from layers import build_classifier


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """Grows linearly, then falls with the square root of the step."""

    def __init__(self, width, steps=400):
        super().__init__()
        self.width, self.steps = float(width), steps

    def __call__(self, step):
        step = ops.cast(step, "float32") + 1.0
        return ops.rsqrt(self.width) * ops.minimum(ops.rsqrt(step), step * self.steps**-1.5)

    def get_config(self):
        return {"width": self.width, "steps": self.steps}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vocabulary", type=int, default=20000)
    parser.add_argument("--length", type=int, default=200)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()

    (x_train, y_train), (x_test, y_test) = load_reviews(args.vocabulary, args.length)
    print(len(x_train), "training reviews", len(x_test), "test reviews")
    model = build_classifier(args.vocabulary, args.length, args.width, args.heads, blocks=args.blocks)
    model.summary()
    model.compile(
        optimizer=keras.optimizers.Adam(WarmUp(args.width), beta_2=0.98),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    callbacks = [
        keras.callbacks.EarlyStopping(monitor="val_loss", patience=2, restore_best_weights=True),
        keras.callbacks.ModelCheckpoint("classifier.keras", save_best_only=True),
    ]
    history = model.fit(x_train, y_train, batch_size=args.batch_size, epochs=args.epochs, validation_split=0.1, callbacks=callbacks)
    print("best", max(history.history["val_accuracy"]))
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"test loss {loss:.3f} accuracy {accuracy:.3f}")

    probabilities = model.predict(x_test[:100], verbose=0)
    chosen = np.argmax(probabilities, axis=-1)
    print("right", int((chosen == y_test[:100]).sum()), "of", len(chosen))

    first_block = keras.Model(model.input, model.get_layer("block_0").output)
    features = first_block.predict(x_test[:8], verbose=0)
    print("features", features.shape, "weights", model.count_params())
    logits = model(ops.convert_to_tensor(x_test[:4]), training=False)
    print("sum", ops.sum(logits, axis=-1).shape)


if __name__ == "__main__":
    main()
