"""The network that tells which backs of one picture are of one design: all its backs in, odds of every two out."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

#: Rows and columns of a card as it is given.
ROWS, COLUMNS = 160, 112
#: Groups of channels that are compared on their own.
HEADS = 4
#: Widths of what is compared in place: after four-, after eightfold reduction.
FINE, COARSE = 32, 48
#: Length of the vectors of whole backs.
SIZE = 64
#: What is known of a pair, within.
PAIR = 32
#: Ways in which one card may lie on the other: as it is, turned, mirrored to the right, mirrored downwards.
MOVES: tuple[tuple[int, ...], ...] = ((), (2, 3), (3,), (2,))
#: Log odds beyond this are taken for this when friends are counted.
CLEAR = 8.0


class _Together(nn.Module):
    """Normalises each channel over what is seen of all backs of the picture: what matters is how they differ."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1, width, 1, 1))
        self.shift = nn.Parameter(torch.zeros(1, width, 1, 1))

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """`seen` (n, 1, h, w): how much of each place is the card's own."""
        x = x.float()
        total = seen.sum() + 1e-3
        # products of matrices, which need no further copies of maps of a hundred backs
        at = _places(seen).transpose(1, 2)
        mean = (_places(x) @ at).sum(0) / total
        square = (_places(x.square()) @ at).sum(0) / total
        gain = torch.rsqrt((square - mean.square()).clamp(min=0) + 1e-3)[None, :, :, None] * self.scale
        return (x * gain + (self.shift - mean[None, :, :, None] * gain)) * (seen.clamp(max=1e-3) * 1e3)


class _Unit(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm, self.stride = _Together(outputs), stride

    def forward(self, x: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
        seen = functional.avg_pool2d(seen, self.stride) if self.stride > 1 else seen
        return functional.relu(self.norm(self.conv(x), seen)), seen


class _InPlace(nn.Module):
    """Compares what two cards show at the same place, in each of the ways one may lie on the other."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.narrow = nn.Conv2d(inputs, width, 1)
        #: What becomes of a feature when the card is laid otherwise.
        self.turned = nn.Parameter(torch.eye(width).repeat(len(MOVES) - 1, 1, 1))

    def features(self, x: Tensor, seen: Tensor) -> Tensor:
        return self.narrow(x).float() * seen.clamp(max=1e-3) * 1e3

    def moved(self, x: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
        """(moves, n, width, places) and (moves, n, 1, places): what cards show, and where, in each of the ways."""
        flipped = torch.stack([x.flip(move) if move else x for move in MOVES])
        where = torch.stack([seen.flip(move) if move else seen for move in MOVES])
        plain = torch.eye(self.turned.shape[1], device=x.device)[None]
        return torch.cat([plain, self.turned])[:, None] @ _places(flipped), _places(where)

    def pairs(self, one: Tensor, one_seen: Tensor, two: Tensor, two_seen: Tensor) -> Tensor:
        """(n, m, moves x (2 x HEADS + 1)): correlation and distance by each head, and how much both show."""
        mine, mine_square, mine_seen = _heads(_places(one)[None], _places(one_seen)[None])
        yours, yours_square, yours_seen = _heads(*self.moved(two, two_seen))
        product = mine @ yours.transpose(2, 3)
        left, right = mine_square @ yours_seen.transpose(2, 3), mine_seen @ yours_square.transpose(2, 3)
        shared = mine_seen @ yours_seen.transpose(2, 3)
        away = (left + right - 2 * product) / (shared + 1)
        alike = product * torch.rsqrt(left.clamp(min=0) * right.clamp(min=0) + 1)
        told = torch.cat([alike, torch.log1p(away.clamp(min=0)), torch.log1p(shared) / 4], 1)
        # (moves, figures, n, m) as one row of figures a pair
        return torch.cat(told.permute(0, 2, 3, 1).unbind(0), -1)


def _places(x: Tensor) -> Tensor:
    """(..., h x w) of (n, c, h, w), or of some of them."""
    *some, width, high, broad = x.shape
    before = [int(size) for size in some[:-1]]
    return x.reshape(*before, -1, int(width), int(high) * int(broad))


def _heads(x: Tensor, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """By way and head what is seen (moves, HEADS, n, k), its squares (.., n, places), and where (moves, 1, n, places)."""
    parts = torch.stack(x.chunk(HEADS, 2), 1)
    places = seen.transpose(1, 2)
    shown = parts * places[:, :, :, None]
    # sizes as numbers: every one that had to be found out is an operation more to be loaded
    ways, width, spots = (int(shown.shape[axis]) for axis in (0, 3, 4))
    return shown.reshape(ways, HEADS, -1, width * spots), parts.square().sum(3) * places, places


class BackNet(nn.Module):
    """(n, 4, ROWS, COLUMNS), BGR and the mask of what is seen in 0..1, the backs of one picture, to (2, n, n) log odds.

    First of every two backs by themselves; then, which is what counts, also by what the others tell: each card is
    compared with the picture that its friends make up together, as far as they show it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.units = nn.ModuleList(
            [_Unit(6, 24, 2), _Unit(24, 40, 2), _Unit(40, 48, 1), _Unit(48, 64, 2), _Unit(64, 64, 1)]
        )
        self.fine, self.coarse = _InPlace(48, FINE), _InPlace(64, COARSE)
        self.whole = nn.Sequential(nn.Linear(2 * 64 + 48, 128), nn.ReLU(), nn.Linear(128, SIZE))
        wide = len(MOVES) * (2 * HEADS + 1)
        self.first = nn.Sequential(
            nn.Linear(2 * wide + 2 * HEADS, 64), nn.ReLU(), nn.Linear(64, PAIR), nn.ReLU()
        )
        self.odds = nn.Linear(PAIR, 1)
        self.second = nn.Sequential(nn.Linear(wide + PAIR + 4, 64), nn.ReLU(), nn.Linear(64, 1))
        down, right = (torch.linspace(-1, 1, n).abs() for n in (ROWS, COLUMNS))
        place = torch.stack([down[:, None].expand(ROWS, COLUMNS), right[None].expand(ROWS, COLUMNS)])[None]
        self.register_buffer("place", place, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        seen = x[:, 3:]
        there = (seen.sum(dim=(1, 2, 3)) > 0).float()
        y = torch.cat([(x[:, :3] - 0.5) * 3 * seen, seen, self.get_buffer("place") * seen], dim=1)
        maps = []
        for unit in self.units:
            y, seen = unit(y, seen)
            maps.append((y, seen))
        fine, coarse = self.fine.features(*maps[2]), self.coarse.features(*maps[4])
        vectors = self.whole(torch.cat([_mean(*maps[4]), maps[4][0].amax(dim=(2, 3)), _mean(*maps[2])], 1))
        fine_seen, coarse_seen = maps[2][1], maps[4][1]
        known = self.first(
            torch.cat(
                [
                    self.fine.pairs(fine, fine_seen, fine, fine_seen),
                    self.coarse.pairs(coarse, coarse_seen, coarse, coarse_seen),
                    _between(vectors.float()),
                ],
                -1,
            )
        )
        known = (known + known.transpose(0, 1)) / 2
        odds = self.odds(known)[..., 0].float()
        return torch.stack([odds, odds + self._by_friends(odds, known, coarse, coarse_seen, there)])

    def _by_friends(self, odds: Tensor, known: Tensor, x: Tensor, seen: Tensor, there: Tensor) -> Tensor:
        """(n, n) log odds that are added when the others are asked, too."""
        number = torch.cumsum(torch.ones_like(there), 0)
        itself = (number[:, None] == number[None]).float()
        friends = (torch.sigmoid(odds) * (1 - itself) + itself) * there[None]
        width, high, broad = (int(size) for size in x.shape[1:])
        turned, turned_seen = (
            part[1].reshape(-1, size, high, broad)
            for part, size in zip(self.coarse.moved(x, seen), (width, 1), strict=True)
        )
        both = torch.cat([x * seen + turned * turned_seen, seen + turned_seen], 1)
        made = (friends @ both.reshape(-1, (width + 1) * high * broad)).reshape(-1, width + 1, high, broad)
        total, weight = made[:, :-1], made[:, -1:]
        made_up = total / (weight + 0.05), weight.clamp(max=1.0)
        count = friends.sum(1, keepdim=True)
        told = (friends @ odds.clamp(-CLEAR, CLEAR)) / count
        common = friends @ friends.T * torch.rsqrt(count * count.T)
        clipped = odds.clamp(-CLEAR, CLEAR)
        graph = torch.stack([clipped / 4, told / 4, told.T / 4, common], -1)
        asked = self.second(torch.cat([self.coarse.pairs(x, seen, *made_up), known.float(), graph], -1))
        asked = asked[..., 0].float()
        return (asked + asked.T) / 2


def _between(vectors: Tensor) -> Tensor:
    """(n, n, 2 x HEADS): cosine and distance of vectors (n, SIZE), by each head."""
    parts = vectors.reshape(-1, HEADS, SIZE // HEADS).transpose(0, 1)
    product = parts @ parts.transpose(1, 2)
    square = (parts**2).sum(2)
    left, right = square[:, :, None], square[:, None]
    alike = product * torch.rsqrt(left * right + 1e-2)
    away = torch.log1p((left + right - 2 * product).clamp(min=0))
    return torch.cat([alike, away]).permute(1, 2, 0)


def _mean(y: Tensor, seen: Tensor) -> Tensor:
    """(n, c) means over what is seen."""
    return (y * seen).sum(dim=(2, 3)) / (seen.sum(dim=(2, 3)) + 1e-3)
