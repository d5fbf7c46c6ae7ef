"""A posed arm from MakeHuman's mesh (CC0), drawn from above: fingers bent by their bones, shaded, sleeved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.jewellery import wear_ring, wear_watch

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

MESH = Path(__file__).with_name("hand.npz")
#: Parent of every bone: 0 is forearm and palm, then three bones a finger, thumb first.
PARENTS = [-1, *(0 if joint == 0 else 3 * finger + joint for finger in range(5) for joint in range(3))]


@dataclass(frozen=True, slots=True)
class HandPose:
    """Degrees by which the joints bend; one value a finger, thumb first."""

    #: Bend at the knuckle, the middle and the last joint.
    knuckle: tuple[float, float, float, float, float] = (0, 25, 25, 25, 25)
    middle: tuple[float, float, float, float, float] = (0, 25, 25, 25, 25)
    last: tuple[float, float, float, float, float] = (0, 15, 15, 15, 15)
    #: Spread sideways, away from the middle finger.
    spread: tuple[float, float, float, float, float] = (0, 0, 0, 0, 0)
    #: The whole hand nods at the wrist by this much, fingertips down.
    nod: float = 12.0


REACHING = HandPose((10, 12, 10, 12, 15), (10, 25, 25, 27, 30), (10, 15, 15, 15, 15), (0, 5, 0, -4, -9), 14)
HOLDING = HandPose((16, 20, 16, 20, 28), (22, 14, 16, 22, 30), (18, 6, 8, 12, 18), (8, -3, 0, 3, 4), 16)


@cache
def _mesh() -> dict[str, Floats]:
    """The mesh in the hand's own axes: x away from the thumb, y to the elbow, z up from the back."""
    with np.load(MESH) as stored:
        data = {key: stored[key].astype(np.float64) for key in stored.files}
    joints = data["joints"]
    wrist, middle = joints[0], joints[1 + 4 * 2]
    index, little = joints[1 + 4 * 1], joints[1 + 4 * 4]
    ahead = (middle - wrist) / np.linalg.norm(middle - wrist)
    across = little - index
    across -= ahead * (across @ ahead)
    across /= np.linalg.norm(across)
    up = np.cross(ahead, across)
    axes = np.stack([across, -ahead, up])
    for key in ("vertices", "joints", "elbow"):
        data[key] = (data[key] - wrist) @ axes.T
    return data


@dataclass(frozen=True, slots=True)
class PosedHand:
    """A bent hand in mm; wrist at the origin, fingers towards -y, back up."""

    #: (n, 3), and (m, 3) indices into it.
    vertices: Floats
    triangles: NDArray[np.int64]
    #: (5, 3) ends of the fingers, thumb first.
    tips: Floats
    #: (5, 2, 3) both ends of the bones nearest to the palm, where rings are worn.
    first_bones: Floats


def posed(pose: HandPose, rng: np.random.Generator | None = None) -> PosedHand:
    """The mesh bent as `pose` says; `rng`: a little different every time."""
    data = _mesh()
    joints, weights = data["joints"], data["weights"]
    moves = [np.eye(4)]
    bends = np.stack([pose.knuckle, pose.middle, pose.last], axis=1).astype(np.float64)
    if rng is not None:
        bends = bends * rng.normal(1.0, 0.08, bends.shape)
    for finger in range(5):
        for joint in range(3):
            at = joints[1 + 4 * finger + joint]
            along = joints[2 + 4 * finger + joint] - at
            along /= np.linalg.norm(along)
            axis = np.cross(along, [0.0, 0.0, 1.0])
            axis /= np.linalg.norm(axis)
            turn = cv2.Rodrigues(-axis * np.radians(bends[finger, joint]))[0]
            if joint == 0:
                turn = turn @ cv2.Rodrigues(np.array([0, 0, -np.radians(pose.spread[finger])]))[0]
            moves.append(moves[PARENTS[1 + 3 * finger + joint]] @ _about(at, turn))
    both = np.stack(moves)
    homogeneous = np.column_stack([data["vertices"], np.ones(len(data["vertices"]))])
    each = np.einsum("bij,nj->nbi", both, homogeneous)[..., :3]
    skinned = np.einsum("nb,nbi->ni", weights, each)
    tips = np.array([(moves[3 * f + 3] @ [*joints[4 + 4 * f], 1.0])[:3] for f in range(5)])
    bones = np.array([[moves[3 * f + 1] @ [*joints[n + 4 * f], 1.0] for n in (1, 2)] for f in range(5)])[
        ..., :3
    ]
    # Only what lies before the wrist nods, and the more the further from it.
    nod = np.radians(pose.nod)
    for points in (skinned, tips, bones.reshape(-1, 3)):
        share = np.clip((20 - points[:, 1]) / 40, 0, 1) * nod
        y, z = points[:, 1].copy(), points[:, 2].copy()
        points[:, 1], points[:, 2] = (
            y * np.cos(share) - z * np.sin(share),
            y * np.sin(share) + z * np.cos(share),
        )
    return PosedHand(skinned, data["triangles"].astype(np.int64), tips, bones)


def _about(at: Floats, turn: Floats) -> Floats:
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = turn, at - turn @ at
    return move


@dataclass(frozen=True, slots=True)
class ArmLook:
    """Colours in BGR, lengths in mm."""

    skin: tuple[float, float, float] = (150.0, 178.0, 222.0)
    cloth: tuple[float, float, float] = (120.0, 60.0, 40.0)
    #: From the wrist to the sleeve's end; 0 or less covers the wrist.
    sleeve: float = 60.0
    sleeve_width: float = 82.0
    #: Direction from which light falls, x and y share.
    light: tuple[float, float] = (-0.3, -0.4)
    #: Fingers that wear a ring, thumb 0, and the metal.
    rings: tuple[int, ...] = ()
    metal: tuple[float, float, float] = (110.0, 190.0, 225.0)
    #: Colour of a watch's strap; None: no watch. A sleeve may hide it.
    strap: tuple[float, float, float] | None = None


def draw_arm(
    pose: HandPose, look: ArmLook, px_per_mm: float, rng: np.random.Generator, *, length: float = 900.0
) -> tuple[Pixels, tuple[float, float]]:
    """Premultiplied BGRA of the arm from above, fingers towards the top, and the px between the tips."""
    hand = posed(pose, rng)
    vertices, triangles, tips = hand.vertices, hand.triangles, hand.tips
    half, ahead = 130.0, 215.0
    fine = 2 * px_per_mm
    size = (round(2 * half * fine), round((ahead + 260.0) * fine))
    px = np.column_stack([(vertices[:, 0] + half) * fine, (vertices[:, 1] + ahead) * fine, vertices[:, 2]])
    normals = _normals(vertices, triangles)
    depth, shade = _rasterise(px, triangles, _lit(normals, look), size)
    alpha = (depth > -1e8).astype(np.float32)
    colour = _skin(depth, shade, alpha, look, fine, rng)
    worn = np.array([half, ahead])
    for finger in look.rings:
        wear_ring(colour, alpha, (hand.first_bones[finger, :, :2] + worn) * fine, look.metal, fine)
    if look.strap is not None:
        wear_watch(colour, alpha, worn * fine, look.strap, look.metal, fine)
    layer = np.dstack([colour * alpha[..., None], alpha * 255])
    small = (round(2 * half * px_per_mm), round((ahead + 260.0) * px_per_mm))
    layer = cv2.resize(layer, small, interpolation=cv2.INTER_AREA)
    rows = round((ahead + length) * px_per_mm)
    whole = np.zeros((rows, small[0], 4), dtype=np.float32)
    whole[: small[1]] = layer
    _sleeve(whole, look, px_per_mm, half, ahead, rng)
    between = (tips[1] + tips[2]) / 2 + (0, 14.0, 0)
    pivot = ((between[0] + half) * px_per_mm, (between[1] + ahead) * px_per_mm)
    used = np.flatnonzero(whole[..., 3].max(axis=0) > 0)
    left, right = max(int(used[0]) - 2, 0), int(used[-1]) + 3
    top = max(int(np.flatnonzero(whole[..., 3].max(axis=1) > 0)[0]) - 2, 0)
    picture = np.clip(np.round(whole[top:, left:right]), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(picture), (float(pivot[0]) - left, float(pivot[1]) - top)


def _normals(vertices: Floats, triangles: NDArray[np.int64]) -> Floats:
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], faces)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.maximum(lengths, 1e-9))


def _lit(normals: Floats, look: ArmLook) -> Floats:
    light = np.array([*look.light, 0.85])
    light /= np.linalg.norm(light)
    wrapped = (normals @ light + 0.35) / 1.35
    return np.asarray(0.42 + 0.58 * np.clip(wrapped, 0, 1))


def _rasterise(
    px: Floats, triangles: NDArray[np.int64], values: Floats, size: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Height and shade of what is seen from above, px by px."""
    depth = np.full(size[::-1], -1e9, dtype=np.float32)
    shade = np.zeros(size[::-1], dtype=np.float32)
    for a, b, c in triangles:
        points = px[[a, b, c]]
        low = np.maximum(np.floor(points[:, :2].min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(points[:, :2].max(axis=0)).astype(int) + 1, size)
        if (high <= low).any():
            continue
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if abs(area) < 1e-9:
            continue
        x = np.arange(low[0], high[0])[None, :] + 0.5
        y = np.arange(low[1], high[1])[:, None] + 0.5
        v = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
        w = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
        z = az + v * (bz - az) + w * (cz - az)
        view = depth[low[1] : high[1], low[0] : high[0]]
        seen = (v >= -1e-6) & (w >= -1e-6) & (v + w <= 1 + 1e-6) & (z > view)
        view[seen] = z[seen]
        value = values[a] + v * (values[b] - values[a]) + w * (values[c] - values[a])
        shade[low[1] : high[1], low[0] : high[0]][seen] = value[seen]
    return depth, shade


def _skin(
    depth: NDArray[np.float32],
    shade: NDArray[np.float32],
    alpha: NDArray[np.float32],
    look: ArmLook,
    fine: float,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Skin with soft creases where the surface is lower than around it."""
    filled = np.where(alpha > 0, depth, -30.0).astype(np.float32)
    around = cv2.GaussianBlur(filled, (0, 0), 5 * fine)
    crease = np.clip((filled - around) / 14.0, -1, 1) * 0.14
    grain = cv2.GaussianBlur(rng.standard_normal(depth.shape).astype(np.float32), (0, 0), 1.2 * fine)
    level = shade * (1 + crease + 0.12 * grain)
    redder = np.array([-0.05, -0.03, 0.03], dtype=np.float32) * np.clip(-crease * 6, 0, 1)[..., None]
    colour = np.array(look.skin, dtype=np.float32) * (level[..., None] + redder)
    return np.asarray(np.clip(colour, 0, 255), dtype=np.float32)


def _sleeve(
    whole: NDArray[np.float32],
    look: ArmLook,
    px_per_mm: float,
    half: float,
    ahead: float,
    rng: np.random.Generator,
) -> None:
    """Cloth from the sleeve's end to the picture's lower edge, in place."""
    rows, columns = whole.shape[:2]
    y = np.arange(rows)[:, None] / px_per_mm - ahead - look.sleeve
    x = np.arange(columns)[None, :] / px_per_mm - half
    bow = 5.0 * (1 - np.clip((x / (look.sleeve_width / 2)) ** 2, 0, 1))
    width = look.sleeve_width / 2 * (1 + 0.22 * np.clip(y / 300, 0, 1))
    width = width + 2.0 * np.sin(y / 23 + rng.uniform(0, 6)) * np.clip(y / 40, 0, 1)
    inside = np.clip(np.minimum(width - np.abs(x), y + bow) * px_per_mm, 0, 1)
    cloudy = cv2.GaussianBlur(rng.standard_normal((rows, columns)).astype(np.float32), (0, 0), 9 * px_per_mm)
    folds = np.asarray(cloudy / max(float(cloudy.std()), 1e-6))
    around = np.sqrt(np.clip(1 - (x / np.maximum(width, 1)) ** 2, 0, 1))
    hem = 1 - 0.22 * np.exp(-(((y + bow - 7) / 1.2) ** 2))
    level = (0.38 + 0.62 * around) * (1 + 0.07 * folds) * hem
    weave = 1 + 0.03 * rng.standard_normal((rows, columns))
    cloth = np.clip(np.array(look.cloth)[None, None] * (level * weave)[..., None], 0, 255)
    cover = inside[..., None]
    whole[..., :3] = whole[..., :3] * (1 - cover) + cloth * cover
    whole[..., 3:] = whole[..., 3:] * (1 - cover) + 255 * cover
