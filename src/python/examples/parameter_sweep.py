"""How far does a dam break come in 0.4 s, the thicker the liquid? Runs side by side in threads; a plot."""
import sys
from concurrent.futures import ThreadPoolExecutor

import pbf

VISCOSITIES = [1e-6, 0.01, 0.05, 0.2]  # m^2/s


def front(viscosity):
    scene = pbf.Scene(spacing=0.1, tank={"size": [3, 0.6, 1.2]}, fluid={"viscosity": viscosity},
                      water=[{"box": {"min": [0, 0, 0], "max": [0.6, 0.6, 0.8]}}],
                      context=pbf.Context(threads=1))  # each simulation on the thread that steps it
    with pbf.Simulation(scene) as sim:
        return [(frame.time, sim.fields["x"].max()) for frame in sim.frames(fps=20, duration=0.4)]


with ThreadPoolExecutor() as pool:
    fronts = dict(zip(VISCOSITIES, pool.map(front, VISCOSITIES)))
for viscosity, path in fronts.items():
    print(f"{viscosity:8g} m^2/s: the front is at {path[-1][1]:.2f} m after {path[-1][0]:.2f} s")

if len(sys.argv) > 1:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    for viscosity, path in fronts.items():
        pyplot.plot(*zip(*path), label=f"{viscosity:g} m$^2$/s")
    pyplot.xlabel("time, s"), pyplot.ylabel("front, m"), pyplot.legend()
    pyplot.savefig(sys.argv[1])
