"""Rules whose texts are TensorFlow's own."""
