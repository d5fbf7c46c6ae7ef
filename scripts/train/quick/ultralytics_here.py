"""ultralytics, also where torchvision was built for another torch than the one that is there.

Beside a torch for processors alone, torchvision's own operators are missing and it cannot be imported; of these
ultralytics needs non-maximum suppression only.
"""

from __future__ import annotations

import sys

import torch

__all__ = ["YOLO"]


def nms(boxes: torch.Tensor, scores: torch.Tensor, iou: float) -> torch.Tensor:
    """Indices of the boxes (n, 4: left, top, right, bottom) that no better one overlaps by more, the best first."""
    order = scores.argsort(descending=True)
    areas = (boxes[:, 2:] - boxes[:, :2]).clamp(min=0).prod(1)
    kept: list[torch.Tensor] = []
    while len(order):
        best, order = order[0], order[1:]
        kept.append(best)
        low = torch.maximum(boxes[best, :2], boxes[order, :2])
        high = torch.minimum(boxes[best, 2:], boxes[order, 2:])
        common = (high - low).clamp(min=0).prod(1)
        order = order[common <= iou * (areas[best] + areas[order] - common)]
    return torch.stack(kept) if kept else order


def mend_torchvision() -> None:
    """Lets torchvision be imported; does nothing where it can be."""
    try:
        import torchvision
    except RuntimeError:
        for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "FRAGMENT")
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.impl("nms", nms, "CPU")
        _kept.append(library)
        import torchvision.ops

        torchvision.ops.nms = nms


#: What is defined here is gone when nobody holds it.
_kept: list[torch.library.Library] = []
mend_torchvision()

from ultralytics import YOLO  # noqa: E402
