"""From a training's checkpoint to a network of models/: ONNX, checked against torch, and weights to train on from."""
