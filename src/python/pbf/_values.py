"""Python values as settings and points of the library, and its memory as arrays."""

import functools
import json
import weakref
from typing import Any, Iterator

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
    if isinstance(value, (np.ndarray, FieldArray)):
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


class _Loan:
    """Memory of a simulation, which lives at least as long as the arrays that look at it."""

    def __init__(self, sim, place: dict):
        self._sim, self.__array_interface__ = sim, place


class FieldArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A field of a simulation: the fluid's own memory, read-only, in memory order.

    It calculates as an array of NumPy does, and has its attributes and methods, without a copy. It is good until the
    simulation steps or is changed; used after that it raises StaleError, as do parts and reshaped forms of it.
    ``np.array(field)`` and ``np.asarray(field)`` are copies to keep. ``unit`` and ``stage`` say what it holds.
    """

    # Not a subclass of numpy.ndarray: NumPy reads the memory of these without asking them.

    def __init__(self, sim: "weakref.ReferenceType[Any]", version: int, place: dict, unit: str, stage: str):
        self._sim, self._version, self._place = sim, version, place
        self.unit, self.stage = unit, stage

    @property
    def stale(self) -> bool:
        """Has the simulation gone on, so that the numbers are not there any more?"""
        sim = self._sim()
        return sim is None or sim._version() != self._version

    def _fresh(self) -> np.ndarray:
        if self.stale:
            raise StaleError("the simulation has changed since this field was taken: take it again, or keep "
                             "a copy (numpy.array(field))")
        return np.asarray(_Loan(self._sim(), self._place))

    def _form(self) -> np.ndarray:
        """What has the field's shape and type; its numbers may be gone."""
        return np.asarray(_Loan(None, self._place))

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array of a field is a copy: its memory is gone after the next step")
        return np.array(self._fresh(), dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return _call(getattr(ufunc, method), inputs, keywords)

    def __array_function__(self, function, types, arguments, keywords):
        return _call(function, arguments, keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"a FieldArray has no attribute {name!r}")
        if name in ("shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes"):
            return getattr(self._form(), name)
        if name in ("flat", "data"):  # would be read without asking the field
            return getattr(self._fresh().copy(), name)
        if name == "base":
            return None
        found = getattr(np.ndarray, name)
        if callable(found):
            return functools.wraps(found)(lambda *arguments, **keywords: _call(found, (self, *arguments), keywords))
        return _lent(getattr(self._fresh(), name), [self])

    def __dir__(self):
        return sorted({*super().__dir__(), *dir(np.ndarray)})

    def __len__(self) -> int:
        return len(self._form())

    def __bytes__(self) -> bytes:
        return self._fresh().tobytes()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fresh().copy())  # there may be a step before the last one is asked for


def _passed(name: str):
    function = getattr(np.ndarray, name)
    return functools.wraps(function)(lambda self, *arguments: _call(function, (self, *arguments), {}))


for _name in ("__getitem__", "__setitem__", "__contains__", "__bool__", "__int__", "__float__", "__complex__", "__index__",
              "__repr__", "__str__", "__format__", "__reduce__"):
    setattr(FieldArray, _name, _passed(_name))


def _call(function, arguments: tuple, keywords: dict):
    """Calls what takes arrays, with those of the fields."""
    fields: list = []
    parts = [*arguments, *keywords.values()]
    # A function of the caller may keep what it is given.
    copied = any(callable(part) and not isinstance(part, type) for part in parts)
    parts = [_refresh(part, copied, fields) for part in parts]
    return _lent(function(*parts[:len(arguments)], **dict(zip(keywords, parts[len(arguments):]))), fields)


def _refresh(value, copied: bool, fields: list):
    if isinstance(value, FieldArray):
        fields.append(value)
        return value._fresh().copy() if copied else value._fresh()
    if type(value) in (list, tuple):
        return type(value)([_refresh(part, copied, fields) for part in value])
    return value


def _lent(value, fields: list):
    """A result, in which arrays that look at a field's memory are fields, too."""
    if isinstance(value, np.ndarray):
        for field in fields if not value.flags.owndata else ():
            if np.may_share_memory(value, field._form()):
                return FieldArray(field._sim, field._version, value.__array_interface__, field.unit, field.stage)
    elif type(value) is tuple or type(value) is list and value and isinstance(value[0], (np.ndarray, list, tuple)):
        return type(value)([_lent(part, fields) for part in value])
    return value


def field_array(sim, field) -> FieldArray:
    """The first component of a pbf_field, not copied."""
    place = memory(field.data[0], _TYPES[field.type], (field.count,), None, field.stride).__array_interface__
    return FieldArray(weakref.ref(sim), field.version, place, ffi.string(field.unit).decode(),
                      ffi.string(field.stage).decode())


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
