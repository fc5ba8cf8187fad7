"""Surfaces and neighbor searches on arrays of the caller, and files of particles."""

import math
import os
import weakref
from typing import Any, Callable, Iterator, Optional, Union

import numpy as np

from ._native import NULL, StaleError, check, ffi, lib, path_bytes, text, text_bytes
from ._scene import Context, handle_of
from ._values import Points, Record, Settings, memory


class Mesh:
    """A closed, two-manifold triangle mesh. All arrays are read-only and not copied.

    vertices (n, 3) float32, m; normals (n, 3), unit, outward; velocities (n, 3), m/s, or None; triangles (m, 3) uint32,
    counter-clockwise as seen from outside; volume, m^3, enclosed; spacing, m, of the particles; pieces, the number of
    connected surfaces. As other packages take it:

        meshio.Mesh(mesh.vertices, [("triangle", mesh.triangles)])
        trimesh.Trimesh(mesh.vertices, mesh.triangles)
        pyvista.PolyData(mesh.vertices, mesh.faces)
    """

    def __init__(self, handle):
        self._handle = ffi.gc(handle, lib.pbf_mesh_destroy)
        data = ffi.new("pbf_mesh_data *")
        check(lib.pbf_mesh_get(self._handle, data))
        corners = (data.vertex_count, 3)
        self.vertices: np.ndarray = memory(data.vertices, np.float32, corners, self._handle)
        self.normals: np.ndarray = memory(data.normals, np.float32, corners, self._handle)
        self.velocities: Optional[np.ndarray] = (
            memory(data.velocities, np.float32, corners, self._handle) if data.velocities else None)
        self.triangles: np.ndarray = memory(data.triangles, np.uint32, (data.triangle_count, 3), self._handle)
        self.volume: float = data.volume
        self.spacing: float = data.spacing
        self.pieces: int = data.pieces

    @property
    def faces(self) -> np.ndarray:
        """[3, a, b, c, 3, ...], as VTK and PyVista take triangles; a copy."""
        return np.insert(self.triangles.astype(np.int64), 0, 3, axis=1).ravel()

    def write(self, path: Union[str, os.PathLike], up: Optional[str] = None, time: Optional[float] = None) -> None:
        """Writes .ply, .obj, .vtk, .vtp or .usda, which the name tells. up: the axis that points up in the file, "y" or
        "z"; None: what programs expect of the format. time: s, that the file tells; None: that of the simulation, if it
        is of one. Errors: UsageError, FailedError naming the file."""
        check(lib.pbf_mesh_write(self._handle, path_bytes(path), text_bytes(up) if up else NULL,
                                 math.nan if time is None else time))


def surface(points, spacing: float = 0, velocities=None, *, context: Optional[Context] = None,
            **settings: Any) -> Mesh:
    """A closed mesh around particles.

    points: (n, 3), m. spacing: m, of particles at rest; 0 estimates it from their distances. velocities: (n, 3), m/s,
    for mesh.velocities. settings: keys of "surface", as cell=0.4, smoothing=3. Errors: UsageError for a point that is
    not finite, or a grid too large for the memory. Source: Yu and Turk 2013.
    """
    at, moving, given = Points(points), Points(velocities, "velocities"), Settings(settings, "surface.")
    out = ffi.new("pbf_mesh **")
    check(lib.pbf_surface(handle_of(context), at.data, moving.data, spacing, given.data, given.count, out))
    return Mesh(out[0])


def spacing(points, *, context: Optional[Context] = None) -> float:
    """The spacing at rest, m, estimated from the distances of particles, (n, 3), m: within 2 % where some have neighbors
    all around, else within 10 % as a rule. UsageError: fewer than two points, or all on each other."""
    at, out = Points(points), ffi.new("double *")
    check(lib.pbf_spacing(handle_of(context), at.data, out, NULL))
    return out[0]


class Slice:
    """A field on a plane through particles, on a regular grid. Arrays are read-only and not copied.

    values (rows, columns) float32, of the field, 0 where no particle reaches; fractions (rows, columns), of space that
    water fills, 1 inside at rest: 1/2 is the border, of which area (m^2), length (m) and lines, their number, are known.
    origin (m) is the first node, across and up (unit) lead from column to column and row to row, cell (m) apart. least,
    most: of the field in water; unit; particles within reach, 0: without a grid.
    """

    def __init__(self, handle):
        self._handle = ffi.gc(handle, lib.pbf_slice_destroy)
        data = ffi.new("pbf_slice_data *")
        check(lib.pbf_slice_get(self._handle, data))
        shape = (data.rows, data.columns)
        self.values: np.ndarray = memory(data.values, np.float32, shape, self._handle)
        self.fractions: np.ndarray = memory(data.fractions, np.float32, shape, self._handle)
        self.origin, self.across, self.up, self.normal = (
            np.array(list(part)) for part in (data.origin, data.across, data.up, data.normal))
        self.particles, self.lines = data.particles, data.lines
        self.cell, self.spacing, self.area, self.length = data.cell, data.spacing, data.area, data.length
        self.least, self.most = data.least, data.most
        self.field, self.unit = text(data.field), text(data.unit)

    def write(self, path: Union[str, os.PathLike]) -> None:
        """Writes .svg (lines), .png (field in colors, lines) or .vtp (grid and lines in space, for ParaView), which the
        name tells. Errors: UsageError; FailedError naming the file."""
        check(lib.pbf_slice_write(self._handle, path_bytes(path)))


def slice(points, point, normal, *, field: str = "density", velocities=None, spacing: float = 0, cell: float = 0.5,
          contours: int = 8, sector: float = 0, time: Optional[float] = None,
          context: Optional[Context] = None) -> Slice:
    """A plane through particles, (n, 3), m, by a point (m) and a normal of any length.

    field: one of pbf.slice_fields(). velocities: (n, 3), m/s, which every field but "density" and every sector need.
    spacing: m, of particles at rest; 0 estimates it. cell: of the grid, in spacings. contours: about so many lines of
    equal values in files. sector: degrees, 0 to 180; particles reach only what lies within half of this angle of their
    velocity (Kim and Lee 2025); 0: all around. time: s, that titles tell. Errors: UsageError for a point that is not
    finite, a grid that is too large, particles without the velocities that are needed.
    """
    at, moving = Points(points), Points(velocities, "velocities")
    name, definition = ffi.new("char[]", text_bytes(field)), ffi.new("pbf_slice_def *")
    definition.size, definition.field = ffi.sizeof("pbf_slice_def"), name
    definition.point, definition.normal = ([float(x) for x in vector] for vector in (point, normal))
    definition.spacing, definition.cell, definition.sector = spacing, cell, sector
    definition.contours, definition.time = contours, math.nan if time is None else time
    out = ffi.new("pbf_slice **")
    check(lib.pbf_slice_create(handle_of(context), at.data, moving.data, definition, out))
    return Slice(out[0])


def slice_fields() -> list:
    """The names of the fields of slices."""
    return _names(lib.pbf_slice_field)


class Particles(Record):
    """Particles of a file."""

    __slots__ = {
        "positions": "(n, 3) float32, m",
        "velocities": "(n, 3) float32, m/s; None: the file has none",
        "spacing": "m, of particles at rest; 0: the file does not say",
        "time": "s; None: the file does not say",
        "faces": "of a mesh whose vertices these are; 0 of particles",
    }
    positions: np.ndarray
    velocities: Optional[np.ndarray]
    spacing: float
    time: Optional[float]
    faces: int


def _vectors(points) -> np.ndarray:
    return np.stack([memory(part, np.float32, (points.count,), None) for part in (points.x, points.y, points.z)], axis=1)


def load(path: Union[str, os.PathLike], *, context: Optional[Context] = None) -> Particles:
    """Particles of a file: PLY, VTK (.vtk, .vtp, .vtu), Houdini's classic .bgeo, tables (.csv, .xyz) or a checkpoint, each
    also packed with gzip. Errors: UsageError "FILE: what is wrong"."""
    out, data = ffi.new("pbf_cloud **"), ffi.new("pbf_cloud_data *")
    check(lib.pbf_cloud_load(handle_of(context), path_bytes(path), out))
    cloud = ffi.gc(out[0], lib.pbf_cloud_destroy)
    check(lib.pbf_cloud_get(cloud, data))
    moving = _vectors(data.velocities) if data.velocities.count == data.positions.count else None
    return Particles(_vectors(data.positions), moving, data.spacing, None if math.isnan(data.time) else data.time,
                     data.faces)


def formats() -> list:
    """The names of the formats of Simulation.write."""
    return _names(lib.pbf_format)


class Neighbors:
    """For each point all others within the radius, as compressed rows.

    The neighbors of point i are index[begin[i] : begin[i] + length[i]], or self[i]; begin (n,) uint64, length (n,)
    uint32, index uint32: read-only, not copied; StaleError once the Search is run again, but arrays that were taken
    before stay as they are. Rows lie in any order, with gaps; csr() has none. count: neighbors in all; candidates:
    points whose distance was tested; milliseconds: what the search took.
    """

    def __init__(self, rows, search: "Search", owner):
        self._search, self._run, self._owner = search, search._runs, owner
        shape = (rows.rows,)
        self._begin: Optional[np.ndarray] = memory(rows.begin, np.uint64, shape, owner)
        self._length: Optional[np.ndarray] = memory(rows.length, np.uint32, shape, owner)
        self._first = rows.index
        self._index: Optional[np.ndarray] = None
        self.count: int = rows.neighbors
        self.candidates: int = rows.candidates
        self.milliseconds: float = rows.build_ms + rows.search_ms

    def _drop(self):
        self._begin = self._length = self._index = self._owner = None

    def _fresh(self, array: Optional[np.ndarray]) -> np.ndarray:
        if array is None or self._run != self._search._runs:
            raise StaleError("the search has been run again: these rows are gone")
        return array

    @property
    def begin(self) -> np.ndarray:
        """Where each row begins in index, (n,) uint64."""
        return self._fresh(self._begin)

    @property
    def length(self) -> np.ndarray:
        """How many neighbors each point has, (n,) uint32."""
        return self._fresh(self._length)

    @property
    def index(self) -> np.ndarray:
        """Numbers of neighbors, uint32; what lies between rows is of no meaning."""
        if self._index is None and self._owner:
            ends = self.begin + self.length
            self._index = memory(self._first, np.uint32, (int(ends.max()) if len(ends) else 0,), self._owner)
        return self._fresh(self._index)

    def __len__(self) -> int:
        return len(self.length)

    def __getitem__(self, i: int) -> np.ndarray:
        begin = int(self.begin[i])
        return self.index[begin : begin + int(self.length[i])]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[i] for i in range(len(self)))

    def csr(self) -> tuple:
        """(indptr, indices), as scipy.sparse takes them: the rows one after the other; copies."""
        indptr = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.length, out=indptr[1:])
        shift = np.repeat(self.begin.astype(np.int64) - indptr[:-1], self.length)
        return indptr, self.index[shift + np.arange(indptr[-1])]


class _Held:
    """What the arrays of a run's rows hold: the search's memory goes back to it when the last of them is gone."""

    def __init__(self, handle, spare: list, lent):
        self._handle, self._spare, self._lent = handle, spare, lent

    def __del__(self):
        self._spare[:] = [self._handle]


class Search:
    """A neighbor search that is run again and again, and keeps its memory.

    radius: m. method: one of pbf.methods(); None is the fastest. All give the same rows, bit for bit; `pbf bench
    --neighbor all` compares them. UsageError for another name, or a radius outside 1e-18 to 1e18.
    """

    def __init__(self, radius: float, method: Optional[str] = None, *, context: Optional[Context] = None):
        self._kind = (handle_of(context), text_bytes(method) if method else NULL, radius)
        self._spare = [self._make()]
        self._runs = 0
        self._last: Callable[[], Optional[Neighbors]] = lambda: None

    def run(self, points) -> Neighbors:
        """The neighbors of all points, (n, 3), m. Those of earlier runs are stale then; of arrays that were taken from
        them the memory is kept, and the search has other. UsageError naming the first point that is not finite."""
        return self._find(points, None)

    def _make(self):
        out = ffi.new("pbf_search **")
        check(lib.pbf_search_create(*self._kind, out))
        return ffi.gc(out[0], lib.pbf_search_destroy)

    def _find(self, points, lent) -> Neighbors:
        rows, at, last = ffi.new("pbf_rows *"), Points(points), self._last()
        self._runs += 1
        if last is not None:
            last._drop()
        handle = self._spare.pop() if self._spare else self._make()
        held = _Held(handle, self._spare, lent)
        check(lib.pbf_search_run(handle, at.data, rows))
        found = Neighbors(rows, self, held)
        self._last = weakref.ref(found)
        return found


_searches: list = []  # as Context._searches, of the process's own context


class _Lent:
    """A search that its list of searches gets back, in place of another one, when nobody holds its rows any more."""

    search: Optional[Search] = None

    def __init__(self, radius, method, context):
        self._kind, self._list = (radius, method), context._searches if context else _searches
        kept = self._list.pop() if self._list else (None, None)
        if kept[0] != self._kind:
            del kept  # gives its memory back before the other one takes some
            self.search = Search(radius, method, context=context)
        else:
            self.search = kept[1]

    def __del__(self):
        if self.search:
            self._list[:] = [(self._kind, self.search)]


def neighbors(points, radius: float, method: Optional[str] = None, *,
              context: Optional[Context] = None) -> Neighbors:
    """All pairs of points, (n, 3), m, no further apart than radius (m): dx^2 + dy^2 + dz^2 <= radius^2 in floats. A point
    is not its own neighbor. Once nothing is left of the rows, their memory is kept for the next call with this radius and
    method, until one with others; a Search gives its memory back when it goes. Errors: as of Search."""
    lent = _Lent(radius, method, context)
    return lent.search._find(points, lent)


def methods() -> list:
    """The names of the neighbor searches."""
    return _names(lib.pbf_method)


def _names(function) -> list:
    out: list = []
    while function(len(out)):
        out.append(text(function(len(out))))
    return out
