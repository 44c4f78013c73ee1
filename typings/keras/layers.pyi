from keras import Layer as Layer
