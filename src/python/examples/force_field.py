"""A force field of one's own: a ball of weightless water is stirred by a vortex about the z axis."""
import numpy as np

import pbf

STRENGTH = 8.0  # m/s^2 at a radius of 0.2 m

sim = pbf.Simulation(spacing=0.05, fluid={"gravity": [0, 0, 0]},
                     water=[{"sphere": {"center": [0, 0, 0], "radius": 0.3}}])


def stir(report):
    x, y, _ = sim.positions.T
    push = STRENGTH * np.stack([-y, x, 0 * x], axis=1) / 0.2 * np.exp(-(x**2 + y**2) / 0.2**2)[:, None]
    sim.change(velocities=sim.velocities + report.dt * push.astype(np.float32))


def spin():
    """Angular momentum about z, kg m^2/s."""
    x, y, _ = sim.positions.T
    u, v, _ = sim.velocities.T
    return sim.info.particle_mass * float(np.sum(x * v - y * u))


for frame in sim.frames(fps=10, duration=0.4, on_step=stir):
    print(f"{frame.time:.1f} s: {spin():7.2f} kg m^2/s, fastest {sim.fields['speed'].max():.2f} m/s")
assert spin() > 1
