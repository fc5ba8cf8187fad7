"""Python values as settings and points of the library, and its memory as arrays."""

import functools
import json
import weakref
from typing import Any, Iterator, Optional

import numpy as np

from ._native import NULL, StaleError, ffi, lib, text_bytes

class Record:
    """Numbers and what else belongs together, by name, in order: record.time, record[1], and `first, second = record` are
    the same as of a tuple. A record does not change."""

    __slots__: Any = {}
    _puts: Any = ()

    def __init_subclass__(cls) -> None:
        cls._puts = [getattr(cls, name).__set__ for name in cls.__slots__]

    def __init__(self, *values: Any):
        for put, value in zip(self._puts, values):
            put(self, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: a {type(self).__name__} does not change")

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self.__slots__)

    def __len__(self) -> int:
        return len(self.__slots__)

    def __getitem__(self, k):
        return tuple(self)[k]

    def __eq__(self, other) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, (Record, tuple)) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self):
        return type(self), tuple(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


_TYPES = {lib.PBF_FLOAT: np.dtype(np.float32), lib.PBF_UINT32: np.dtype(np.uint32)}


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not a value of a scene")


@functools.lru_cache(maxsize=None)
def _not_text() -> frozenset:
    """The keys with one value that is a number, a list of them, a flag or a name."""
    info, found = ffi.new("pbf_key_info *"), []
    while lib.pbf_key(len(found), info):
        found.append((ffi.string(info.key).decode(), ffi.string(info.type)))
    return frozenset(key for key, kind in found if kind != b"text")


def _yaml(key: str, value: Any) -> str:
    """A value as scene files write it. Text is quoted, except where it can only mean what YAML makes of it."""
    if isinstance(value, str) and key in _not_text():
        return value
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _flatten(settings: dict, before: str, out: list) -> list:
    for key, value in settings.items():
        if isinstance(value, dict):
            _flatten(value, f"{before}{key}.", out)
        else:
            out.append((f"{before}{key}", _yaml(f"{before}{key}", value)))
    return out


class Settings:
    """A dict as an array of pbf_setting: {"solver": {"cfl": 0.3}} and {"solver.cfl": 0.3} are the same. Text arrives as it
    is; for numbers, lists of them, flags and names it may be what a scene file says: {"tank.size": "[1, 2, 1]"}."""

    def __init__(self, settings: dict, before: str = ""):
        pairs = _flatten(settings, before, [])
        self._texts = [ffi.new("char[]", text_bytes(text)) for pair in pairs for text in pair]
        self.count = len(pairs)
        self.data = ffi.new("pbf_setting[]", max(1, len(pairs)))
        for k in range(len(pairs)):
            self.data[k].key, self.data[k].value = self._texts[2 * k], self._texts[2 * k + 1]


class Points:
    """An array of shape (n, 3), float32 or float64 with any positive strides, as pbf_points: not copied."""

    def __init__(self, array, what: str = "points"):
        if array is None:
            self.array, self.data = None, NULL
            return
        array = np.asarray(array)
        if array.size == 0:
            array = array.reshape(0, 3)
        if array.ndim != 2 or array.shape[1] != 3:
            raise ValueError(f"{what}: an array of shape {array.shape} (it is to be (n, 3))")
        if array.dtype not in (np.float32, np.float64) or min(array.strides) < 0 or not array.dtype.isnative:
            array = np.ascontiguousarray(array, np.float64 if array.dtype.itemsize > 4 else np.float32)
        if len(array) > 1 and array.strides[0] < array.itemsize:  # repeated by broadcasting
            array = np.ascontiguousarray(array)
        base = ffi.cast("char *", array.ctypes.data)
        self.array = array
        self.data = ffi.new("pbf_points *")
        self.data.x, self.data.y, self.data.z = (base + k * array.strides[1] for k in range(3))
        self.data.stride = array.strides[0]
        self.data.count = len(array)
        self.data.type = lib.PBF_FLOAT if array.dtype == np.float32 else lib.PBF_DOUBLE


class FieldArray(np.ndarray):
    """A field of a simulation: the fluid's own memory, read-only, in memory order.

    It is good until the simulation steps or is changed; used after that it raises StaleError, as do parts and
    reshaped forms of it. ``np.array(field)`` is a copy to keep. ``unit`` and ``stage`` say what it holds.
    """

    _sim: Optional["weakref.ReferenceType[Any]"] = None
    _version = 0
    unit = ""
    stage = ""

    def __array_finalize__(self, source):
        if isinstance(source, FieldArray):
            self._sim, self._version = source._sim, source._version
            self.unit, self.stage = source.unit, source.stage

    @property
    def stale(self) -> bool:
        """Has the simulation gone on, so that the numbers are not there any more?"""
        sim = self._sim() if self._sim else None
        return sim is None or sim._version() != self._version

    def _fresh(self) -> np.ndarray:
        if self.stale:
            raise StaleError("the simulation has changed since this field was taken: take it again, or keep "
                             "a copy (numpy.array(field))")
        return self.view(np.ndarray)

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        inputs = [part._fresh() if isinstance(part, FieldArray) else part for part in inputs]
        return getattr(ufunc, method)(*inputs, **keywords)

    def __array_function__(self, function, types, arguments, keywords):
        return function(*_refresh(arguments), **{key: _refresh(value) for key, value in keywords.items()})

    def __getitem__(self, key):
        self._fresh()
        return super().__getitem__(key)

    def __iter__(self):
        return iter(self._fresh())

    def __repr__(self):
        return repr(self._fresh())

    def __str__(self):
        return str(self._fresh())

    def copy(self, order="C"):
        return self._fresh().copy(order)

    def tolist(self):
        return self._fresh().tolist()

    def tobytes(self, order="C"):
        return self._fresh().tobytes(order)

    def astype(self, *arguments, **keywords):
        return self._fresh().astype(*arguments, **keywords)

    def __reduce__(self):
        return self._fresh().__reduce__()


def _refresh(value):
    if isinstance(value, FieldArray):
        return value._fresh()
    if isinstance(value, (list, tuple)):
        return type(value)(_refresh(part) for part in value)
    return value


def field_array(sim, field) -> FieldArray:
    """The first component of a pbf_field, not copied."""
    out = memory(field.data[0], _TYPES[field.type], (field.count,), None, field.stride).view(FieldArray)
    out._sim, out._version = weakref.ref(sim), field.version
    out.unit, out.stage = ffi.string(field.unit).decode(), ffi.string(field.stage).decode()
    return out


def _keeping(pointer, owner):
    """The pointer, which keeps the owner alive: arrays of numpy forget all between them and the buffer that they view."""
    def forget(_pointer, _owner=owner):
        pass

    return ffi.gc(pointer, forget)


def memory(pointer, dtype, shape, owner, stride: int = 0) -> np.ndarray:
    """Memory of the library as a read-only array, which keeps its owner alive, as do all views of it; not copied. stride:
    bytes from one number to the next of an array of one dimension; 0: no gaps."""
    dtype, count = np.dtype(dtype), int(np.prod(shape))
    if count == 0 or not pointer:
        return np.empty(shape, dtype)
    stride = stride or dtype.itemsize
    start = ffi.cast("char *", pointer)
    buffer = ffi.buffer(start if owner is None else _keeping(start, owner), (count - 1) * stride + dtype.itemsize)
    if stride == dtype.itemsize:
        out = np.frombuffer(buffer, dtype).reshape(shape)
    else:
        out = np.ndarray(shape, dtype, buffer, strides=(stride,))
    out.flags.writeable = False
    return out


def type_of(field) -> np.dtype:
    return _TYPES[field.type]
