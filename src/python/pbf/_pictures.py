"""Pictures of simulations, and what frames of a run leave behind."""

import os
from typing import Any, Callable, Iterable, Optional, Tuple, Union

import numpy as np

from ._native import NULL, UsageError, check, ffi, lib, path_bytes, text, text_bytes
from ._scene import Context, Scene, handle_of
from ._values import Settings

OnSamples = Callable[[int, int, float], Any]


class _Watcher:
    """A caller's function that is told of rounds of samples; what it raises comes out of the call that drew."""

    def __init__(self, on_samples: Optional[OnSamples]):
        self._raised: list = []

        def call(samples, of, noise, _user):
            try:
                return 1 if on_samples(samples, of, noise) else 0  # type: ignore[misc]
            except BaseException as error:  # goes on where the library cannot carry it
                self._raised.append(error)
                return 1

        self.callback = ffi.callback("pbf_samples_callback", call) if on_samples else NULL

    def check(self, result) -> None:
        if self._raised:
            raise self._raised.pop()
        check(result)


class Picture:
    """Draws simulations, by the keys output and camera of a scene with settings on top.

    Colors and an automatic camera follow the pictures that were drawn before; `memory`, 11 numbers, is what goes from one
    to the next: given to another Picture of the same settings, that one goes on as this one would have. cells: boxes of
    the neighbor search over the particles. on_samples: called with samples, their number, and noise (a share) after each
    round of a picture of the style "photo"; returning True ends the picture with a StoppedError. Errors: UsageError;
    FailedError where there is no OpenGL 3.3.
    """

    def __init__(self, scene: Scene, *, cells: bool = False, on_samples: Optional[OnSamples] = None, **settings: Any):
        given, out = Settings(settings), ffi.new("pbf_picture **")
        check(lib.pbf_picture_create(scene._handle, given.data, given.count, out))
        self._handle = ffi.gc(out[0], lib.pbf_picture_destroy)
        self._watcher = _Watcher(on_samples)
        check(lib.pbf_picture_cells(self._handle, 1 if cells else 0))
        check(lib.pbf_picture_watch(self._handle, self._watcher.callback, NULL))

    @property
    def size(self) -> Tuple[int, int]:
        """(width, height), pixels."""
        pixels = ffi.new("uint32_t[2]")
        check(lib.pbf_picture_size(self._handle, pixels, pixels + 1))
        return pixels[0], pixels[1]

    @property
    def memory(self) -> np.ndarray:
        """What the pictures so far carry on, (11,) float64; a copy. Setting it: UsageError for what is not finite."""
        return _memory(self._handle)

    @memory.setter
    def memory(self, numbers) -> None:
        _remember(self._handle, numbers)

    def draw(self, sim) -> np.ndarray:
        """The simulation as it is now, (height, width, 4) uint8: red, green, blue (sRGB) and 255."""
        width, height = self.size
        rgba = np.empty((height, width, 4), np.uint8)
        self._watcher.check(lib.pbf_picture_draw(self._handle, sim._open(), ffi.cast("void *", rgba.ctypes.data),
                                                 rgba.nbytes, 0))
        return rgba

    def close(self) -> None:
        """Gives all memory back."""
        ffi.release(self._handle)


def _memory(handle) -> np.ndarray:
    numbers = ffi.new("double[11]")
    check(lib.pbf_picture_memory(handle, numbers))
    return np.array(list(numbers))


def _remember(handle, numbers) -> None:
    check(lib.pbf_picture_remember(handle, ffi.new("double[11]", [float(number) for number in numbers])))


def _pixels(rgba) -> np.ndarray:
    rgba = np.asarray(rgba)
    if rgba.ndim != 3 or rgba.shape[2] != 4 or rgba.dtype != np.uint8:
        raise ValueError(f"pixels: {rgba.dtype} of shape {rgba.shape} (they are to be uint8, (height, width, 4))")
    return np.ascontiguousarray(rgba)


def write_image(path: Union[str, os.PathLike], rgba, *, context: Optional[Context] = None) -> None:
    """Writes pixels, (height, width, 4) uint8, as a PNG file, without the fourth numbers. Errors: UsageError; FailedError
    naming the file."""
    rgba = _pixels(rgba)
    check(lib.pbf_image_write(handle_of(context), path_bytes(path), rgba.shape[1], rgba.shape[0],
                              ffi.cast("void *", rgba.ctypes.data), rgba.nbytes, 0))


class Film:
    """A film of pixels, (height, width, 4) uint8: H.264 in MP4, by the program ffmpeg.

        with pbf.Film("out.mp4", fps=30) as film:
            for frame in sim.frames(fps=30, duration=2):
                film.add(sim.render())

    fps: pictures a second. The first picture decides the size. At the end of `with`, or by finish, the file gets its
    name; an exception removes it. Errors: UsageError; FailedError without ffmpeg.
    """

    def __init__(self, path: Union[str, os.PathLike], fps: float = 30, *, context: Optional[Context] = None):
        self._path, self._fps, self._context = path_bytes(path), fps, context
        self._handle: Any = None

    def add(self, rgba) -> None:
        """Adds a picture, of the size of the first."""
        rgba = _pixels(rgba)
        if self._handle is None:
            out = ffi.new("pbf_film **")
            check(lib.pbf_film_create(handle_of(self._context), self._path, rgba.shape[1], rgba.shape[0], self._fps,
                                      out))
            self._handle, self._shape = ffi.gc(out[0], lib.pbf_film_destroy), rgba.shape
        if rgba.shape != self._shape:
            raise UsageError(f"pixels of shape {rgba.shape} in a film of {self._shape}")
        check(lib.pbf_film_add(self._handle, ffi.cast("void *", rgba.ctypes.data), rgba.nbytes, 0))

    def finish(self) -> None:
        """Completes the film; there can be no further pictures."""
        if self._handle is None:
            raise UsageError("a film without pictures")
        check(lib.pbf_film_finish(self._handle))

    def __enter__(self) -> "Film":
        return self

    def __exit__(self, error, *_rest) -> None:
        try:
            if error is None:
                self.finish()
        finally:
            if self._handle is not None:
                ffi.release(self._handle)


class Output:
    """What `pbf render` makes of frames: pictures, a film, and files, which share one surface.

        with pbf.Output(sim.scene, "out", formats=["mesh_vtp", "abc"], film="out.mp4") as out:
            for frame in sim.frames(duration=2):
                out.add(sim)

    folder: of frame_0000.png, mesh_0000.vtp, ...; made if it is missing, and locked. film: an MP4 file, by the program
    ffmpeg. formats: those of `pbf help render`, pbf.formats() and "usda", "abc", which play. pictures: False needs no
    OpenGL. first: frames before it are in the folder, and a film begins with them. up: as of Simulation.write. cells,
    on_samples: as of Picture. At the end of `with`, or by finish, film and time series are completed; a film is removed
    where an exception ended it. Errors: UsageError; FailedError: no OpenGL, no ffmpeg, a folder that cannot be written or
    that another run has.
    """

    def __init__(self, scene: Scene, folder: Union[str, os.PathLike, None] = None, *,
                 film: Union[str, os.PathLike, None] = None, formats: Iterable[str] = (), pictures: bool = True,
                 first: int = 0, up: Optional[str] = None, cells: bool = False,
                 on_samples: Optional[OnSamples] = None):
        self._watcher = _Watcher(on_samples)
        self._def, self._keep = _definition(folder, film, formats, pictures, first, up)
        self._def.cells, self._def.on_samples = cells, self._watcher.callback
        self._scene, self._next = scene, first
        out = ffi.new("pbf_frames **")
        check(lib.pbf_frames_create(scene._handle, self._def, out))
        self._handle = ffi.gc(out[0], lib.pbf_frames_destroy)

    def add(self, sim, frame: Optional[int] = None) -> None:
        """Draws and writes the simulation as it is now as a frame: the next one, or the one of this number; they come in
        order."""
        number = self._next if frame is None else frame
        self._watcher.check(lib.pbf_frames_add(self._handle, number, sim._open()))
        self._next = number + 1

    @property
    def memory(self) -> Optional[np.ndarray]:
        """As of Picture; None without pictures."""
        picture = lib.pbf_frames_picture(self._handle)
        return _memory(picture) if picture else None

    @memory.setter
    def memory(self, numbers) -> None:
        picture = lib.pbf_frames_picture(self._handle)
        if picture:
            _remember(picture, numbers)

    def finish(self) -> None:
        """Completes film and time series with the frames so far, and gives memory and folder back."""
        try:
            check(lib.pbf_frames_finish(self._handle))
        finally:
            ffi.release(self._handle)

    def __enter__(self) -> "Output":
        return self

    def __exit__(self, error, *_rest) -> None:
        if error is None:
            self.finish()
        else:
            ffi.release(self._handle)


def missing(scene: Scene, folder: Union[str, os.PathLike], end: int, *, begin: int = 0, formats: Iterable[str] = (),
            pictures: bool = True, film: Union[str, os.PathLike, None] = None) -> Optional[Tuple[int, str]]:
    """The first of the frames begin .. end - 1 that lacks a file, or has one that is not complete, of those that an Output
    makes, as (frame, path); None where all are there."""
    definition, _keep = _definition(folder, film, formats, pictures, 0, None)
    frame, path = ffi.new("uint32_t *"), ffi.new("char[4096]")
    check(lib.pbf_frames_missing(scene._handle, definition, begin, end, frame, path, 4096))
    return None if frame[0] >= end else (frame[0], text(path))


def _definition(folder, film, formats, pictures, first, up):
    """A pbf_frames_def, and what it points to."""
    definition = ffi.new("pbf_frames_def *")
    names = [ffi.new("char[]", text_bytes(name)) for name in formats]
    listed = ffi.new("char *[]", names)
    folder, film = (ffi.new("char[]", path_bytes(path)) if path is not None else NULL for path in (folder, film))
    axis = ffi.new("char[]", text_bytes(up)) if up else NULL
    definition.size = ffi.sizeof("pbf_frames_def")
    definition.folder, definition.film, definition.up = folder, film, axis
    definition.formats, definition.format_count = ffi.cast("const char *const *", listed), len(names)
    definition.no_pictures, definition.first = not pictures, first
    return definition, (names, listed, folder, film, axis)
