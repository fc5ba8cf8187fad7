"""Two simulations of one scene that differ in settings, in lockstep."""

import os
from typing import Any, Optional, Tuple, Union

import numpy as np

from ._native import NULL, UsageError, check, ffi, lib, path_bytes, text, text_bytes
from ._scene import Scene
from ._simulation import Simulation
from ._values import Record


class Cost(Record):
    """What steps of one side of a Pair cost."""

    __slots__ = {
        "steps": "how many",
        "particles": "at the end",
        "build_ms": "ms, of the search's structure",
        "search_ms": "ms, of the search for pairs",
        "rest_ms": "ms, of all else",
        "wall_ms": "ms in all",
        "phases": "ms of each part of a step, by name",
        "candidates": "distances tested, sum over particles and steps",
        "neighbors": "those within the radius",
        "structure_bytes": "of the search, at their largest",
        "list_bytes": "of its pairs, at their largest",
    }
    steps: int
    particles: int
    build_ms: float
    search_ms: float
    rest_ms: float
    wall_ms: float
    phases: dict
    candidates: int
    neighbors: int
    structure_bytes: int
    list_bytes: int


class Difference(Record):
    """How far two states are apart."""

    __slots__ = {
        "identical": "the same particles, and every bit of their positions and velocities",
        "differing": "particles of both that differ",
        "only": "particles that only one side has, of each side",
        "particle": "id of the one whose positions are furthest apart; None: none differs",
        "distance": "m, between its positions",
        "velocity": "m/s, length of the difference of its velocities",
        "distance_rms": "m, root mean square over all that both have",
    }
    identical: bool
    differing: int
    only: Tuple[int, int]
    particle: Optional[int]
    distance: float
    velocity: float
    distance_rms: float


class Change(Record):
    """What the second side of a Pair needs beside the first, over the last rounds, at most 100: ratio - 1 of their
    times, -0.2 is a fifth less."""

    __slots__ = {
        "pairs": "of rounds; fewer than 10 tell nothing",
        "median": "of the rounds' ratios - 1",
        "low": "of 1000 such medians 999 lie between low and high (a sign test)",
        "high": "see low",
    }
    pairs: int
    median: float
    low: float
    high: float


class Comparison(Record):
    """Two simulations in lockstep: what both cost, and how far they are apart."""

    __slots__ = {
        "time": "s, of the last meeting",
        "round": "number of the last round",
        "round_cost": "of both sides in it",
        "cost": "of both sides in all rounds",
        "difference": "at the last round's end",
        "parting": "the first one; None while the states are identical",
        "parting_step": "of the first side, at that meeting",
        "parting_time": "s, of that meeting",
        "rounding": "the first one was by rounding alone",
        "largest": "of all meetings",
        "search": "of the time of the neighbor search",
        "whole": "of the time of all",
    }
    time: float
    round: int
    round_cost: Tuple[Cost, Cost]
    cost: Tuple[Cost, Cost]
    difference: Difference
    parting: Optional[Difference]
    parting_step: int
    parting_time: float
    rounding: bool
    largest: Difference
    search: Change
    whole: Change


def _cost(c) -> Cost:
    phases = {}
    for k in range(len(c.phase_ms)):
        phases[text(lib.pbf_phase(k))] = c.phase_ms[k]
    return Cost(c.steps, c.particles, c.build_ms, c.search_ms, c.rest_ms, c.wall_ms, phases, c.candidates, c.neighbors,
                c.structure_bytes, c.list_bytes)


def _difference(d) -> Difference:
    return Difference(bool(d.identical), d.differing, (d.only[0], d.only[1]),
                      None if d.particle == 0xFFFFFFFF else d.particle, d.distance, d.velocity, d.distance_rms)


def _change(c) -> Change:
    return Change(c.pairs, c.median, c.low, c.high)


class _Side(Simulation):
    """A side of a Pair, to be read: its steps are the pair's."""

    def __init__(self, pair, side: int, scene: Scene):
        self._pair = pair  # the handle is a part of it
        self._take(scene, ffi.cast("pbf_sim *", lib.pbf_pair_sim(pair, side)))

    def _refuse(self, *_arguments: Any, **_named: Any) -> Any:
        raise UsageError("a side of a comparison is moved by Pair.step and Pair.advance alone")

    step = advance = frames = set = add = remove = change = lead = measure = watch = restore = _refuse  # type: ignore

    def close(self) -> None:
        """Nothing: the pair gives its memory back when it goes."""


class Pair:
    """Two simulations that differ in settings, as pbf.Scene("dam_break", solver={"iterations": 3}) and one with 10.

    They are stepped side by side in turn, so that what else the machine does hits both alike; where both are at the same
    time they meet, and what they did since the last meeting is a round. sides: both, to be read, drawn and written.
    checkpoint: a file of either scene's state to begin with. Errors: as of Simulation.
    """

    def __init__(self, first: Scene, second: Scene, checkpoint: Union[str, os.PathLike, None] = None):
        out = ffi.new("pbf_pair **")
        check(lib.pbf_pair_create(first._handle, second._handle, path_bytes(checkpoint) if checkpoint else NULL, out))
        self._handle = ffi.gc(out[0], lib.pbf_pair_destroy)
        self.sides: Tuple[Simulation, Simulation] = (_Side(self._handle, 0, first), _Side(self._handle, 1, second))
        self._data, self._met = ffi.new("pbf_pair_data *"), ffi.new("int *")

    def step(self, until: float) -> bool:
        """One step of the side that is behind, of both if they are level, up to a time (s) that stays the same until it is
        reached. Returns whether a round is complete. Errors: as of Simulation.step, naming the side."""
        check(lib.pbf_pair_step(self._handle, until, self._met))
        return bool(self._met[0])

    def advance(self, until: float) -> Comparison:
        """Steps both to a time, s."""
        while self.compare().time < until:
            self.step(until)
        return self.compare()

    def compare(self) -> Comparison:
        """What both cost so far, and how far they are apart."""
        check(lib.pbf_pair_get(self._handle, self._data))
        d = self._data
        return Comparison(d.time, d.round, (_cost(d.round_cost[0]), _cost(d.round_cost[1])),
                          (_cost(d.cost[0]), _cost(d.cost[1])), _difference(d.difference),
                          _difference(d.parting) if d.parted else None, d.parting_step, d.parting_time,
                          bool(d.rounding), _difference(d.largest), _change(d.search), _change(d.whole))


class Sheet:
    """Sheets as `pbf compare` draws them: both sides of a Pair, with their titles and what they cost. Size, style and
    camera are those of the first scene. Errors: as of Picture."""

    def __init__(self, first: Scene, second: Scene, titles: Tuple[str, str] = ("first", "second"), *,
                 cells: bool = False):
        out, pixels = ffi.new("pbf_sheet **"), ffi.new("uint32_t[2]")
        check(lib.pbf_sheet_create(first._handle, second._handle, text_bytes(titles[0]), text_bytes(titles[1]),
                                   1 if cells else 0, out))
        self._handle = ffi.gc(out[0], lib.pbf_sheet_destroy)
        check(lib.pbf_sheet_size(self._handle, pixels, pixels + 1))
        self.size: Tuple[int, int] = (pixels[0], pixels[1])

    def draw(self, pair: Pair) -> np.ndarray:
        """Both sides as they are now, (height, width, 4) uint8, as of Picture.draw."""
        rgba = np.empty((self.size[1], self.size[0], 4), np.uint8)
        check(lib.pbf_sheet_draw(self._handle, pair._handle, ffi.cast("void *", rgba.ctypes.data), rgba.nbytes, 0))
        return rgba
