"""What Python's calls cost beside the library's own, in time of the calling thread, as medians of turns that alternate.
usage: library.py [TURNS [BENCH_LIBRARY]]"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import pbf
from pbf._native import ffi, lib

TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
BENCH = sys.argv[2] if len(sys.argv) > 2 else "build/release/bench_library"
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


def served(points):
    """A search of these points behind pbf.h that keeps its memory, as `make bench-neighbors` has it, in a process of its
    own: a call makes it search, and returns its seconds."""
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(points.tobytes())
    process = subprocess.Popen([BENCH, "--serve", file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def search():
        print(file=process.stdin, flush=True)
        return float(process.stdout.readline()) / 1000

    search()
    os.unlink(file.name)
    return search


def searches():
    """A million points: what neighbors takes beside the search behind it, and Search.run beside pbf_search_run."""
    side = round(POINTS ** (1 / 3))
    lattice = np.stack(np.meshgrid(*[np.arange(side, dtype=np.float32)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    points = lattice + np.random.default_rng(1).uniform(-0.2, 0.2, lattice.shape).astype(np.float32)
    context = pbf.Context(threads=1)
    search = pbf.Search(2.5, context=context)
    own = pbf.Search(2.5, context=context)
    given, rows = ffi.new("pbf_points *"), ffi.new("pbf_rows *")
    base = ffi.cast("char *", points.ctypes.data)
    given.x, given.y, given.z, given.stride, given.count = base, base + 4, base + 8, 12, len(points)

    def timed(call):
        def measure():
            start = time.thread_time()
            call()
            return time.thread_time() - start

        return measure

    through = timed(lambda: search.run(points))
    behind = timed(lambda: lib.pbf_search_run(own._handle, given, rows))
    whole = timed(lambda: pbf.neighbors(points, 2.5, context=context))
    for what, one, other in (("Search.run of a million points beside pbf_search_run", through, behind),
                             ("pbf.neighbors of a million points beside the search behind pbf.h", whole, served(points))):
        ratios, times = [], []
        for turn in range(max(5, TURNS // 4) + 1):
            pair = (one(), other()) if turn % 2 else (other(), one())[::-1]
            if turn:  # the first one makes room
                ratios.append(pair[0] / pair[1])
                times.append(pair)
        one, other = (1e3 * statistics.median(side) for side in zip(*times))
        print(f"{what}: {one:.1f} and {other:.1f} ms, {100 * (statistics.median(ratios) - 1):+.2f} %")


steps()
searches()
