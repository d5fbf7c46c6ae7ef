"""A quick look at hands and cards: yolo26n trained in minutes on the digital table, as ONNX, with its figures.

data.py writes pictures and boxes as ultralytics reads them, train.py trains and exports, measure.py judges the ONNX
file on pictures of decks and surfaces that training never saw. `make train NET=quick` runs them one after the other.
"""
