"""Runs that are stored as files: their names, indices that play them, and whitewater of their particles."""

import math
import os
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from ._native import NULL, UsageError, check, ffi, lib, path_bytes, text_bytes
from ._scene import Context, handle_of
from ._simulation import fields
from ._values import Points, Record, Settings

PathLike = Union[str, "os.PathLike[str]"]


class File(Record):
    """A file of a sequence."""

    __slots__ = {
        "path": "as load takes it",
        "number": "in its name, or its place where names do not tell the files apart",
        "time": "s, that an index tells; None without one",
    }
    path: str
    number: int
    time: Optional[float]


def _texts(paths: Sequence[PathLike]):
    """An array of char *, and what keeps it alive."""
    parts = [ffi.new("char[]", path_bytes(path)) for path in paths]
    return ffi.new("const char *[]", parts or [NULL]), parts


def sequence(*paths: PathLike, context: Optional[Context] = None) -> List[File]:
    """Files of particles that show one run, in order. Each of the paths is a file, which is not read; a pattern of
    the shell, or with {} for a number ("splash_{}.bgeo"); a folder, which has one sequence of particles; or, alone, an
    index (.pvd, .series). Errors: UsageError where there are no files, or several sequences to choose from.

        for file in pbf.sequence("run"):
            particles = pbf.load(file.path)
    """
    out, data = ffi.new("pbf_sequence **"), ffi.new("pbf_sequence_data *")
    array, kept = _texts(paths)
    check(lib.pbf_sequence_find(handle_of(context), array, len(kept), out))
    found = ffi.gc(out[0], lib.pbf_sequence_destroy)
    check(lib.pbf_sequence_get(found, data))
    files = [File(os.fsdecode(ffi.string(file.path)), file.number, None if math.isnan(file.time) else file.time)
             for file in data.files[0 : data.count]]
    named = {os.fsdecode(path) for path in paths}
    for file in files:  # the library does not look at files that it is given by name
        if file.path in named and not os.path.exists(file.path):
            raise UsageError(f"{file.path}: no such file")
    return files


def write_index(path: PathLike, files: Sequence[PathLike], times: Sequence[float], up: Optional[str] = None, *,
                context: Optional[Context] = None) -> None:
    """Writes an index by which programs play files, whose names are relative to its own folder, at times (s). Its name
    tells the kind: .pvd, of .vtp files, and .series, of any others, for ParaView; .usda, a stage of .usda meshes at equal
    distances in time. up: as of Mesh.write. Errors: UsageError, FailedError naming the file."""
    array, kept = _texts(files)
    if len(kept) != len(times):
        raise UsageError(f"{len(kept)} files and {len(times)} times")
    check(lib.pbf_index_write(handle_of(context), path_bytes(path), array, ffi.new("double[]", list(times)), len(kept),
                              text_bytes(up) if up else NULL))


class Foam:
    """Spray, foam and bubbles of particles that a run or another program has stored, as `pbf foam` makes them
    (Ihmsen, Akinci, Akinci and Teschner 2012). Simulations make their own where the scene has "whitewater".

    spacing: m, of particles at rest; 0 estimates it from the first that come. tank: as of scenes, where walls are;
    gravity: m/s^2; settings: keys of "whitewater", as max=100000. Errors: UsageError for another key, or a value out of
    range.

        foam = pbf.Foam(tank={"size": [4, 2, 2]})
        for file in pbf.sequence("run"):
            particles = pbf.load(file.path)
            foam.add(particles.positions, particles.velocities, particles.time)
            foam.write(f"foam_{file.number:04}.vtp")
    """

    def __init__(self, spacing: float = 0, *, tank: Optional[dict] = None, gravity: Optional[Sequence[float]] = None,
                 context: Optional[Context] = None, **settings: Any):
        scene: dict = {"whitewater": settings}
        if tank is not None:
            scene["tank"] = tank
        if gravity is not None:
            scene["fluid"] = {"gravity": list(gravity)}
        given, out = Settings(scene), ffi.new("pbf_foam **")
        check(lib.pbf_foam_create(handle_of(context), spacing, given.data, given.count, out))
        self._handle = ffi.gc(out[0], lib.pbf_foam_destroy)

    def add(self, positions, velocities, time: float) -> None:
        """Leads the whitewater on to the particles, positions (m) and velocities (m/s) of shape (n, 3), of a time, s,
        later than the one before; n may be 0. In between the water is taken to move straight on, in steps in which it
        moves at most 0.4 influence radii, no more than 16. Errors: UsageError for numbers that are not finite, or an
        earlier time; FailedError for particles that are too far apart; OutOfMemoryError. The steps before an error remain
        done, and the same call goes on from there."""
        at, moving = Points(positions, "positions"), Points(velocities, "velocities")
        check(lib.pbf_foam_add(self._handle, at.data, moving.data, time))

    def _data(self):
        data = ffi.new("pbf_foam_data *")
        check(lib.pbf_foam_get(self._handle, data))
        return data

    def __len__(self) -> int:
        return self._data().particles

    @property
    def time(self) -> Optional[float]:
        """s, of the last particles; None before any."""
        time = self._data().time
        return None if math.isnan(time) else time

    @property
    def spacing(self) -> float:
        """m, of particles at rest; 0 until it is estimated."""
        return self._data().spacing

    @property
    def speed(self) -> float:
        """m/s, that thresholds are measured in: whitewater.speed, or else of a fall through the height of the first
        particles; 0 before these."""
        return self._data().speed

    @property
    def spray(self) -> int:
        """How many are in the air."""
        return self._data().spray

    @property
    def foam(self) -> int:
        """How many lie on the water."""
        return self._data().foam

    @property
    def bubbles(self) -> int:
        """How many are under water."""
        return self._data().bubbles

    def read(self, name: str) -> np.ndarray:
        """A copy of a field of the whitewater, (n,), or (n, 3) of a vector: "position" (m, scene coordinates), "velocity"
        (m/s), "class" (0 spray, 1 foam, 2 bubbles), "age", "life" (s), "size" (m, radius), "id" (in order of birth).
        UsageError for another name."""
        full = "whitewater." + name
        known = [field for field in fields() if field.name == full]
        shape = (len(self), 3) if known and len(known[0].components) > 1 else (len(self),)
        out = np.empty(shape, known[0].dtype if known else np.float32)
        check(lib.pbf_foam_read(self._handle, text_bytes(full), ffi.cast("void *", out.ctypes.data), out.nbytes, 0))
        return out

    def write(self, path: PathLike, up: Optional[str] = None) -> None:
        """Writes it as .ply or .vtp, which the name tells. up: as of Mesh.write. Errors: UsageError, FailedError naming
        the file."""
        check(lib.pbf_foam_write(self._handle, path_bytes(path), text_bytes(up) if up else NULL))
