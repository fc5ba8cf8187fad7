"""At which angle does a jet land furthest? Golden-section search over simulations; the answer is about 45 degrees."""
import math

import pbf

SPEED = 4.0  # m/s
GRAVITY = 9.81


def reach(angle):
    """How far from the nozzle the jet's head is when it is back at the nozzle's height, m."""
    with pbf.Simulation(spacing=0.03, solver={"xsph": 0}, fluid={"surface_tension": 0}, emitters=[
            {"disc": {"radius": 0.06}, "position": [0, 0, 0], "rotation": [0, 90 - angle, 0], "speed": SPEED,
             "stop": 0.05}]) as sim:
        sim.advance(2 * SPEED * math.sin(math.radians(angle)) / GRAVITY)
        return float(sim.positions[:, 0].mean())


low, high, golden = 20.0, 70.0, (math.sqrt(5) - 1) / 2
while high - low > 3:
    left, right = high - golden * (high - low), low + golden * (high - low)
    if reach(left) > reach(right):
        high = right
    else:
        low = left
best = (low + high) / 2
print(f"{best:.0f} degrees: {reach(best):.2f} m, a stone comes {SPEED**2 / GRAVITY:.2f} m at 45 degrees")
assert 38 < best < 52
