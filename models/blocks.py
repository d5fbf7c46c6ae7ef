"""What the networks are built of."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional


class ConvUnit(nn.Sequential):
    """3 x 3 convolution, batch norm, rectifier."""

    def __init__(self, inputs: int, outputs: int, stride: int | tuple[int, int] = 1, kernel: int = 3) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class Residual(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(ConvUnit(width, width), ConvUnit(width, width))

    def forward(self, x: Tensor) -> Tensor:
        """(N, width, H, W) to the same."""
        return x + self.body(x)  # type: ignore[no-any-return]


#: How much a block that is added to a network adds at first: nothing would never learn, for rectifiers pass no
#: gradient at nought.
ADDED = 0.05


def added(width: int, count: int) -> list[nn.Module]:
    """`count` residual blocks that hardly change anything yet, so that what lies around them may be trained already."""
    blocks = [Residual(width) for _ in range(count)]
    for block in blocks:
        nn.init.constant_(block.body[1][1].weight, ADDED)  # type: ignore[index,union-attr]
    return list[nn.Module](blocks)


def doubled(x: Tensor, training: bool) -> Tensor:
    """(N, C, H, W) to (N, C, 2 H, 2 W), every place four times.

    Compiled on a CPU (torch 2.13), the gradient of `interpolate` is nought, so that training has to repeat.
    """
    if training:
        return x.repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


def stages(inputs: int, widths: tuple[int, int, int, int]) -> list[nn.Module]:
    """Four halvings of a crop, each of its width, that end in what `widths` says last."""
    a, b, c, d = widths
    return [
        ConvUnit(inputs, a, 2),
        ConvUnit(a, b, 2),
        ConvUnit(b, b),
        ConvUnit(b, c, 2),
        Residual(c),
        ConvUnit(c, d, 2),
        Residual(d),
    ]
