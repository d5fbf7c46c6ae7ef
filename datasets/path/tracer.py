"""The glue to Mitsuba: a room with a table, cards and lamps in, light, albedo, normals and who is seen where out."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.lighting import Lamp, Lighting
from datasets.path.llvm import LIBRARY, check, llvm
from datasets.path.mesh import Triangles
from datasets.path.room import room_light
from datasets.renderers import RendererError
from datasets.scene import Camera

Pixels = NDArray[np.uint8]
Light = NDArray[np.float32]

VARIANT = "llvm_ad_rgb"
#: How often light is followed from thing to thing.
BOUNCES = 4


@dataclass(frozen=True, slots=True)
class Traced:
    """What came back from the table; light is linear RGB."""

    #: (H, W, 3) each.
    light: Light
    albedo: Light
    normals: Light
    #: (H, W): the card that is seen in a px's middle, or -1.
    ids: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Table:
    """The table's top: a picture that lies from `low` to `high`, mm."""

    surface: Pixels
    low: tuple[float, float]
    high: tuple[float, float]


@cache
def _mitsuba() -> tuple[Any, Any]:
    """Mitsuba and Dr.Jit, on one thread: more would add up light in another order every time."""
    check()
    os.environ[LIBRARY] = llvm()
    mi, dr = importlib.import_module("mitsuba"), importlib.import_module("drjit")
    mi.set_variant(VARIANT)
    mi.set_log_level(mi.LogLevel.Error)
    dr.set_thread_count(1)
    return mi, dr


def trace(
    camera: Camera,
    size: tuple[int, int],
    cards: tuple[Triangles, Triangles] | None,
    atlas: Pixels,
    table: Table,
    lighting: Lighting,
    samples: int,
) -> Traced:
    """Follows `samples` rays a px of a picture of (width, height) px."""
    mi, _ = _mitsuba()
    world = {
        "type": "scene",
        "integrator": {
            "type": "aov",
            "aovs": "albedo:albedo,normal:sh_normal",
            "light": {"type": "path", "max_depth": BOUNCES},
        },
        "sensor": _sensor(mi, camera, size),
        "table": _table(mi, table, lighting),
        "room": {
            "type": "envmap",
            "bitmap": mi.Bitmap(room_light(lighting)),
            # Mitsuba's rooms have y upwards
            "to_world": mi.ScalarTransform4f().rotate([1, 0, 0], 90),
        },
    }
    for number, lamp in enumerate(lighting.lamps):
        world[f"lamp{number}"] = _lamp(mi, lamp)
    meshes = []
    if cards is not None:
        coat = _coated(_texture(mi, atlas), lighting.card_roughness, 1.0)
        edge = {"type": "twosided", "inner": {"type": "diffuse", "reflectance": _rgb(lighting.paper)}}
        tops, rims = cards
        meshes = [
            _mesh(mi, "cards", tops.points, tops.faces, tops.places, mi.load_dict(coat)),
            _mesh(mi, "edges", rims.points, rims.faces, None, mi.load_dict(edge)),
        ]
        world |= {"cards": meshes[0], "edges": meshes[1]}
    scene = mi.load_dict(world)
    channels = np.array(mi.render(scene, spp=samples, seed=0))
    ids = np.full((size[1], size[0]), -1, dtype=np.int16)
    if cards is not None:
        ids = _seen(mi, scene, camera, size, list(zip(meshes, cards, strict=True)))
    light, albedo, normals = (np.ascontiguousarray(channels[..., n : n + 3]) for n in (0, 3, 6))
    return Traced(light, albedo, normals, ids)


def denoised(traced: Traced) -> Light:
    """(H, W, 3) without the grain of too few rays."""
    oidn = importlib.import_module("pyoidn")
    result = np.zeros_like(traced.light)
    with oidn.Device() as device:
        device.set_int("numThreads", 1)
        device.set_bool("setAffinity", False)
        device.commit()
        filter_ = oidn.Filter(device, oidn.OIDN_FILTER_TYPE_RT)
        images = {"color": traced.light, "albedo": traced.albedo, "normal": traced.normals, "output": result}
        for name, image in images.items():
            filter_.set_image(name, image, oidn.OIDN_FORMAT_FLOAT3)
        filter_.set_bool("hdr", True)
        filter_.set_bool("cleanAux", True)
        # a third of the time of the best quality, and no difference to be seen
        filter_.set_quality(oidn.OIDN_QUALITY_BALANCED)
        filter_.commit()
        filter_.execute()
        wrong = device.get_error()
        filter_.release()
    if wrong is not None:
        raise RendererError(f"the path tracer's denoiser failed: {wrong}")
    return result


def _axes(camera: Camera) -> NDArray[np.float64]:
    """(3, 3): columns are the camera's right, down and depth in Mitsuba's world (y of the table turned over)."""
    return np.diag([1.0, -1.0, -1.0]) @ camera.rotation().T


def _eye(camera: Camera) -> NDArray[np.float64]:
    return camera.position() * (1.0, -1.0, 1.0)


def _sensor(mi: Any, camera: Camera, size: tuple[int, int]) -> dict[str, Any]:
    right, down, depth = _axes(camera).T
    pose = np.eye(4)
    # Mitsuba's cameras have x to the left and y upwards
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = -right, -down, depth, _eye(camera)
    return {
        "type": "perspective",
        "fov": float(2 * np.degrees(np.arctan(size[0] / 2 / camera.focal))),
        "fov_axis": "x",
        "near_clip": 10.0,
        "far_clip": 1e5,
        "to_world": mi.ScalarTransform4f(pose),
        "film": {
            "type": "hdrfilm",
            "width": size[0],
            "height": size[1],
            "pixel_format": "rgb",
            "component_format": "float32",
            "rfilter": {"type": "box"},
        },
        "sampler": {"type": "independent"},
    }


def _rgb(colour: tuple[float, float, float]) -> dict[str, Any]:
    return {"type": "rgb", "value": list(colour)}


def _texture(mi: Any, picture: Pixels) -> dict[str, Any]:
    return {
        "type": "bitmap",
        "bitmap": mi.Bitmap(np.ascontiguousarray(picture[..., ::-1])),
        "filter_type": "bilinear",
        "wrap_mode": "mirror",
    }


def _coated(texture: dict[str, Any], roughness: float, shine: float) -> dict[str, Any]:
    """Print under a coat: coloured light from below it, white shine from its top."""
    return {
        "type": "roughplastic",
        "distribution": "ggx",
        "alpha": roughness,
        "int_ior": 1.45,
        "nonlinear": True,
        "diffuse_reflectance": texture,
        "specular_reflectance": {"type": "rgb", "value": [shine, shine, shine]},
    }


def _table(mi: Any, table: Table, lighting: Lighting) -> dict[str, Any]:
    (left, top), (right, bottom) = table.low, table.high
    texture = _texture(mi, table.surface)
    middle = ((left + right) / 2, -(top + bottom) / 2, 0.0)
    half = ((right - left) / 2, (bottom - top) / 2)
    # three times as large as what is seen, so that no border comes into view or into a shine
    # and a bitmap's rows are counted from its top
    texture["to_uv"] = mi.ScalarTransform3f().translate([-1.0, 2.0]).scale([3.0, -3.0])
    place = mi.ScalarTransform4f().translate(list(middle)).scale([3 * half[0], 3 * half[1], 1.0])
    coat = _coated(texture, lighting.table_roughness, lighting.table_shine)
    return {"type": "rectangle", "to_world": place, "bsdf": coat}


def _lamp(mi: Any, lamp: Lamp) -> Any:
    """Two triangles: the place of a mesh is data, that of Mitsuba's own square would be compiled in."""
    x, y, z = lamp.position
    at, faces = np.array([x, -y, z]), np.array([lamp.faces[0], -lamp.faces[1], 0.0])
    away = float(np.linalg.norm(at - faces))
    down = (faces - at) / away
    right = np.cross(down, (0.0, 1.0, 0.0) if abs(down[1]) < 0.7 else (1.0, 0.0, 0.0))
    right /= np.linalg.norm(right)
    across, along = right * lamp.side / 2, np.cross(down, right) * lamp.side / 2
    points = at + np.array([-across - along, across - along, across + along, along - across])
    strength = np.pi * away**2 / lamp.side**2 / (z / away)
    red, green, blue = (strength * light for light in lamp.light)
    shines = mi.load_dict({"type": "area", "radiance": _rgb((red, green, blue))})
    return _mesh(mi, "lamp", points, np.array([[0, 1, 2], [0, 2, 3]]), None, shines)


def _mesh(
    mi: Any,
    name: str,
    points: NDArray[np.float64],
    faces: NDArray[np.int64],
    places: NDArray[np.float64] | None,
    made_of: Any,
) -> Any:
    """Triangles of a BSDF or an emitter; those with places on a texture are smooth."""
    properties = mi.Properties()
    properties["made_of"] = made_of
    smooth = places is not None
    counts = len(points), len(faces)
    mesh = mi.Mesh(name, *counts, has_vertex_normals=smooth, has_vertex_texcoords=smooth, props=properties)
    values = mi.traverse(mesh)
    values["vertex_positions"] = mi.Float(points.astype(np.float32).ravel())
    values["faces"] = mi.UInt32(faces.astype(np.uint32).ravel())
    if places is not None:
        values["vertex_texcoords"] = mi.Float(places.astype(np.float32).ravel())
    values.update()
    if smooth:
        mesh.recompute_vertex_normals()
    return mesh


def _seen(
    mi: Any, scene: Any, camera: Camera, size: tuple[int, int], meshes: list[tuple[Any, Triangles]]
) -> NDArray[np.int16]:
    """Which card a ray through the middle of every px meets first."""
    columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    across = (columns.ravel() - camera.middle[0]) / camera.focal
    down = (rows.ravel() - camera.middle[1]) / camera.focal
    rays = np.stack([across, down, np.ones_like(across)]).astype(np.float64)
    rays = _axes(camera) @ (rays / np.linalg.norm(rays, axis=0))
    ray = mi.Ray3f(o=mi.Point3f(_eye(camera).tolist()), d=mi.Vector3f(rays.astype(np.float32)))
    met = scene.ray_intersect_preliminary(ray, coherent=True)
    face = np.array(met.prim_index)
    ids = np.full(size[0] * size[1], -1, dtype=np.int16)
    for mesh, triangles in meshes:
        here = np.array(met.is_valid() & (met.shape == mi.ShapePtr(mesh)))
        ids[here] = triangles.cards[face[here]]
    return ids.reshape(size[1], size[0])
