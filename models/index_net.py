"""The network that reads an index by its letter alone: a corner of a card in, what stands there out."""

from __future__ import annotations

from torch import Tensor, nn

from vision.faces.indices import LETTERS


def _unit(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class IndexNet(nn.Module):
    """(N, 2, 44, 34), ink and mask in 0..1, to (N, 18): the letters of `vision.faces.indices`, and that none is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _unit(2, 16, 5, 2), _unit(16, 24), nn.MaxPool2d(2), _unit(24, 40), nn.MaxPool2d(2)
        )
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(40 * 5 * 4, 80),
            nn.ReLU(inplace=True),
            nn.Linear(80, len(LETTERS) + 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        out: Tensor = self.head(self.body(x))
        return out
