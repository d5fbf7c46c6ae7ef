"""The finder's second look: every cell looks at the rectangle for which it voted, and votes again.

What a strip alone leaves open is where along itself its card ends. The first votes say where to look: at places all
over the voted rectangle, in the rectangle's own frame, the network is told what is seen there (edges, by how they run
beside the rectangle's sides) and what the cells there vote for (the same card or another, and by how much off). From
that it corrects the vote, in that frame again, so that it does not have to learn to turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.blocks import ConvUnit, Residual, added, doubled
from models.finder_net import CELL, CHANNELS, CLASSES, EDGES, UNIT, Context, FinderNet

#: Where the rectangle is looked at, of its half axes: along its long sides, and down its middle.
PLACES = tuple((long, short) for long in (-1.0, -0.5, 0.0, 0.5, 1.0) for short in (-1.0, 0.0, 1.0))
#: Numbers told of each place: two edges of three, class chances, error, border, the vote there and how near it is.
TOLD = 6 + len(CLASSES) + 1 + 1 + 3 + 1
#: Votes farther off than this (half short axes) are another card's, wherever they are; and what is near.
FAR, NEAR = 2.0, 0.15


class SecondLook(nn.Module):
    """As `FinderNet`, with a deeper finder inside."""

    def __init__(self, widths: tuple[int, int, int] = (48, 80, 128), told: int = 64) -> None:
        super().__init__()
        self.first = FinderNet(deeper=(1, 2, 3, 3, 2))
        a, b, c = widths
        self.told = ConvUnit(TOLD * len(PLACES), told, kernel=1)
        self.quarter = nn.Sequential(ConvUnit(told + 24 + 40 + CHANNELS, a), Residual(a), *added(a, 1))
        self.eighth = nn.Sequential(ConvUnit(a, b, 2), Residual(b), *added(b, 2))
        self.sixteenth = nn.Sequential(ConvUnit(b, c, 2), Residual(c), Context(c), *added(c, 2))
        self.side_eighth = nn.Conv2d(b, b, 1)
        self.lift_sixteenth = nn.Conv2d(c, b, 1)
        self.join_eighth = nn.Sequential(ConvUnit(b, b), nn.Conv2d(b, a, 1))
        self.head = nn.Sequential(ConvUnit(a, a), nn.Conv2d(a, CHANNELS, 1))
        last = self.head[1]
        assert isinstance(last, nn.Conv2d) and last.bias is not None
        # begins with what the first look says
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)

    def forward(self, x: Tensor) -> Tensor:
        """(N, 3, H, W) BGR in 0..1, H and W multiples of 32, to (N, CHANNELS, H / 4, W / 4).

        While it is trained to twice as many channels: what the first look says, then what the second does.
        """
        edges = self.first.edges(x)
        close, joined = self.first.features(x, edges)
        with torch.autocast(x.device.type, enabled=False):
            output = self.first.head(joined.float())
            # the first look learns from what it says itself, not from what is made of it
            said = output.detach()
            turn = _turn(said)
            places = _Places.of(said, edges.float(), turn)
            told = torch.cat([places.told(*place) for place in PLACES], -1).permute(0, 3, 1, 2)
        told = self.told(told)
        quarter = self.quarter(torch.cat([told, close, joined, _bounded(said)], 1))
        eighth = self.eighth(quarter)
        sixteenth = self.lift_sixteenth(self.sixteenth(eighth))
        joined = self.join_eighth(self.side_eighth(eighth) + doubled(sixteenth, self.training))
        joined = quarter + doubled(joined, self.training)
        with torch.autocast(x.device.type, enabled=False):
            corrected = _corrected(said, self.head(joined.float()), turn)
        return torch.cat([output, corrected], 1) if self.training else corrected


def _turn(output: Tensor) -> Tensor:
    """(N, 2, h, w) cos and sin of the long axis' angle, within half a turn, from its direction and its sharp one."""
    twice = _halved(_unit(output[:, 13:15]))
    towards = (twice * output[:, 6:8]).sum(1, keepdim=True)
    return _halved(torch.where(towards < 0, -twice, twice))


def _unit(x: Tensor) -> Tensor:
    return x / torch.sqrt((x * x).sum(1, keepdim=True) + 1e-6)


def _halved(x: Tensor) -> Tensor:
    """The direction of half the angle, to the right."""
    c, s = x[:, 0:1].clamp(-1, 1), x[:, 1:2]
    half = torch.sqrt((1 - c) / 2)
    return torch.cat([torch.sqrt((1 + c) / 2), torch.where(s < 0, -half, half)], 1)


def _twice_the_angle(x: Tensor) -> Tensor:
    c, s = x[:, 0:1], x[:, 1:2]
    return torch.cat([c * c - s * s, 2 * c * s], 1)


def _turned(x: Tensor, by: Tensor) -> Tensor:
    """(N, 2, ...) vectors turned by the angle of which `by` has cos and sin."""
    c, s = by[:, 0:1], by[:, 1:2]
    return torch.cat([x[:, 0:1] * c - x[:, 1:2] * s, x[:, 0:1] * s + x[:, 1:2] * c], 1)


def _bounded(output: Tensor) -> Tensor:
    """What the first look says, no number of it large."""
    return torch.cat([output[:, :4] / 4, output[:, 4:6] / 2, output[:, 6:12], output[:, 12:] / 2], 1).clamp(
        -3, 3
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """What may be told of the cells of a picture, and where each cell's rectangle lies."""

    #: (cells with a rim of nothing around the picture, channels): edges, class chances, error, border, vote, 1.
    shared: Tensor
    #: (N, h, w, 2) cells: middle of each cell's rectangle, and its half axes.
    middle: Tensor
    long: Tensor
    short: Tensor
    #: (N, h, w, 1): cos and sin of the long axis' angle and of twice it, and half the short side.
    turn: tuple[Tensor, Tensor]
    double: tuple[Tensor, Tensor]
    size: Tensor

    @classmethod
    def of(cls, output: Tensor, edges: Tensor, turn: Tensor) -> _Places:
        """`output`: of the first look; `edges`: of `EdgeTurn`; `turn`: of `_turn`."""
        rows, columns = output.shape[2:]
        long = torch.exp(output[:, 10:11].clamp(-1.5, 1.5)) * (UNIT / CELL)
        short = torch.exp(output[:, 11:12].clamp(-1.5, 1.5)) * (UNIT / CELL)
        across = torch.cat([-turn[:, 1:2], turn[:, 0:1]], 1)
        at = torch.stack(
            torch.meshgrid(
                torch.arange(columns, device=output.device, dtype=torch.float32),
                torch.arange(rows, device=output.device, dtype=torch.float32),
                indexing="xy",
            )
        )[None]
        middle = at + output[:, 4:6].clamp(-6, 6) * (UNIT / CELL)
        told = [
            *(edges, torch.softmax(output[:, :4], 1)),
            *(output[:, 12:13].clamp(-5, 2) / 2, torch.sigmoid(output[:, 17:18])),
            *(middle, torch.ones_like(short)),
        ]
        shared = functional.pad(torch.cat(told, 1), (1, 1, 1, 1))
        double = _twice_the_angle(turn)
        return cls(
            _last(shared).reshape(-1, EDGES + len(CLASSES) + 5),
            _last(middle),
            _last(long * turn),
            _last(short * across),
            (_last(turn[:, 0:1]), _last(turn[:, 1:2])),
            (_last(double[:, 0:1]), _last(double[:, 1:2])),
            _last(short),
        )

    def told(self, along: float, beside: float) -> Tensor:
        """(N, h, w, TOLD): what is told of the place so many half axes from each rectangle's middle."""
        count, rows, columns, _ = self.middle.shape
        place = self.middle + along * self.long + beside * self.short
        column = (place[..., 0] + 1.5).floor().clamp(0, columns + 1)
        row = (place[..., 1] + 1.5).floor().clamp(0, rows + 1)
        batch = torch.arange(count, device=place.device)[:, None, None]
        index = (batch * (rows + 2) + row.long()) * (columns + 2) + column.long()
        there = functional.embedding(index, self.shared)
        (c, s), (cc, ss), inside = self.turn, self.double, there[..., -1:]
        x, y = (there[..., -3:-1] - self.middle).split(1, -1)
        off_along, off_beside = (x * c + y * s) / self.size, (y * c - x * s) / self.size
        near = torch.exp(-(off_along * off_along + off_beside * off_beside) / NEAR**2) * inside
        edges = [
            part
            for x, y, strength in ((0, 1, 4), (5, 6, 9))
            for part in (
                there[..., x : x + 1] * cc + there[..., y : y + 1] * ss,
                there[..., y : y + 1] * cc - there[..., x : x + 1] * ss,
                there[..., strength : strength + 1],
            )
        ]
        votes = [off_along.clamp(-FAR, FAR) * inside, off_beside.clamp(-FAR, FAR) * inside, near, inside]
        return torch.cat([*edges, there[..., EDGES : EDGES + len(CLASSES) + 2], *votes], -1)


def _last(x: Tensor) -> Tensor:
    """(N, c, h, w) to (N, h, w, c)."""
    return x.permute(0, 2, 3, 1)


def _corrected(output: Tensor, change: Tensor, turn: Tensor) -> Tensor:
    """What the first look says, corrected in the frame of each cell's rectangle."""
    short = torch.exp(output[:, 11:12].clamp(-1.5, 1.5))
    double = _twice_the_angle(turn)
    four = _twice_the_angle(double)
    moved = torch.cat(
        [
            change[:, :4],
            _turned(change[:, 4:6], turn) * short,
            _turned(change[:, 6:8], double),
            _turned(change[:, 8:10], double),
            change[:, 10:13],
            _turned(change[:, 13:15], four),
            _turned(change[:, 15:17], four),
            change[:, 17:18],
        ],
        1,
    )
    return output + moved
