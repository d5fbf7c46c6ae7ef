"""The finder's network: for every cell of 4 px, what lies on top there and where the whole card is.

A fully convolutional encoder and decoder. Each cell that shows a card votes for the card's middle and its two half
axes, so that a card of which only a strip can be seen is found from that strip, and the cells of one card agree
on one rectangle. Axes are predicted with doubled angles because a card turned by 180 degrees is the same card.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.blocks import ConvUnit, Residual, added, doubled

CELL = 4
#: Unit of all lengths that the network predicts, px.
UNIT = 32.0
CLASSES = ("surface", "face", "back", "hand")
#: Channels: class logits; middle x y (UNIT); direction of the long and of the short axis as cos and sin of twice its
#: angle; logarithms of the half axes (UNIT); logarithm of the expected error of the middle (half short axes); the two
#: directions again as cos and sin of four times the angle, which is sharp even where long and short are in doubt; logit
#: of an edge between this cell's card and whatever a neighbouring cell shows.
CHANNELS = len(CLASSES) + 2 + 2 + 2 + 2 + 1 + 2 + 2 + 1
#: Channels of EdgeTurn.
EDGES = 10


class Context(nn.Module):
    """Widens the view at the coarsest level: three poolings of 5 x 5, joined."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before = ConvUnit(width, width // 2, kernel=1)
        self.pool = nn.MaxPool2d(5, 1, 2)
        self.after = ConvUnit(width * 2, width, kernel=1)

    def forward(self, x: Tensor) -> Tensor:
        """(N, width, H, W) to the same."""
        first = self.before(x)
        second = self.pool(first)
        third = self.pool(second)
        return self.after(torch.cat([first, second, third, self.pool(third)], 1))  # type: ignore[no-any-return]


class EdgeTurn(nn.Module):
    """Edges with doubled angles, on the grid of cells: (N, 3, H, W) to (N, EDGES, H / 4, W / 4).

    The direction of an edge with a doubled angle is a product of gradients, which convolutions and rectifiers learn
    only slowly; given it, the network has to collect the edges of a card and no more. For fine and for coarse edges:
    strength x (cos, sin) of twice and of four times the gradient's angle, and strength.
    """

    def __init__(self) -> None:
        super().__init__()
        across = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]) / 4
        self.register_buffer("slopes", torch.stack([across, across.T])[:, None], persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        grey = x.mean(1, keepdim=True)
        fine = functional.avg_pool2d(self._edges(grey), 4)
        coarse = functional.avg_pool2d(self._edges(functional.avg_pool2d(grey, 2)), 2)
        return torch.cat([fine, coarse], 1)

    def _edges(self, grey: Tensor) -> Tensor:
        slopes = functional.conv2d(functional.pad(grey, (1, 1, 1, 1), mode="replicate"), self.slopes)  # type: ignore[arg-type]
        gx, gy = slopes[:, 0:1], slopes[:, 1:2]
        strength = torch.sqrt(gx * gx + gy * gy + 1e-4)
        a, b = (gx * gx - gy * gy) / strength, 2 * gx * gy / strength
        return torch.cat([a, b, (a * a - b * b) / strength, 2 * a * b / strength, strength], 1) * 8


class FinderNet(nn.Module):
    """(N, 3, H, W) BGR in 0..1, H and W multiples of 32, to (N, channels, H / 4, W / 4).

    `deeper`: how many blocks more it has at a quarter, an eighth, a sixteenth and a thirty-second, and where all that
    is seen is joined.
    """

    def __init__(
        self,
        widths: tuple[int, int, int, int] = (24, 56, 104, 160),
        join: int = 80,
        channels: int = CHANNELS,
        deeper: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0),
    ) -> None:
        super().__init__()
        a, b, c, d = widths
        self.stem = nn.Sequential(ConvUnit(3, 16, 2), ConvUnit(16, a, 2))
        self.edges = EdgeTurn()
        self.quarter = nn.Sequential(ConvUnit(a + EDGES, a), Residual(a), *added(a, deeper[0]))
        self.eighth = nn.Sequential(ConvUnit(a, b, 2), Residual(b), Residual(b), *added(b, deeper[1]))
        self.sixteenth = nn.Sequential(ConvUnit(b, c, 2), Residual(c), Residual(c), *added(c, deeper[2]))
        self.coarse = nn.Sequential(
            ConvUnit(c, d, 2), Residual(d), Residual(d), Context(d), *added(d, deeper[3])
        )
        self.lift_coarse = nn.Conv2d(d, join, 1)
        self.side_sixteenth = nn.Conv2d(c, join, 1)
        self.join_sixteenth = nn.Sequential(ConvUnit(join, join), nn.Conv2d(join, b, 1))
        self.side_eighth = nn.Conv2d(b, b, 1)
        self.join_eighth = nn.Sequential(ConvUnit(b, b), nn.Conv2d(b, 40, 1))
        self.side_quarter = nn.Conv2d(a, 40, 1)
        self.joined = nn.Sequential(*added(40, deeper[4]))
        self.head = nn.Sequential(ConvUnit(40, 48), nn.Conv2d(48, channels, 1))

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        _, joined = self.features(x, self.edges(x))
        # places are finer than half precision
        with torch.autocast(x.device.type, enabled=False):
            return self.head(joined.float())  # type: ignore[no-any-return]

    def features(self, x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
        """What is seen of every cell close by, and with all that is around it: (N, 24, H / 4, W / 4), (N, 40, ...)."""
        quarter = self.quarter(torch.cat([self.stem((x - 0.45) * 4), edges], 1))
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        coarse = self.lift_coarse(self.coarse(sixteenth))
        sixteenth = self.join_sixteenth(self.side_sixteenth(sixteenth) + doubled(coarse, self.training))
        eighth = self.join_eighth(self.side_eighth(eighth) + doubled(sixteenth, self.training))
        return quarter, self.joined(self.side_quarter(quarter) + doubled(eighth, self.training))


def finder_loss(
    output: Tensor, kinds: Tensor, boxes: Tensor, weights: Tensor, borders: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Loss of a batch.

    `kinds` (N, h, w): class of every cell, -1 = do not care. `boxes` (N, 12, h, w): what channels 4 to 11 and 13 to
    16 should be. `weights` (N, h, w): weight of a cell among the cards' cells, 0 off the cards. `borders`
    (N, h, w): 1 where a neighbouring cell shows something else. Directions are learned with squares: absolute errors
    leave a network at zero that cannot yet tell one direction from the other. Middles are learned with absolute errors
    down to a fortieth of a width, so that the strips of a spread do not melt into one another.
    """
    logits = output[:, : len(CLASSES)].float()
    certain = functional.cross_entropy(
        logits, kinds, ignore_index=-1, reduction="none", label_smoothing=0.005
    )
    classes = (certain * (0.5 + weights.clamp(max=3.0))).mean()
    half_short = torch.exp(boxes[:, 7:8])
    off = (output[:, 4:6].float() - boxes[:, 0:2]) / half_short
    middle = functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.05, reduction="none").sum(1)
    spread = output[:, 12].float().clamp(-5, 2)
    votes = off.abs().sum(1) * torch.exp(-spread) + 2 * spread
    edges = (output[:, 13:17].float() - boxes[:, 8:12]).square().sum(1)
    turn = (output[:, 6:10].float() - boxes[:, 2:6]).square().sum(1)
    size = (output[:, 10:12].float() - boxes[:, 6:8]).abs().sum(1)
    total = weights.sum().clamp(min=1.0)
    border = functional.binary_cross_entropy_with_logits(output[:, 17].float(), borders)

    def mean(values: Tensor) -> Tensor:
        return (values * weights).sum() / total

    parts = {
        "class": float(classes.detach()),
        "border": float(border.detach()),
        "middle": float(mean(off.detach().abs().sum(1))) / 2,
        "turn": float(mean(turn.detach())) / 2,
        "edges": float(mean(edges.detach())) / 2,
        "size": float(mean(size.detach())) / 2,
    }
    directions = 0.5 * (mean(turn) + mean(edges) + mean(size))
    return classes + border + mean(middle) + 0.25 * mean(votes) + directions, parts
