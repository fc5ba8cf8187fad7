"""Loads a run with tools/blender/pbf_run.py in Blender and compares what is there with the files: blender -b
--factory-startup --python tests/blender_check.py -- DIR. Prints "blender: N frames agree"."""

import sys

import bpy
import numpy as np

sys.path.insert(0, "tools/blender")
import pbf_run  # noqa: E402


def values(mesh, name, field, width):
    out = np.zeros(len(mesh.attributes[name].data) * width, np.float32)
    mesh.attributes[name].data.foreach_get(field, out)
    return out.reshape(-1, width)


def positions(mesh):
    out = np.zeros(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", out)
    return out.reshape(-1, 3)


def check_frame(items, folder, frame):
    for stem, item in items.items():
        vertices, triangles, _ = pbf_run.read_ply(f"{folder}/{stem}_{frame:04d}.ply")
        mesh = item.data
        wanted = np.stack([vertices[axis] for axis in "xyz"], axis=1)
        assert np.array_equal(positions(mesh), wanted), (stem, frame, "positions")
        assert len(mesh.polygons) == (0 if triangles is None else len(triangles)), (stem, frame, "triangles")
        velocity = np.stack([vertices[name] for name in ("vx", "vy", "vz")], axis=1)
        assert np.allclose(values(mesh, "velocity", "vector", 3), velocity, atol=1e-6), (stem, frame, "velocity")
        assert not mesh.validate(), (stem, frame, "Blender had to mend the mesh")


def check_motion(states, step):
    """Velocities have to explain how particles moved: what motion blur shows."""
    rest = motion = 0.0
    for (ids, x, v), (later_ids, later_x, later_v) in zip(states, states[1:]):
        _, a, b = np.intersect1d(ids, later_ids, return_indices=True)
        moved = later_x[b] - x[a]
        rest += ((moved - (v[a] + later_v[b]) * step / 2) ** 2).sum()
        motion += (moved ** 2).sum()
    assert motion > 0.1 and (rest / motion) ** 0.5 < 0.05, (rest, motion)


def check_whitewater(item):
    """Drops and bubbles are balls of their own sizes."""
    sizes = values(item.data, "size", "value", 1)
    shown = [instance.object.data for instance in bpy.context.evaluated_depsgraph_get().object_instances
             if instance.object.type == "POINTCLOUD" and instance.object.name == item.name]
    assert len(sizes) > 10 and len(shown) == 1, (len(sizes), shown)
    radii = np.zeros(len(shown[0].points), np.float32)
    shown[0].points.foreach_get("radius", radii)
    assert np.allclose(radii, sizes[:, 0]), "whitewater's sizes"


def main(folder):
    items = pbf_run.load_run(bpy.context, folder)
    scene, particles = bpy.context.scene, items["particles"].data
    assert scene.camera and scene.render.fps / scene.render.fps_base == 50
    states = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        check_frame(items, folder, frame - scene.frame_start)
        ids = np.zeros(len(particles.vertices), np.int32)
        particles.attributes["id"].data.foreach_get("value", ids)
        states.append((ids, positions(particles), values(particles, "velocity", "vector", 3)))
    check_motion(states, 1 / 50)
    check_whitewater(items["diffuse"])
    scene.frame_set(scene.frame_start)
    check_frame(items, folder, 0)
    # At another rate the same run is slower motion, with less blur.
    scene.render.fps = 100
    scene.frame_set(scene.frame_start + 5)
    slow = values(particles, "velocity", "vector", 3)
    assert np.allclose(slow, 2 * states[5][2], rtol=1e-5, atol=1e-6)
    print(f"blender: {len(states)} frames agree")


try:
    main(sys.argv[-1])
except Exception as problem:  # Blender ends with status 0 otherwise
    print("blender: failed:", repr(problem))
    raise
