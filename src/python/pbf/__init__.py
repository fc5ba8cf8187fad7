"""Position based fluids: moving water, its surface, its pictures, and fast neighbor searches.

    import pbf

    sim = pbf.Simulation("dam_break", spacing=0.1)
    for frame in sim.frames(fps=30, duration=2):
        print(frame.time, sim.fields["speed"].max(), "m/s")
    pixels = sim.render(style="surface")          # (height, width, 4) uint8
    mesh = sim.surface()                          # mesh.vertices, mesh.triangles

Contents

    Scene, keys             what there is: a file, text, or keywords; every key with unit, range and default
    Simulation              steps, fields, particles, bodies, measurements, stored states, pictures
    Picture, Output         pictures one by one; pictures, films and files of frames, as the program makes them
    Film, write_image       arrays of pixels as MP4 and PNG
    Pair, Sheet             two simulations in lockstep, what they cost, how far they are apart, and pictures of both
    surface, Mesh           a closed mesh around any points
    slice, Slice            a field on a plane through any points
    neighbors, Search       all pairs of any points within a radius
    load, Particles         particles of files of other programs, and of this one
    sequence, write_index   files that show one run, and indices by which programs play them
    Foam                    spray, foam and bubbles of particles that are stored already
    Context                 threads, instruction set and messages of one's own
    Error                   what goes wrong: UsageError, FailedError, OutOfMemoryError, StaleError, StoppedError

All units are SI (m, s, kg), angles are degrees, z is up. Arrays of points have the shape (n, 3), float32 or float64,
with any strides. Arrays that come back are read-only and the library's own memory where their text says so; those
of fields (pbf.FieldArray, with unit, stage and stale) raise StaleError once the simulation has gone on. Other threads
of Python run while the library computes; different simulations may be used by different threads. Errors have the
library's text; a call that failed has changed nothing, but one of many steps (Simulation.advance, Pair.advance, Foam.add)
keeps those that were done.

The method is that of Macklin and Mueller, "Position Based Fluids" (2013), surfaces follow Yu and Turk, "Reconstructing
surfaces of particle-based fluids using anisotropic kernels" (2013); the library's header, pbf.h, has more on each call.
"""

from ._native import (TANK, Error, FailedError, OutOfMemoryError, StaleError, StoppedError, UsageError, lib as _lib,
                      text as _text)
from ._pairs import Change, Comparison, Cost, Difference, Pair, Sheet
from ._pictures import Film, Output, Picture, missing, write_image
from ._scene import Context, Count, Key, Scene, keys
from ._simulation import Body, Column, Field, Frame, Info, Report, Simulation, fields
from ._stored import File, Foam, sequence, write_index
from ._tools import (Mesh, Neighbors, Particles, Search, Slice, formats, load, methods, neighbors, slice, slice_fields,
                     spacing, surface)
from ._values import FieldArray

__version__ = _text(_lib.pbf_version())
__all__ = ["Body", "Change", "Column", "Comparison", "Context", "Cost", "Count", "Difference", "Error", "FailedError",
           "Field", "File", "Film", "Foam", "Frame", "Info", "Key", "Mesh", "Neighbors", "OutOfMemoryError", "Output",
           "Pair", "Particles", "Picture", "Report", "Scene", "Search", "Sheet", "Simulation", "Slice", "StaleError",
           "StoppedError", "TANK", "UsageError", "fields", "formats", "keys", "load", "methods", "missing",
           "neighbors", "sequence", "slice", "slice_fields", "spacing", "surface", "write_image", "write_index"]
