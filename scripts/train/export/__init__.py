"""From trainings' checkpoints to ONNX, checked against torch."""
