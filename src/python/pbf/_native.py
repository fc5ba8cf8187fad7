"""The shared library, through cffi in ABI mode: pbf.h is read as it is, nothing is compiled."""

import os
import re
from pathlib import Path

import cffi

_HERE = Path(__file__).resolve().parent


def _declarations() -> str:
    """What cffi understands of pbf.h and pbf_output.h: no preprocessor, no linkage, no inline functions."""
    for folder in (_HERE, _HERE.parents[1] / "library"):
        if (folder / "pbf.h").is_file():
            text = "".join((folder / name).read_text() for name in ("pbf.h", "pbf_output.h"))
            break
    else:
        raise ImportError(f"pbf.h is missing (it belongs beside {__file__})")
    numbers = dict(re.findall(r"^#define (PBF_\w+_NUMBERS) (\d+)$", text, flags=re.M))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', "", text, flags=re.S)
    text = re.sub(r"^static inline .*?^}\n", "", text, flags=re.S | re.M)
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    text = re.sub(r"\bPBF_\w+_NUMBERS\b", lambda name: numbers[name[0]], text)
    return text.replace("PBF_API ", "")


def _open(ffi: cffi.FFI):
    """The library that PBF_LIBRARY names, that of the source tree, or the one that is installed."""
    build = _HERE.parents[2] / "build" / "release"
    inside = _HERE.parents[2]  # lib, of an unpacked archive
    named = os.environ.get("PBF_LIBRARY")
    names = [named] if named else []
    names += [str(folder / "libpbf.so.0") for folder in (build, inside) if (folder / "libpbf.so.0").is_file()]
    names += ["libpbf.so.0"]
    try:
        return ffi.dlopen(names[0])
    except OSError as error:
        raise ImportError(f"the library of pbf cannot be loaded: {error} (build it with `make library`, install "
                          "libpbf0, or name it in PBF_LIBRARY)") from None


ffi = cffi.FFI()
ffi.cdef(_declarations())
lib = _open(ffi)
NULL = ffi.NULL
TANK = 0xFFFFFFFF


class Error(Exception):
    """What every error of the library is. Its text is the library's: one line that a user can act on."""


class UsageError(Error, ValueError):
    """An argument, a scene or a file is wrong."""


class FailedError(Error, RuntimeError):
    """It failed while running: the simulation diverged, there is no OpenGL."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out; everything is as it was before the call."""


class StoppedError(Error):
    """A function of the caller ended a picture."""


class StaleError(Error, RuntimeError):
    """An array of a field was used after the simulation went on; take the field again."""


_ERRORS = {lib.PBF_USAGE: UsageError, lib.PBF_FAILED: FailedError, lib.PBF_NO_MEMORY: OutOfMemoryError,
           lib.PBF_STOPPED: StoppedError}


def check(result) -> None:
    """Raises what a pbf_result tells, if it is an error."""
    if result.code:
        raise _ERRORS.get(result.code, Error)(ffi.string(result.text).decode("utf-8", "replace"))


def _whole(value, data: bytes) -> bytes:
    if b"\0" in data:
        raise UsageError(f"{value!r}: has a null character, where texts end")
    return data


def path_bytes(path) -> bytes:
    """A path as the library takes it. UsageError for one with a null character."""
    return _whole(path, os.fsencode(path))


def text_bytes(value: str) -> bytes:
    """A text as the library takes it. UsageError for one with a null character."""
    return _whole(value, value.encode())


def text(value) -> str:
    return ffi.string(value).decode() if value else ""
