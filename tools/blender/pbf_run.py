"""Loads a run of pbf into Blender and keeps in step with the timeline: water, particles, bodies, camera.

The run is a folder of `pbf render SCENE --out DIR --export ply,mesh_ply,obstacles_ply`.

As an add-on: Edit > Preferences > Add-ons > Install, this file; then File > Import > pbf run.
From a shell: blender --python tools/blender/pbf_run.py -- DIR [--save FILE.blend]
"""

import os
import re
import sys

import bpy
import numpy as np
from bpy.app.handlers import persistent
from bpy.props import StringProperty
from bpy_extras.io_utils import ImportHelper
from mathutils import Vector

bl_info = {
    "name": "pbf runs",
    "author": "the authors of pbf",
    "version": (0, 2, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > pbf run",
    "description": "Loads water, particles, bodies and camera of a run of pbf, in step with the timeline",
    "category": "Import-Export",
}

FRAMES_PER_SECOND = 30  # of scenes that do not say

PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "<i2", "int16": "<i2", "ushort": "<u2",
    "uint16": "<u2", "int": "<i4", "int32": "<i4", "uint": "<u4", "uint32": "<u4", "float": "<f4",
    "float32": "<f4", "double": "<f8", "float64": "<f8",
}


# --- files ---

def read_ply(path):
    """Returns (vertices, triangles, comment): a structured array, an (n, 3) array or None, the header's comment."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    vertex, count, faces, comment, element = [], 0, None, "", ""
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[0] == "format" and words[1] != "binary_little_endian":
            raise ValueError(f"{path}: is not a binary little-endian PLY file")
        if words[0] == "comment":
            comment = line[len("comment "):]
        elif words[0] == "element":
            element = words[1]
            if element == "vertex":
                count = int(words[2])
            elif element == "face":
                faces = int(words[2])
        elif words[0] == "property" and element == "vertex":
            vertex.append((words[2], PLY_TYPES[words[1]]))
    vertices = np.frombuffer(data, np.dtype(vertex), count, end)
    if faces is None:
        return vertices, None, comment
    rows = np.frombuffer(data, np.dtype([("corners", "u1"), ("corner", "<i4", 3)]), faces, end + vertices.nbytes)
    return vertices, rows["corner"], comment


def list_sequences(folder):
    """Returns {stem: {frame: file name}} of the PLY files of a run."""
    sequences = {}
    for name in sorted(os.listdir(folder)):
        match = re.fullmatch(r"(\w+?)_(\d{4,})\.ply", name)
        if match:
            sequences.setdefault(match[1], {})[int(match[2])] = name
    return sequences


def number_after(text, pattern):
    match = re.search(pattern, text, re.M)
    return float(match[1]) if match else None


def vector_after(text, key):
    match = re.search(key + r":\s*\[\s*([-+.\deE]+)\s*,\s*([-+.\deE]+)\s*,\s*([-+.\deE]+)\s*\]", text)
    return Vector(float(match[k]) for k in (1, 2, 3)) if match else None


def read_record(folder):
    """What run.yaml says of frames a second, spacing and camera; None where it does not."""
    try:
        with open(os.path.join(folder, "run.yaml"), encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return {"fps": None, "spacing": None, "camera": None}
    head, _, scene = text.partition("scene_text:")
    camera = None
    placed = re.search(r'"--camera ([-+.\deE,]+)"', head)
    if placed:
        numbers = [float(number) for number in placed[1].split(",")]
        camera = Vector(numbers[:3]), Vector(numbers[3:6]), numbers[6] if len(numbers) > 6 else 30.0
    else:
        section = re.search(r"^\s*camera:(.*?)(?=^ {0,2}\w|\Z)", scene, re.M | re.S)
        eye = section and vector_after(section[1], "eye")
        target = section and vector_after(section[1], "target")
        if eye and target:
            camera = eye, target, number_after(section[1], r"fov:\s*([.\d]+)") or 30.0
    return {
        "fps": number_after(head, r'"--fps ([.\d]+)"') or number_after(scene, r"\bfps:\s*([.\d]+)"),
        "spacing": number_after(head, r'"--spacing ([.\deE-]+)"') or number_after(scene, r"^\s*spacing:\s*([.\deE-]+)"),
        "camera": camera,
    }


# --- meshes ---

def fill_mesh(mesh, vertices, triangles, speed):
    """Replaces a mesh. speed: factor of velocities, which Cycles blurs by, in units a second of the timeline."""
    mesh.clear_geometry()
    mesh.vertices.add(len(vertices))
    points = np.stack([vertices[axis] for axis in "xyz"], axis=1).astype(np.float32)
    mesh.vertices.foreach_set("co", points.ravel())
    if triangles is not None and len(triangles):
        mesh.loops.add(3 * len(triangles))
        mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(triangles, np.int32).ravel())
        mesh.polygons.add(len(triangles))
        mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * len(triangles), 3, dtype=np.int32))
        mesh.polygons.foreach_set("loop_total", np.full(len(triangles), 3, np.int32))
        mesh.polygons.foreach_set("use_smooth", np.ones(len(triangles), bool))
    names = vertices.dtype.names
    add_attributes(mesh, vertices, names, speed)
    mesh.update(calc_edges=True)


def add_attribute(mesh, name, kind, field, values):
    if name in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[name])
    attribute = mesh.attributes.new(name, kind, "POINT")
    attribute.data.foreach_set(field, values.ravel())


def add_attributes(mesh, vertices, names, speed):
    if "vx" in names:
        velocity = np.stack([vertices[name] for name in ("vx", "vy", "vz")], axis=1).astype(np.float32)
        add_attribute(mesh, "velocity", "FLOAT_VECTOR", "vector", velocity * np.float32(speed))
    if "red" in names:
        color = np.ones((len(vertices), 4), np.float32)
        for k, name in enumerate(("red", "green", "blue")):
            color[:, k] = vertices[name] / np.float32(255)
        add_attribute(mesh, "Col", "FLOAT_COLOR", "color", linear(color))
    known = {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz", "red", "green", "blue"}
    for name in names:
        if name in known:
            continue
        whole = vertices.dtype[name].kind in "iu"
        values = np.ascontiguousarray(vertices[name], np.int32 if whole else np.float32)
        add_attribute(mesh, name, "INT" if whole else "FLOAT", "value", values)


def linear(srgb):
    """From sRGB to linear; alpha stays."""
    out = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4).astype(np.float32)
    out[:, 3] = srgb[:, 3]
    return out


def show_frame(item, scene):
    """Gives an object the file of the scene's frame; the nearest one before it, or nothing before the first."""
    folder = bpy.path.abspath(item["pbf_folder"])
    names = list_sequences(folder).get(item["pbf_stem"], {}) if os.path.isdir(folder) else {}
    frame = scene.frame_current - item["pbf_start"]
    earlier = [number for number in names if number <= frame]
    shown = names[max(earlier)] if earlier else ""
    if item.data.get("pbf_shown") == shown:
        return
    item.data["pbf_shown"] = shown
    if not shown:
        item.data.clear_geometry()
        return
    # Films at another rate than the run's are slower or faster motion, which blurs accordingly.
    speed = scene.render.fps / scene.render.fps_base / item["pbf_fps"]
    vertices, triangles, _ = read_ply(os.path.join(folder, shown))
    fill_mesh(item.data, vertices, triangles, speed)


@persistent
def follow_timeline(scene, _depsgraph=None):
    # Motion blur asks for times between frames: the velocities there are those of the frame.
    if scene.frame_subframe != 0:
        return
    for item in scene.objects:
        if "pbf_stem" in item and item.type == "MESH":
            show_frame(item, scene)


# --- materials ---

def new_material(name):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    return material, material.node_tree.nodes["Principled BSDF"].inputs


def set_input(inputs, names, value):
    """Sets the input that a version of Blender has: names changed in 4.0."""
    for name in names:
        if name in inputs:
            inputs[name].default_value = value
            return


def water_material():
    material, inputs = new_material("pbf water")
    set_input(inputs, ["Base Color"], (0.85, 0.96, 1.0, 1.0))
    set_input(inputs, ["Transmission", "Transmission Weight"], 1.0)
    set_input(inputs, ["Roughness"], 0.0)
    set_input(inputs, ["IOR"], 1.333)
    return material


def particle_material():
    material, inputs = new_material("pbf particles")
    set_input(inputs, ["Base Color"], (0.05, 0.25, 0.8, 1.0))
    set_input(inputs, ["Roughness"], 0.4)
    return material


def whitewater_material():
    material, inputs = new_material("pbf whitewater")
    set_input(inputs, ["Base Color"], (0.95, 0.97, 1.0, 1.0))
    set_input(inputs, ["Roughness"], 0.6)
    return material


def body_material():
    material, inputs = new_material("pbf bodies")
    node = material.node_tree.nodes.new("ShaderNodeAttribute")
    node.attribute_name = "Col"
    material.node_tree.links.new(node.outputs["Color"], inputs["Base Color"])
    set_input(inputs, ["Roughness"], 0.5)
    return material


def attribute_of(nodes, name):
    """The output of a node that reads a number of each point."""
    node = nodes.new("GeometryNodeInputNamedAttribute")
    node.data_type = "FLOAT"
    node.inputs["Name"].default_value = name
    return next(output for output in node.outputs if output.enabled)


def show_as_balls(item, radius, material):
    """Draws the points of a mesh as balls, through geometry nodes, which keep the velocities. radius: the name of an
    attribute, or one for all."""
    group = bpy.data.node_groups.new("pbf balls", "GeometryNodeTree")
    if hasattr(group, "interface"):
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    nodes, links = group.nodes, group.links
    start, end = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    balls, paint = nodes.new("GeometryNodeMeshToPoints"), nodes.new("GeometryNodeSetMaterial")
    if isinstance(radius, str):
        links.new(attribute_of(nodes, radius), balls.inputs["Radius"])
    else:
        balls.inputs["Radius"].default_value = radius
    paint.inputs["Material"].default_value = material
    links.new(start.outputs[0], balls.inputs["Mesh"])
    links.new(balls.outputs[0], paint.inputs["Geometry"])
    links.new(paint.outputs[0], end.inputs[0])
    item.modifiers.new("pbf balls", "NODES").node_group = group


# --- the run ---

def add_sequence(context, collection, folder, stem, fps, start):
    mesh = bpy.data.meshes.new(stem)
    item = bpy.data.objects.new(stem, mesh)
    item["pbf_folder"], item["pbf_stem"], item["pbf_fps"], item["pbf_start"] = folder, stem, fps, start
    collection.objects.link(item)
    show_frame(item, context.scene)
    return item


def bounds(items):
    points = [item.matrix_world @ Vector(corner) for item in items for corner in item.bound_box]
    low = Vector(min(point[k] for point in points) for k in range(3))
    high = Vector(max(point[k] for point in points) for k in range(3))
    return low, high


def add_camera(context, collection, placed, items):
    if placed:
        eye, target, fov = placed
    else:
        low, high = bounds(items)
        target, fov = (low + high) / 2, 30.0
        eye = target + Vector((0.6, -1.6, 0.8)) * max((high - low).length, 1e-3)
    camera = bpy.data.cameras.new("pbf camera")
    camera.sensor_fit = "VERTICAL"
    camera.angle = np.radians(fov)
    camera.clip_end = max(1000.0, 10 * (target - eye).length)
    item = bpy.data.objects.new("pbf camera", camera)
    item.location = eye
    item.rotation_euler = (target - eye).to_track_quat("-Z", "Y").to_euler()
    collection.objects.link(item)
    context.scene.camera = item


def rate_of(folder, sequences, record):
    """Frames a second: from the times that files of particles say, else from the run's record."""
    frames = sequences.get("particles", {})
    last = max(frames, default=0)
    if last > 0:
        time = number_after(read_ply(os.path.join(folder, frames[last]))[2], r"time ([.\deE+-]+) s")
        if time:
            return last / time
    return record["fps"] or FRAMES_PER_SECOND


def load_run(context, folder):
    """Adds what a run's folder holds to the scene; frame 0 of the run is the scene's first frame. Returns the objects."""
    sequences, record = list_sequences(folder), read_record(folder)
    if not sequences:
        raise ValueError(f"{folder}: holds no PLY files of a run (pbf render --export ply,mesh_ply,obstacles_ply)")
    scene = context.scene
    fps = rate_of(folder, sequences, record)
    scene.render.fps, scene.render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
    collection = bpy.data.collections.new("pbf " + os.path.basename(os.path.normpath(folder)))
    scene.collection.children.link(collection)
    items = {stem: add_sequence(context, collection, folder, stem, fps, scene.frame_start) for stem in sequences}
    spacing = record["spacing"] or 0.1
    materials = {"mesh": water_material, "obstacles": body_material, "diffuse": whitewater_material}
    radii = {"mesh": None, "obstacles": None, "diffuse": "size"}
    for stem, item in items.items():
        material = materials.get(stem, particle_material)()
        item.data.materials.append(material)
        radius = radii.get(stem, spacing / 2)
        if radius:
            show_as_balls(item, radius, material)
        if stem == "particles" and "mesh" in items:  # the same water once more
            item.hide_render = True
            item.hide_set(True)
    scene.frame_end = scene.frame_start + max(max(frames) for frames in sequences.values())
    add_camera(context, collection, record["camera"], items.values())
    scene.render.use_motion_blur = True
    if follow_timeline not in bpy.app.handlers.frame_change_pre:
        bpy.app.handlers.frame_change_pre.append(follow_timeline)
    return items


class ImportPbfRun(bpy.types.Operator, ImportHelper):
    """Load the folder of a run of pbf, or any file in it"""

    bl_idname = "import_scene.pbf_run"
    bl_label = "Import pbf run"
    bl_options = {"REGISTER", "UNDO"}
    filter_glob: StringProperty(default="*.ply;run.yaml", options={"HIDDEN"})

    def execute(self, context):
        folder = self.filepath if os.path.isdir(self.filepath) else os.path.dirname(self.filepath)
        try:
            load_run(context, folder)
        except (OSError, ValueError) as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"FINISHED"}


def add_to_menu(self, _context):
    self.layout.operator(ImportPbfRun.bl_idname, text="pbf run")


def register():
    bpy.utils.register_class(ImportPbfRun)
    bpy.types.TOPBAR_MT_file_import.append(add_to_menu)
    bpy.app.handlers.frame_change_pre.append(follow_timeline)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(follow_timeline)
    bpy.types.TOPBAR_MT_file_import.remove(add_to_menu)
    bpy.utils.unregister_class(ImportPbfRun)


def run_from_shell(arguments):
    save = arguments[arguments.index("--save") + 1] if "--save" in arguments[:-1] else None
    for name in ("Cube", "Camera"):  # of Blender's own start
        if name in bpy.data.objects:
            bpy.data.objects.remove(bpy.data.objects[name])
    items = load_run(bpy.context, os.path.abspath(arguments[0]))
    print("pbf: loaded", ", ".join(sorted(items)))
    if save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(save))


if __name__ == "__main__":
    register()
    if "--" in sys.argv and len(sys.argv) > sys.argv.index("--") + 1:
        run_from_shell(sys.argv[sys.argv.index("--") + 1:])
