"""Simulations: steps, fields, particles, bodies, stored states, pictures."""

import os
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._native import NULL, Error, UsageError, check, ffi, lib, path_bytes, text, text_bytes
from ._pictures import Picture
from ._scene import Scene
from ._tools import Mesh
from ._values import FieldArray, Points, Record, Settings, field_array, type_of


class Report(Record):
    """What a step was like."""

    __slots__ = {
        "step": "number, from 1",
        "time": "s, at its end",
        "dt": "s, how long it was",
        "particles": "how many there are",
        "iterations": "of the density constraint",
        "density_error_mean": "mean of max(density / rest density - 1, 0) at the last iteration",
        "density_error_max": "largest max(density / rest density - 1, 0) at the last iteration",
        "speed_max": "m/s",
        "wall_ms": "ms that the step took",
    }
    step: int
    time: float
    dt: float
    particles: int
    iterations: int
    density_error_mean: float
    density_error_max: float
    speed_max: float
    wall_ms: float


class Info(Record):
    """A simulation now."""

    __slots__ = {
        "time": "s",
        "steps": "since the start",
        "version": "another number after every change",
        "particles": "how many there are",
        "bodies": "how many there are",
        "spacing": "m, of particles at rest",
        "radius": "m, influence radius h",
        "rest_density": "kg/m^3",
        "particle_mass": "kg, rest_density spacing^3",
        "origin": "m, that the fields x, y and z count from",
    }
    time: float
    steps: int
    version: int
    particles: int
    bodies: int
    spacing: float
    radius: float
    rest_density: float
    particle_mass: float
    origin: Tuple[float, float, float]


class Body(Record):
    """A body, or the tank. force and torque: what the water gave it in the last step or advance, if measure is on."""

    __slots__ = {
        "name": "of the scene",
        "position": "(3,), m, of the shape's center, or of the mesh's origin",
        "rotation": "(4,), quaternion (w, x, y, z)",
        "lo": "(3,), m, lower corner of a box around it",
        "hi": "(3,), m, upper corner of that box",
        "force": "(3,), N",
        "torque": "(3,), N m, about its position; the tank's about the scene's origin",
    }
    name: str
    position: np.ndarray
    rotation: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    force: np.ndarray
    torque: np.ndarray


class Field(Record):
    """A field: one number or vector a particle of the fluid or, where the name begins with "whitewater." or "strands.",
    a particle of these."""

    __slots__ = {
        "name": "'velocity'",
        "unit": "'m/s'; '' for a pure number",
        "stage": "what of a step it shows",
        "components": "names of the numbers: ('vx', 'vy', 'vz')",
        "dtype": "float32 or uint32",
    }
    name: str
    unit: str
    stage: str
    components: Tuple[str, ...]
    dtype: np.dtype


class Frame(Record):
    """A moment of Simulation.frames."""

    __slots__ = {
        "number": "from 0",
        "time": "s",
    }
    number: int
    time: float


class Column(Record):
    """A measurement of Simulation.row."""

    __slots__ = {
        "name": "'kinetic_energy'",
        "unit": "'J'; '' for a pure number",
    }
    name: str
    unit: str


def _names(fields) -> Tuple[str, ...]:
    return tuple(text(part) for part in fields.parts) if fields.components > 1 else (text(fields.name),)


def fields() -> List[Field]:
    """All fields of particles."""
    field = ffi.new("pbf_field *")
    out: List[Field] = []
    while lib.pbf_field_info(len(out), field):
        out.append(Field(text(field.name), text(field.unit), text(field.stage), _names(field), type_of(field)))
    return out


class _Fields(Mapping):
    """Fields by name; those of whitewater, strands and spins are empty where there are none. Stored ones are the fluid's
    own memory (FieldArray); others are worked out, as arrays of their own. Of vectors the components are stored: "vx",
    "vy", "vz"; "velocity" is a copy, (n, 3)."""

    def __init__(self, sim):
        self._sim = sim

    def __getitem__(self, name: str) -> Union[FieldArray, np.ndarray]:
        field = ffi.new("pbf_field *")
        result = lib.pbf_sim_field(self._sim._open(), text_bytes(name), field)
        if result.code:
            raise KeyError(text(result.text))
        if field.components > 1 or not field.data[0]:
            return self._sim.read(name)
        return field_array(self._sim, field)

    def __iter__(self):
        return iter([field.name for field in fields()] +
                    [part for field in fields() for part in field.components if len(field.components) > 1])

    def __len__(self):
        return len(list(iter(self)))


class Simulation:
    """Water that moves: position based fluids (Macklin and Mueller 2013, Algorithm 1).

    Simulation(scene) takes a Scene, or what makes one: Simulation("dam_break", spacing=0.1). It is a context manager
    that gives its memory back at the end:

        with pbf.Simulation("dam_break") as sim:
            sim.advance(1.0)

    Particles are named by ids, which never change; their places in arrays do at every step. Errors of making one:
    UsageError for a scene that is wrong, OutOfMemoryError saying how much is needed.
    """

    def __init__(self, scene: Union[Scene, str, os.PathLike, None] = None, **settings: Any):
        if not isinstance(scene, Scene):
            scene = Scene(scene, **settings)
        elif settings:
            raise TypeError("settings belong to the scene: scene.set(...)")
        self._begin(scene, lib.pbf_sim_create)

    def _begin(self, scene: Scene, make, *arguments) -> None:
        out = ffi.new("pbf_sim **")
        check(make(scene._handle, *arguments, out))
        self._take(scene, ffi.gc(out[0], lib.pbf_sim_destroy))

    def _take(self, scene: Scene, handle) -> None:
        self.scene, self._handle = scene, handle
        self._report = ffi.new("pbf_report *")
        self._info = ffi.new("pbf_info *")
        self._pictures: dict = {}

    def _open(self):
        if self._handle is None:
            raise UsageError("the simulation is closed")
        return self._handle

    def _version(self) -> int:
        return self.info.version if self._handle is not None else -1

    def close(self) -> None:
        """Gives all memory back; fields are stale then."""
        for picture in self._pictures.values():
            picture.close()
        self._pictures.clear()
        if self._handle is not None:
            ffi.release(self._handle)
        self._handle = None

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *error) -> None:
        self.close()

    # --- steps ---

    def settle(self) -> None:
        """Before the first step, which does it otherwise: gives water room that the scene places too densely, by
        positions alone, so that what is written at time 0 moves on by its velocities."""
        check(lib.pbf_sim_settle(self._open()))

    def step(self, until: Optional[float] = None) -> Report:
        """One step, as long as the solver allows, at most to time until (s, later than now). Errors: UsageError;
        FailedError where the state ceases to be finite, naming step and particle."""
        handle = self._open()
        check(lib.pbf_sim_step(handle, 1e9 if until is None else until, self._report))
        return self._read_report(self._report)

    @staticmethod
    def _read_report(r) -> Report:
        return Report(r.step, r.time, r.dt, r.particles, r.iterations, r.density_error_mean, r.density_error_max,
                      r.speed_max, r.wall_ms)

    def advance(self, until: float, on_step: Optional[Callable[[Report], Any]] = None) -> bool:
        """Steps to time until (s). on_step is called after each step; it may change particles and bodies, and ends
        the advance by returning True; what it raises ends it, too. Returns whether until was reached.
        Errors: as of step."""
        raised: list = []

        def call(_sim, report, _user):
            try:
                return 1 if on_step(self._read_report(report)) else 0
            except BaseException as error:  # goes on where the library cannot carry it
                raised.append(error)
                return 1

        callback = ffi.callback("pbf_step_callback", call) if on_step else NULL
        result = lib.pbf_sim_advance(self._open(), until, callback, NULL)
        if raised:
            raise raised[0]
        if result.code != lib.PBF_STOPPED:
            check(result)
        return result.code == lib.PBF_OK

    def frames(self, fps: float = 30, duration: Optional[float] = None,
               on_step: Optional[Callable[[Report], Any]] = None) -> Iterator[Frame]:
        """Frame k is the state at k / fps seconds, frame 0 the start, for `duration` seconds (None: for ever), as
        `pbf render` makes them. A simulation that is under way goes on with the next frame. UsageError for an fps that
        is not above 0, or a duration that is not a number of seconds."""
        if not 0 < fps < np.inf:
            raise UsageError(f"fps: {fps} is out of range (above 0 frames a second)")
        if duration is not None and not 0 <= duration < np.inf:
            raise UsageError(f"duration: {duration} is out of range (0 s or more; None: for ever)")
        number = int(np.ceil(self.time * fps - 1e-9))
        while duration is None or number <= round(duration * fps):
            if not self.advance(number / fps, on_step) and on_step:
                return
            yield Frame(number, self.time)
            number += 1

    def set(self, **settings: Any) -> None:
        """Sets keys of fluid and solver under way, all or none: sim.set(fluid={"gravity": [0, 0, -1.6]}). UsageError for
        other keys, and values out of range."""
        given = Settings(settings)
        check(lib.pbf_sim_set(self._open(), given.data, given.count))

    # --- what there is ---

    @property
    def info(self) -> Info:
        """Time, counts and sizes, as they are now."""
        check(lib.pbf_sim_info(self._open(), self._info))
        i = self._info
        return Info(i.time, i.steps, i.version, i.particles, i.bodies, i.spacing, i.radius, i.rest_density,
                    i.particle_mass, (i.origin[0], i.origin[1], i.origin[2]))

    @property
    def time(self) -> float:
        """s"""
        check(lib.pbf_sim_info(self._open(), self._info))
        return self._info.time

    def __len__(self) -> int:
        """How many particles there are."""
        return self.info.particles

    @property
    def hash(self) -> str:
        """Equal hashes mean bitwise equal states; as `pbf bench --json` writes it."""
        return f"{lib.pbf_sim_hash(self._open()):016x}"

    # --- particles ---

    @property
    def fields(self) -> Mapping:
        """Fields by name: sim.fields["density"], sim.fields["vx"]. pbf.fields() lists them with units."""
        return _Fields(self)

    def read(self, name: str) -> np.ndarray:
        """A copy of a field: (n,), or (n, 3) of a vector, in its unit. Positions are scene coordinates. UsageError for
        another name."""
        field = ffi.new("pbf_field *")
        check(lib.pbf_sim_field(self._open(), text_bytes(name), field))
        shape = (field.count, 3) if field.components == 3 else (field.count,)
        out = np.empty(shape, type_of(field))
        check(lib.pbf_sim_read(self._handle, text_bytes(name), ffi.cast("void *", out.ctypes.data), out.nbytes, 0))
        return out

    @property
    def positions(self) -> np.ndarray:
        """(n, 3) float32, m; a copy. To change them: change(positions=...)."""
        return self.read("position")

    @property
    def velocities(self) -> np.ndarray:
        """(n, 3) float32, m/s; a copy. To change them: change(velocities=...)."""
        return self.read("velocity")

    def add(self, positions, velocities=None) -> np.ndarray:
        """Adds particles, positions and velocities (None: at rest) of shape (n, 3), m and m/s; returns their ids, (n,)
        uint32. Those nearer than a spacing to others are pushed apart. UsageError naming the first that is not finite
        or behind a wall."""
        at, moving, first = Points(positions, "positions"), Points(velocities, "velocities"), ffi.new("uint32_t *")
        check(lib.pbf_sim_add(self._open(), at.data, moving.data, first))
        return np.arange(first[0], first[0] + at.data.count, dtype=np.uint32)

    @staticmethod
    def _ids(ids):
        given = np.asarray(ids).reshape(-1)
        # A mask of particles, or a number of theirs, is not an id, though NumPy makes one of it.
        if given.size > 0 and given.dtype.kind not in "iu":
            raise UsageError(f"ids: an array of {given.dtype} (whole numbers, as of the field id)")
        ids = given.astype(np.uint32)
        wrong = given[ids != given]
        if wrong.size > 0:
            raise UsageError(f"no particle has the id {wrong[0]}")
        return ids, ffi.cast("const uint32_t *", ids.ctypes.data)

    def remove(self, ids) -> None:
        """Removes the particles with these ids, (n,). UsageError for an id that no particle has."""
        ids, pointer = self._ids(ids)
        check(lib.pbf_sim_remove(self._open(), pointer, ids.size))

    def change(self, ids=None, positions=None, velocities=None) -> None:
        """Changes positions (m) or velocities (m/s), each (n, 3), of the particles with these ids, or of all, in the
        order of fields: a force of one's own adds dt times its acceleration to velocities. Errors: as of add and
        remove."""
        at, moving, pointer = Points(positions, "positions"), Points(velocities, "velocities"), NULL
        if ids is not None:
            ids, pointer = self._ids(ids)
            for given in (at, moving):
                if given.array is not None and len(given.array) != ids.size:
                    raise UsageError(f"{ids.size} ids for {len(given.array)} values")
        check(lib.pbf_sim_change(self._open(), pointer, at.data, moving.data))

    # --- bodies ---

    def body(self, body: int) -> Body:
        """A body by its number, from 0, or pbf.TANK. UsageError for another number."""
        out = ffi.new("pbf_body *")
        check(lib.pbf_sim_body(self._open(), body, out))
        return Body(text(out.name), *(np.array(list(part)) for part in (out.position, out.rotation, out.lo, out.hi,
                                                                         out.force, out.torque)))

    def measure(self, on: bool = True) -> None:
        """Measures forces on bodies (body) from the next step on, or not."""
        check(lib.pbf_sim_measure(self._open(), 1 if on else 0))

    def lead(self, body: int, position, arrival: float, rotation=None) -> None:
        """Leads a body from where it is to a position (m), so that it arrives evenly at a time (s, later than now) and
        rests there. rotation: quaternion (w, x, y, z), of any length; None keeps it. UsageError where one of them is not
        finite."""
        turn = ffi.new("double[4]", [float(q) for q in rotation]) if rotation is not None else NULL
        place = ffi.new("double[3]", [float(x) for x in position])
        check(lib.pbf_sim_lead(self._open(), body, place, turn, arrival))

    # --- measurements ---

    def watch(self, on: bool = True) -> None:
        """Measures from now on what `pbf run --log` writes, and the scene's probes, or not any more. `pbf help log` lists
        all columns."""
        check(lib.pbf_sim_watch(self._open(), 1 if on else 0))

    @property
    def columns(self) -> List[Column]:
        """What row measures, with units; empty without watch."""
        column, out = ffi.new("pbf_column *"), []
        while lib.pbf_sim_column(self._open(), len(out), column):
            out.append(Column(text(column.name), text(column.unit)))
        return out

    def row(self) -> Dict[str, float]:
        """Measurements by name: of the present state, {"kinetic_energy": J, ...}; means and fluxes of probes are since
        the row before. NaN: no water where the probe is. UsageError without watch."""
        columns = self.columns
        numbers = ffi.new("double[]", max(len(columns), 1))
        check(lib.pbf_sim_row(self._open(), numbers, len(columns)))
        return {column.name: numbers[k] for k, column in enumerate(columns)}

    # --- stored states, files, surfaces, pictures ---

    def save(self) -> bytes:
        """The state, as the bytes of a checkpoint file."""
        data, count = ffi.new("void **"), ffi.new("size_t *")
        check(lib.pbf_sim_save(self._open(), data, count))
        try:
            return bytes(ffi.buffer(data[0], count[0]))
        finally:
            lib.pbf_free(data[0])

    def restore(self, data: bytes) -> None:
        """Goes on from a state of the same scene, bit for bit. UsageError for bytes that are damaged or of another
        scene."""
        check(lib.pbf_sim_restore(self._open(), ffi.from_buffer(data), len(data)))

    @classmethod
    def load(cls, path: Union[str, os.PathLike], **settings: Any) -> "Simulation":
        """A checkpoint of `pbf`, or a file of what save gave, as a simulation that goes on: with its scene, and further
        settings of it. Errors: UsageError "FILE: what is wrong", FailedError."""
        sim = cls.__new__(cls)
        sim._begin(Scene(path, **settings), lib.pbf_sim_resume, path_bytes(path))
        return sim

    def write(self, format: str, path: Union[str, os.PathLike], up: Optional[str] = None) -> None:
        """Writes particles ("ply"), surface ("mesh_obj"), bodies ("obstacles_usda"), strands ("strands_vtp") or
        whitewater ("diffuse_vtp") as they are now; pbf.formats() lists the formats. up: the axis that points up in the
        file, "y" or "z"; None: what programs expect of the format. Errors: UsageError, FailedError naming the file."""
        check(lib.pbf_sim_write(self._open(), text_bytes(format), path_bytes(path), text_bytes(up) if up else NULL))

    def surface(self) -> Mesh:
        """The water's surface, by the keys "surface" of the scene (Yu and Turk 2013). OutOfMemoryError."""
        out = ffi.new("pbf_mesh **")
        check(lib.pbf_sim_surface(self._open(), out))
        return Mesh(out[0])

    def render(self, size: Optional[Tuple[int, int]] = None, style: Optional[str] = None,
               **settings: Any) -> np.ndarray:
        """A picture, (height, width, 4) uint8: red, green, blue (sRGB) and 255. style: "particles", "surface",
        "screen_space", "photo". settings: keys of output and camera; a Picture has more. Errors: as of Picture."""
        output = {key: value for key, value in (("size", size), ("style", style)) if value is not None}
        settings["output"] = {**settings.get("output", {}), **output}
        name = repr(settings)
        if name not in self._pictures:
            self._pictures[name] = Picture(self.scene, **settings)
        return self._pictures[name].draw(self)
