"""What Python's calls cost beside the library's own, in time of the calling thread, as medians of turns that alternate."""
import statistics
import sys
import time

import numpy as np

import pbf
from pbf._native import ffi, lib

TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
STEPS = 50
POINTS = 1_000_000


def steps():
    """Of a handful of particles, so that the call is what takes time: steps one by one, and steps in C."""
    scene = pbf.Scene(spacing=0.1, tank={"size": [1, 1, 1]}, water=[{"box": {"min": [0, 0, 0], "max": [0.2, 0.2, 0.2]}}],
                      context=pbf.Context(threads=1))
    one, other = pbf.Simulation(scene), pbf.Simulation(scene)
    report, differences = ffi.new("pbf_report *"), []
    for _ in range(TURNS):
        start = time.thread_time()
        for _ in range(STEPS):
            one.step(1e6)
        middle = time.thread_time()
        for _ in range(STEPS):  # without the layer above it; cffi's own share is in the loops below
            lib.pbf_sim_step(other._handle, 1e6, report)
        end = time.thread_time()
        differences.append(((middle - start) - (end - middle)) / STEPS * 1e6)
    assert one.hash == other.hash
    print(f"sim.step() beside pbf_sim_step called by cffi: {statistics.median(differences):+.1f} us")
    in_c, by_one = [], []
    for _ in range(TURNS):
        before = other.info.steps
        start = time.thread_time()
        other.advance(other.time + 0.05)
        took = time.thread_time() - start
        in_c.append(took / (other.info.steps - before) * 1e6)
        before, until = one.info.steps, one.time + 0.05
        start = time.thread_time()
        while one.time < until:
            one.step(until)
        by_one.append((time.thread_time() - start) / (one.info.steps - before) * 1e6)
    assert one.hash == other.hash
    gain = statistics.median(a - b for a, b in zip(by_one, in_c))
    print(f"a loop of sim.step() and sim.time beside pbf_sim_advance: {statistics.median(in_c):.1f} us a step in C, {gain:+.1f} us")


def searches():
    """A million points: pbf.Search.run and pbf.neighbors beside pbf_search_run on the same memory."""
    side = round(POINTS ** (1 / 3))
    lattice = np.stack(np.meshgrid(*[np.arange(side, dtype=np.float32)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    points = lattice + np.random.default_rng(1).uniform(-0.2, 0.2, lattice.shape).astype(np.float32)
    context = pbf.Context(threads=1)
    search = pbf.Search(2.5, context=context)
    own = pbf.Search(2.5, context=context)
    given, rows = ffi.new("pbf_points *"), ffi.new("pbf_rows *")
    base = ffi.cast("char *", points.ctypes.data)
    given.x, given.y, given.z, given.stride, given.count = base, base + 4, base + 8, 12, len(points)

    def through():
        start = time.thread_time()
        search.run(points)
        return time.thread_time() - start

    def behind():
        start = time.thread_time()
        lib.pbf_search_run(own._handle, given, rows)
        return time.thread_time() - start

    def fresh():
        start = time.thread_time()
        pbf.neighbors(points, 2.5, context=context)
        return time.thread_time() - start

    def fresh_behind():
        start = time.thread_time()
        handle = ffi.new("pbf_search **")
        lib.pbf_search_create(context._handle, ffi.NULL, 2.5, handle)
        lib.pbf_search_run(handle[0], given, rows)
        lib.pbf_search_destroy(handle[0])
        return time.thread_time() - start

    for what, one, other in (("Search.run of a million points beside pbf_search_run", through, behind),
                             ("pbf.neighbors, whose memory is new, beside a new pbf_search", fresh, fresh_behind)):
        ratios = []
        for turn in range(max(5, TURNS // 4)):
            pair = (one(), other()) if turn % 2 else (other(), one())[::-1]
            if turn:
                ratios.append(pair[0] / pair[1])
        print(f"{what}: {100 * (statistics.median(ratios) - 1):+.2f} %")


steps()
searches()
