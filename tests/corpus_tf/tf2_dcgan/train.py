"""Train a DCGAN with a loop of our own.

    python train.py --dataset fashion --epochs 50
"""

import argparse
import os
import time

import matplotlib.pyplot as plt
import tensorflow as tf

from data import make_dataset
from losses import discriminator_loss, generator_loss, gradient_penalty
from networks import Discriminator, make_generator


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", choices=["mnist", "fashion"], default="mnist")
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--noise-dim", type=int, default=100)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--examples", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--penalty", type=float, default=0.0)
    parser.add_argument("--augment", action="store_true")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--out", default="training")
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args()


class Trainer:
    def __init__(self, args):
        self.args = args
        self.generator = make_generator(args.noise_dim, args.width)
        self.discriminator = Discriminator(args.width)
        self.generator_optimizer = tf.keras.optimizers.Adam(args.lr)
        self.discriminator_optimizer = tf.keras.optimizers.Adam(args.lr)
        self.gen_metric = tf.keras.metrics.Mean(name="gen_loss")
        self.disc_metric = tf.keras.metrics.Mean(name="disc_loss")
        self.seed = tf.random.normal([args.examples, args.noise_dim])
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.checkpoint = tf.train.Checkpoint(
            generator_optimizer=self.generator_optimizer,
            discriminator_optimizer=self.discriminator_optimizer,
            generator=self.generator,
            discriminator=self.discriminator,
            step=self.step,
        )
        self.manager = tf.train.CheckpointManager(self.checkpoint, os.path.join(args.out, "checkpoints"), max_to_keep=3)

    @tf.function
    def train_step(self, images):
        batch = tf.shape(images)[0]
        noise = tf.random.normal([batch, self.args.noise_dim])

        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            generated = self.generator(noise, training=True)

            real_output = self.discriminator(images, training=True)
            fake_output = self.discriminator(generated, training=True)

            gen_loss = generator_loss(fake_output)
            disc_loss = discriminator_loss(real_output, fake_output, smooth=0.1)
            if self.args.penalty > 0:
                disc_loss += self.args.penalty * gradient_penalty(self.discriminator, images, generated)

        gen_gradients = gen_tape.gradient(gen_loss, self.generator.trainable_variables)
        disc_gradients = disc_tape.gradient(disc_loss, self.discriminator.trainable_variables)

        self.generator_optimizer.apply_gradients(zip(gen_gradients, self.generator.trainable_variables))
        self.discriminator_optimizer.apply_gradients(zip(disc_gradients, self.discriminator.trainable_variables))
        self.step.assign_add(1)
        return gen_loss, disc_loss

    def save_pictures(self, epoch):
        predictions = self.generator(self.seed, training=False)
        side = int(self.args.examples ** 0.5)
        fig = plt.figure(figsize=(side, side))
        for i in range(predictions.shape[0]):
            plt.subplot(side, side, i + 1)
            plt.imshow(predictions[i, :, :, 0] * 127.5 + 127.5, cmap="gray")
            plt.axis("off")
        plt.savefig(os.path.join(self.args.out, "image_at_epoch_{:04d}.png".format(epoch)))
        plt.close(fig)

    def restore(self):
        if self.manager.latest_checkpoint:
            self.checkpoint.restore(self.manager.latest_checkpoint).expect_partial()
            print("Restored from", self.manager.latest_checkpoint)

    def train(self, dataset, epochs):
        history = {"gen": [], "disc": []}
        for epoch in range(epochs):
            start = time.time()
            self.gen_metric.reset_state()
            self.disc_metric.reset_state()
            for image_batch in dataset:
                gen_loss, disc_loss = self.train_step(image_batch)
                self.gen_metric.update_state(gen_loss)
                self.disc_metric.update_state(disc_loss)

            history["gen"].append(float(self.gen_metric.result()))
            history["disc"].append(float(self.disc_metric.result()))
            self.save_pictures(epoch + 1)
            if (epoch + 1) % 15 == 0:
                self.manager.save()
            print(f"epoch {epoch + 1}: gen {history['gen'][-1]:.4f} disc {history['disc'][-1]:.4f} in {time.time() - start:.1f} s")
        return history


def main():
    args = parse_args()
    os.makedirs(args.out, exist_ok=True)
    tf.random.set_seed(0)
    dataset = make_dataset(args.dataset, args.batch_size, augment=args.augment, limit=args.limit)
    trainer = Trainer(args)
    trainer.generator.summary()
    for images in dataset.take(1):
        print(images.shape, trainer.discriminator(images).shape)
    if args.resume:
        trainer.restore()
    trainer.train(dataset, args.epochs)
    trainer.generator.save(os.path.join(args.out, "generator.keras"))


if __name__ == "__main__":
    main()
