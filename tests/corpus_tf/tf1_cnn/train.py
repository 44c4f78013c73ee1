"""Trains the network on CIFAR-10: python train.py --batch_size 128 --epochs 20"""
import os
import time

import tensorflow as tf

import dataset
from network import Network

flags = tf.app.flags
flags.DEFINE_integer("batch_size", 128, "Examples in a batch.")
flags.DEFINE_integer("epochs", 20, "How often the data are seen.")
flags.DEFINE_integer("num_blocks", 2, "Residual blocks.")
flags.DEFINE_float("learning_rate", 0.1, "The first learning rate.")
flags.DEFINE_string("train_dir", "/tmp/cifar", "Where summaries and checkpoints go.")
FLAGS = flags.FLAGS


def evaluate(sess, net, data):
    total = 0
    for start in range(0, data.num_examples, FLAGS.batch_size):
        images, labels = data.slice(start, start + FLAGS.batch_size)
        total += sess.run(net.correct_count, feed_dict={net.images: images, net.labels: labels, net.keep_prob: 1.0, net.is_training: False})
    return float(total) / data.num_examples


def main(_):
    train_data, test_data = dataset.load()
    steps_per_epoch = train_data.num_examples // FLAGS.batch_size
    net = Network(FLAGS.learning_rate, decay_steps=2 * steps_per_epoch, num_blocks=FLAGS.num_blocks)
    saver = tf.train.Saver(max_to_keep=3)
    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
        sess.run(tf.global_variables_initializer())
        step = 0
        for epoch in range(FLAGS.epochs):
            began = time.time()
            for _ in range(steps_per_epoch):
                images, labels = train_data.next_batch(FLAGS.batch_size)
                feed = {net.images: images, net.labels: labels, net.keep_prob: 0.5, net.is_training: True}
                _, loss, step = sess.run([net.train_op, net.loss, net.global_step], feed_dict=feed)
                if step % 100 == 0:
                    feed = {net.images: images, net.labels: labels, net.keep_prob: 1.0, net.is_training: False}
                    summary, accuracy = sess.run([net.summary, net.accuracy], feed_dict=feed)
                    writer.add_summary(summary, step)
                    print("step %d: loss %.4f, accuracy %.3f" % (step, loss, accuracy))
            print("epoch %d took %.1f s, test accuracy %.4f" % (epoch, time.time() - began, evaluate(sess, net, test_data)))
            saver.save(sess, os.path.join(FLAGS.train_dir, "model"), global_step=step)


if __name__ == "__main__":
    tf.app.run()
