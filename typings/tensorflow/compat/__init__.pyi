from tensorflow.compat import v1 as v1
