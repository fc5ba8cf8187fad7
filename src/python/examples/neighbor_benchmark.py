"""The neighbor searches on the same points: time, distances tested, and that all of them agree."""
import sys

import numpy as np

import pbf

count = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
spacing = count ** (-1 / 3)
points = np.random.default_rng(1).random((count, 3), np.float32)
first = None
print(f"{count} points at random in a cube, a radius of 2.5 mean distances\n")
print(f"{'method':18} {'ms':>8} {'tested':>12} {'neighbors':>12}")
for method in pbf.methods():
    if method in ("brute_force", "cluster_grid"):  # too slow; not lists
        continue
    search = pbf.Search(2.5 * spacing, method)
    best = min(search.run(points).milliseconds for _ in range(3))
    found = search.run(points)
    print(f"{method:18} {best:8.1f} {found.candidates:12} {found.count:12}")
    first = first if first is not None else found.csr()[1]
    assert np.array_equal(first, found.csr()[1])
