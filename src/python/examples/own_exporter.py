"""An exporter of one's own: particles of each frame as NumPy archives, and the surface as STL."""
import sys
from pathlib import Path

import numpy as np

import pbf

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "exported")
folder.mkdir(exist_ok=True)


def write_stl(path, mesh):
    """Binary STL: 80 bytes, the count, and for each triangle its normal, its corners and two bytes."""
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    rows = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("end", "<u2")])
    rows["normal"], rows["corners"] = normals, corners
    path.write_bytes(b"pbf".ljust(80) + np.uint32(len(rows)).tobytes() + rows.tobytes())


with pbf.Simulation("dam_break", spacing=0.3) as sim:
    for frame in sim.frames(fps=10, duration=0.3):
        np.savez(folder / f"frame_{frame.number:04d}.npz", time=frame.time, position=sim.positions,
                 velocity=sim.velocities, density=sim.fields["density"], id=sim.fields["id"])
        write_stl(folder / f"frame_{frame.number:04d}.stl", sim.surface())
print(*sorted(path.name for path in folder.iterdir()), sep="\n")
