"""Contexts and scenes."""

import os
from typing import Any, Callable, Iterator, Mapping, Optional, Union

from ._native import NULL, UsageError, check, ffi, lib, path_bytes, text, text_bytes
from ._values import Record, Settings


class Context:
    """Threads, instruction set and messages of scenes, searches and surfaces that are made with it.

    threads: of a loop; 0 shares the process's, 1 is the calling thread alone, more are its own.
    simd: "scalar", "plain", "avx2", "avx512", lowered to what the processor has; None: the best.
    log: called with each error's and note's text.
    UsageError for more threads than there may be.
    """

    def __init__(self, threads: int = 0, simd: Optional[str] = None,
                 log: Optional[Callable[[str], None]] = None):
        definition = ffi.new("pbf_context_def *")
        definition.size = ffi.sizeof("pbf_context_def")
        try:
            definition.threads = threads  # the library knows how many there may be
        except OverflowError:
            raise UsageError(f"threads: {threads} is out of range") from None
        name = ffi.new("char[]", text_bytes(simd)) if simd else NULL
        definition.simd = name
        self._log = NULL
        if log:
            self._log = ffi.callback("void(pbf_log_level, const char *, void *)",
                                     lambda _level, line, _user: log(text(line)))
            definition.log = self._log
        out = ffi.new("pbf_context **")
        check(lib.pbf_context_create(definition, out))
        self._handle = ffi.gc(out[0], lib.pbf_context_destroy)
        self._searches: list = []  # at most one, which pbf.neighbors takes again


def handle_of(context: Optional[Context]):
    return context._handle if context else NULL


class Scene:
    """What there is: liquid, solver, tank, water, bodies, nozzles, drains, surface, camera.

    Scene("dam_break")                           a scene that comes along, a file, or that of a checkpoint
    Scene("mine.yaml", spacing=0.05, fluid={"viscosity": 0.01})         with other values of its keys
    Scene(spacing=0.05, tank={"size": [2, 1, 1]}, water=[{"box": {"min": [0, 0, 0], "max": [0.5, 1, 0.8]}}])
    Scene.parse(text, files={"ring.obj": data})  from memory

    Keys are those of scene files; pbf.keys() lists them with unit, range and default. Text arrives as it is, whatever YAML
    would make of it; where a number, a list of them, true, false or a name belongs, it is read as in a scene file, as
    what scene["fluid.viscosity"] returns. Without water, particles are
    added by Simulation.add. Errors: UsageError "FILE:LINE:COLUMN: what is wrong (what is allowed)".
    """

    def __init__(self, path: Union[str, os.PathLike, None] = None, *, context: Optional[Context] = None,
                 **settings: Any):
        if path is None:
            self._read(b"{}", "scene", {}, context, settings)
            return
        given = Settings(settings)
        out = ffi.new("pbf_scene **")
        check(lib.pbf_scene_load(handle_of(context), path_bytes(path), given.data, given.count, out))
        self._keep(out[0], context)

    @classmethod
    def parse(cls, text: str, *, name: str = "scene", files: Optional[Mapping[str, bytes]] = None,
              context: Optional[Context] = None, **settings: Any) -> "Scene":
        """A scene from text. name: what messages call it. files: those that it names, in memory."""
        self = cls.__new__(cls)
        self._read(text.encode(), name, files or {}, context, settings)
        return self

    def _read(self, text, name, files, context, settings):
        given = Settings(settings)
        keep = [(ffi.new("char[]", text_bytes(key)), ffi.from_buffer(data)) for key, data in files.items()]
        listed = ffi.new("pbf_file[]", max(1, len(keep)))
        for k, (key, data) in enumerate(keep):
            listed[k].name, listed[k].data, listed[k].bytes = key, data, len(data)
        out = ffi.new("pbf_scene **")
        check(lib.pbf_scene_parse(handle_of(context), text_bytes(name), text, len(text), listed, len(keep),
                                  given.data, given.count, out))
        self._keep(out[0], context)

    def _keep(self, handle, context):
        self._context = context
        self._handle = ffi.gc(handle, lib.pbf_scene_destroy)

    def set(self, **settings: Any) -> "Scene":
        """Sets keys, all or none: scene.set(solver={"iterations": 5}). Simulations made before keep theirs."""
        given = Settings(settings)
        check(lib.pbf_scene_set(self._handle, given.data, given.count))
        return self

    def __getitem__(self, key: str) -> str:
        """The value of a key, as scene files write it: scene["fluid.viscosity"]."""
        out = ffi.new("char[]", 4200)
        check(lib.pbf_scene_get(self._handle, text_bytes(key), out, 4200))
        return text(out)


    @property
    def count(self) -> "Count":
        """How large simulations of it are, without making one."""
        out = ffi.new("pbf_count *")
        check(lib.pbf_scene_count(self._handle, out))
        return Count(out.particles, out.emitted, out.memory, out.bodies)


class Count(Record):
    """How large a scene is."""

    __slots__ = {
        "particles": "at the start",
        "emitted": "by nozzles, from then to the end of output.duration",
        "memory": "bytes that a simulation of all these takes at its peak, estimated",
        "bodies": "how many there are",
    }
    particles: int
    emitted: int
    memory: int
    bodies: int


class Key(Record):
    """A key of scenes that has one value."""

    __slots__ = {
        "key": "'solver.cfl'",
        "unit": "'m'; '' for a pure number",
        "type": "'number', '[x, y, z]', ...",
        "allowed": "'above 0, up to 1000 m', or the names that are known",
        "default": "its value where a scene says nothing",
        "help": "Markdown",
    }
    key: str
    unit: str
    type: str
    allowed: str
    default: str
    help: str


def keys() -> Iterator[Key]:
    """All keys of scenes that have one value, from the table that checks them."""
    info = ffi.new("pbf_key_info *")
    k = 0
    while lib.pbf_key(k, info):
        yield Key(*(text(part) for part in (info.key, info.unit, info.type, info.allowed, info.standard, info.help)))
        k += 1
