"""The Python package as its users see it; tests/test_library_python.c runs it.

PBF_PROGRAM names the program that it is compared with; it is run in the root of the source tree.
"""
import gc
import importlib.util
import inspect
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
from pathlib import Path

import numpy as np

import pbf
from pbf._native import ffi, lib

HERE = Path(__file__).parent
PROGRAM = os.environ.get("PBF_PROGRAM")
POOL = dict(spacing=0.1, tank={"size": [1.6, 0.8, 1.2]}, water=[{"box": {"min": [0, 0, 0], "max": [0.8, 0.8, 0.8]}}],
            obstacles=[{"name": "ball", "sphere": {"radius": 0.2}, "position": [1.2, 0.4, 0.2]}])


class Simulations(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "PBF_PROGRAM is not set")
    def test_frames_have_the_state_of_the_program(self):
        sim = pbf.Simulation("scenes/dam_break.yaml", spacing=0.3)
        self.assertEqual(len(list(sim.frames(fps=30, duration=0.5))), 16)
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "bench.json")
            subprocess.run([PROGRAM, "bench", "scenes/dam_break.yaml", "--spacing", "0.3", "--neighbor", "cluster_grid",
                            "--frames", "16", "--steps", "100000", "--warmup", "0", "--quiet", "--json", report],
                           check=True, stdout=subprocess.DEVNULL)
            self.assertEqual(json.loads(report.read_text())["methods"][0]["state_hash"], sim.hash)

    def test_fields_are_the_librarys_memory_until_the_next_step(self):
        sim = pbf.Simulation(**POOL)
        sim.advance(0.05)
        field = ffi.new("pbf_field *")
        lib.pbf_sim_field(sim._handle, b"vx", field)
        vx = sim.fields["vx"]
        self.assertEqual(vx.ctypes.data, int(ffi.cast("uintptr_t", field.data[0])))
        self.assertEqual((vx.dtype, vx.unit, vx.flags.writeable), (np.float32, "m/s", False))
        part, kept = vx[::2], np.array(vx)
        self.assertTrue(np.array_equal(kept, sim.velocities[:, 0]))
        sim.step()
        self.assertTrue(vx.stale and part.stale)
        for use in (lambda: vx + 1, lambda: np.mean(vx), lambda: part[0], lambda: vx.max(), lambda: list(vx),
                    lambda: str(vx), lambda: vx.copy()):
            self.assertRaises(pbf.StaleError, use)
        self.assertRaises(KeyError, lambda: sim.fields["colour"])
        for name in sim.fields:  # there are no whitewater, strands and spins here
            self.assertEqual(len(sim.fields[name]), 0 if "." in name or name.startswith("spin") else len(sim), name)
        last = sim.fields["vx"]
        del sim
        gc.collect()
        self.assertRaises(pbf.StaleError, lambda: last[0])

    def test_nothing_reads_the_memory_of_a_stale_field(self):
        sim = pbf.Simulation(**POOL)
        sim.advance(0.05)
        vx, seen, given = sim.fields["vx"], sim.velocities[:, 0], []
        copies = [np.array(vx), np.asarray(vx), np.asarray([vx, vx])[1], np.ascontiguousarray(vx), vx.copy()]
        views = [vx[:], vx.astype(np.float32, copy=False), vx.reshape(-1, 1).T[0], np.squeeze(vx), np.split(vx, 1)[0],
                 vx.view(np.ndarray)]
        np.apply_along_axis(lambda line: given.append(line) or 0, 0, vx)
        later = [vx.flat, vx.data, iter(vx)]
        for one in copies + given + views:
            self.assertTrue(np.array_equal(one, seen))
        total = vx.sum
        sim.advance(0.3)
        for use in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.ma.array, np.nditer, np.mean, bytes,
                    list, str, pickle.dumps, lambda f: f[0], lambda f: f + 1, lambda f: seen + f, lambda f: seen.dot(f),
                    lambda f: np.array([f, f]), lambda f: np.add.reduce(f), lambda f: 0.5 in f, lambda f: total(),
                    lambda f: f.T, lambda f: f.flat, lambda f: f.data, lambda f: f.ctypes):
            for field in [vx, *views]:
                self.assertRaises(pbf.StaleError, use, field)
        self.assertRaises(TypeError, memoryview, vx)
        self.assertFalse(hasattr(vx, "__array_interface__"))
        for one in copies + given + later:
            self.assertEqual(list(one), seen.tolist())
        self.assertEqual((len(vx), vx.shape, vx.dtype, vx.unit), (512, (512,), np.float32, "m/s"))
        vx = sim.fields["vx"]
        kept, seen = np.asarray(vx), vx.tolist()
        sim.close()
        self.assertRaises(pbf.StaleError, np.array, vx)
        self.assertEqual(kept.tolist(), seen)

    def test_fields_calculate_as_arrays_do(self):
        sim = pbf.Simulation(**POOL)
        sim.advance(0.05)

        def results(x, k):
            plain = np.arange(len(x), dtype=np.float32)
            return [x * 2 - plain, -x, x > 0, np.hypot(x, x), x @ x, np.float32(2) * x, plain - x, x[x > 0], plain[k[:5]],
                    x[k], x[3], np.concatenate([x, plain]), x.reshape(2, -1).sum(axis=1), np.sort(x), x.mean(), list(x),
                    x.tolist(), np.histogram(x)[0], pickle.loads(pickle.dumps(x)), float(x[3:4]), x.flat[3], bytes(x),
                    x[3] in x, repr(x), hasattr(x, "colour"), np.modf(x)[1]]

        vx, number = sim.fields["vx"], sim.fields["id"]
        for one, other in zip(results(vx, number), results(np.array(vx), np.array(number))):
            self.assertTrue(np.array_equal(one, other))
            self.assertIs(type(one), type(other))
        self.assertTrue(np.shares_memory(vx[1:], vx))  # not copied
        for write in (lambda: vx.__setitem__(0, 1), lambda: vx.fill(0), lambda: vx.setflags(write=True),
                      lambda: np.add(vx, 1, out=vx)):
            self.assertRaises(ValueError, write)

    def test_frames_want_a_rate_and_a_duration(self):
        sim = pbf.Simulation(**POOL)
        for fps in (0, -1, float("nan"), float("inf")):
            self.assertRaisesRegex(pbf.UsageError, "fps: .* is out of range", next, sim.frames(fps=fps))
        for duration in (-1, float("nan"), float("inf")):
            self.assertRaisesRegex(pbf.UsageError, "duration: .* is out of range", next, sim.frames(30, duration))

    def test_a_null_character_does_not_end_a_path_or_text(self):
        sim = pbf.Simulation(**POOL)
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "a\0.ply"))
            for use in (lambda: sim.write("ply", path), lambda: sim.surface().write(path), lambda: pbf.load(path),
                        lambda: pbf.Scene(path), lambda: pbf.sequence(path), lambda: sim.read("x\0")):
                self.assertRaisesRegex(pbf.UsageError, "null character", use)
            self.assertEqual(os.listdir(folder), [])

    def test_particles_and_bodies(self):
        sim = pbf.Simulation(**POOL)
        ids = sim.add([[1.2, 0.4, 0.9], [1.3, 0.4, 0.9]], velocities=[[0, 0, 1], [0, 0, 1]])
        self.assertEqual(ids.tolist(), [512, 513])
        sim.change(ids, velocities=np.zeros((2, 3)))
        sim.remove(ids[:1])
        self.assertEqual(len(sim), 513)
        self.assertRaisesRegex(pbf.UsageError, "no particle has the id 512", sim.remove, ids)
        self.assertRaisesRegex(pbf.UsageError, "no particle has the id -1", sim.remove, [-1])
        self.assertRaisesRegex(pbf.UsageError, "ids: an array of bool", sim.remove, sim.fields["id"] > 5)
        self.assertRaisesRegex(pbf.UsageError, "ids: an array of float64", sim.change, [5.5], velocities=[[0, 0, 1]])
        sim.remove([])
        self.assertEqual(len(sim), 513)
        self.assertRaisesRegex(ValueError, "position 0 is .*behind a wall", sim.add, [[9, 9, 9]])
        sim.measure()
        sim.lead(0, [0.5, 0.4, 0.3], arrival=0.4, rotation=[1, 0, 0, 1])
        self.assertTrue(sim.advance(0.4))
        ball = sim.body(0)
        self.assertTrue(np.allclose(ball.position, [0.5, 0.4, 0.3], atol=1e-6) and ball.name == "ball")
        self.assertGreater(ball.force[0], 0)  # drag, against its way
        self.assertLess(sim.body(pbf.TANK).force[2], 0)

    def test_a_stored_state_goes_on_bit_for_bit(self):
        one, other = pbf.Simulation(**POOL), pbf.Simulation(**POOL)
        one.advance(0.1)
        other.restore(one.save())
        self.assertEqual((one.advance(0.2), one.hash), (other.advance(0.2), other.hash))
        self.assertRaises(pbf.UsageError, other.restore, b"nonsense")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "state.pbf").write_bytes(one.save())
            loaded = pbf.Simulation.load(Path(folder, "state.pbf"))
        self.assertEqual((loaded.hash, loaded.scene.count.particles), (one.hash, 512))

    @unittest.skipUnless(PROGRAM, "PBF_PROGRAM is not set")
    def test_the_program_and_the_library_read_each_others_states(self):
        one, other = (pbf.Simulation("scenes/dam_break.yaml", spacing=0.4) for _ in range(2))
        list(one.frames(fps=30, duration=1 / 30))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "run", "scenes/dam_break.yaml", "--spacing", "0.4", "--frames", "2",
                            "--checkpoint-every", "1", "--quiet", "--out", folder], check=True)
            other.restore(Path(folder, "checkpoint_0001.pbf").read_bytes())
            self.assertEqual(one.hash, other.hash)
            state = Path(folder, "state.pbf")
            state.write_bytes(one.save())
            subprocess.run([PROGRAM, "run", "--resume", state, "--frames", "3", "--export", "ply", "--quiet", "--out",
                            Path(folder, "on")], check=True)
            self.assertTrue(Path(folder, "on", "particles_0002.ply").is_file())

    def test_measurements_by_name(self):
        sim = pbf.Simulation(probes=[{"name": "edge", "level": {"position": [0.4, 0.4]}}], **POOL)
        self.assertEqual(sim.columns, [])
        self.assertRaisesRegex(pbf.UsageError, "nothing is measured", sim.row)
        sim.watch()
        sim.advance(0.1)
        row, speeds = sim.row(), np.array(sim.velocities, float)
        self.assertAlmostEqual(row["kinetic_energy"] / (0.5 * sim.info.particle_mass * (speeds ** 2).sum()), 1, 5)
        self.assertIn(pbf.Column("edge_level", "m"), sim.columns)
        self.assertTrue(0.3 < row["edge_level"] < 0.9)
        sim.watch(False)
        self.assertEqual(sim.columns, [])

    def test_strands_are_not_copied_either(self):
        sim = pbf.Simulation(**POOL, strands=[{"rope": {"from": [1.2, 0.4, 1.1], "to": [1.2, 0.4, 0.9]}, "segments": 4}])
        sim.step()
        z = sim.fields["strands.z"]
        self.assertEqual((z.shape, z.strides, z.flags.owndata), ((5,), (12,), False))
        self.assertTrue(np.array_equal(z, sim.fields["strands.position"][:, 2]))
        sim.step()
        self.assertRaises(pbf.StaleError, lambda: z + 1)

    def test_files_are_read_back(self):
        sim = pbf.Simulation(**POOL)
        sim.advance(0.05)
        with tempfile.TemporaryDirectory() as folder:
            sim.write("ply", Path(folder, "a.ply"))
            read = pbf.load(Path(folder, "a.ply"))
            self.assertTrue(np.array_equal(read.positions, sim.positions))
            self.assertTrue(np.array_equal(read.velocities, sim.velocities))
            self.assertAlmostEqual(read.spacing, 0.1)
            self.assertAlmostEqual(read.time, sim.time)
            self.assertAlmostEqual(pbf.spacing(read.positions), 0.1, delta=0.01)
            sim.surface().write(Path(folder, "mesh.obj"), up="y")
            self.assertGreater(Path(folder, "mesh.obj").stat().st_size, 1000)
            self.assertRaisesRegex(ValueError, "is not a name of a mesh file", sim.surface().write, "mesh.stl")
            self.assertRaisesRegex(RuntimeError, "No such file", sim.write, "ply", Path(folder, "no", "a.ply"))
        self.assertIn("obstacles_obj", pbf.formats())

    def test_callbacks_stop_and_raise(self):
        sim, steps = pbf.Simulation(**POOL), []
        self.assertFalse(sim.advance(1, lambda report: steps.append(report) or len(steps) == 3))
        self.assertEqual([report.step for report in steps], [1, 2, 3])
        with self.assertRaises(ZeroDivisionError):
            sim.advance(1, lambda report: 1 / 0)
        sim.close()
        self.assertRaises(pbf.UsageError, sim.step)

    def test_threads_of_python_run_meanwhile(self):
        sim, ticks, done = pbf.Simulation("dam_break", spacing=0.2), [], threading.Event()

        def tick():
            while not done.wait(0.001):
                ticks.append(1)

        thread = threading.Thread(target=tick)
        thread.start()
        before = len(ticks)
        sim.advance(0.1)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), before)

    def test_pictures(self):
        sim = pbf.Simulation(**POOL)
        try:
            picture = sim.render(size=(64, 48), style="surface", output={"legend": False})
        except pbf.FailedError as error:
            self.skipTest(str(error))
        self.assertEqual((picture.shape, picture.dtype), ((48, 64, 4), np.uint8))
        self.assertTrue((picture[..., 3] == 255).all())
        self.assertGreater(picture[..., :3].std(), 5)

    def test_pictures_go_on_and_can_be_left(self):
        sim = pbf.Simulation(**POOL, output={"size": [64, 48]})
        try:
            one, other = (pbf.Picture(sim.scene, cells=cells) for cells in (False, True))
        except pbf.FailedError as error:
            self.skipTest(str(error))
        self.assertEqual(one.size, (64, 48))
        sim.advance(0.3)
        self.assertFalse(np.array_equal(one.draw(sim), other.draw(sim)))  # boxes
        second = pbf.Picture(sim.scene)
        second.memory = one.memory
        self.assertEqual((one.memory[0], second.memory.tolist()), (0.3, one.memory.tolist()))
        sim.advance(0.4)
        self.assertTrue(np.array_equal(one.draw(sim), second.draw(sim)))
        with self.assertRaises(pbf.UsageError):
            one.memory = [np.nan] * 11
        for on_samples, error in ((lambda samples, of, noise: samples > 0, pbf.StoppedError),
                                  (lambda *told: 1 / 0, ZeroDivisionError)):
            photo = pbf.Picture(sim.scene, on_samples=on_samples, output={"style": "photo", "noise": 0})
            self.assertRaises(error, photo.draw, sim)

    def test_an_output_is_what_the_program_makes(self):
        sim = pbf.Simulation("scenes/dam_break.yaml", spacing=0.3, output={"size": [64, 48]})
        formats = ["ply", "mesh_vtp", "usda"]
        with tempfile.TemporaryDirectory() as folder:
            with pbf.Output(sim.scene, Path(folder, "a"), formats=formats, pictures=False) as out:
                for frame in sim.frames(fps=30, duration=2 / 30):
                    out.add(sim, frame.number)
            self.assertIsNone(pbf.missing(sim.scene, Path(folder, "a"), 3, formats=formats, pictures=False))
            frame, path = pbf.missing(sim.scene, Path(folder, "a"), 5, formats=formats, pictures=False)
            self.assertEqual((frame, Path(path).name), (3, "particles_0003.ply"))
            self.assertRaisesRegex(pbf.UsageError, "is not a format", pbf.Output, sim.scene, folder, formats=["stl"])
            if not PROGRAM:
                self.skipTest("PBF_PROGRAM is not set")
            subprocess.run([PROGRAM, "run", "scenes/dam_break.yaml", "--spacing", "0.3", "--frames", "3", "--export",
                            ",".join(formats), "--quiet", "--out", Path(folder, "b")], check=True)
            for name in ("particles_0002.ply", "mesh_0002.vtp", "mesh.pvd", "scene.usda"):
                self.assertEqual(Path(folder, "a", name).read_bytes(), Path(folder, "b", name).read_bytes(), name)

    def test_films_and_images_of_pixels(self):
        pixels = np.random.default_rng(5).integers(0, 256, (6, 8, 4), np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            pbf.write_image(Path(folder, "a.png"), pixels[::-1])
            self.assertEqual(Path(folder, "a.png").read_bytes()[:4], b"\x89PNG")
            self.assertRaises(ValueError, pbf.write_image, Path(folder, "b.png"), pixels[..., :3])
            try:
                with pbf.Film(Path(folder, "a.mp4"), fps=25) as film:
                    film.add(pixels)
                    film.add(pixels[:, ::-1])
                    self.assertRaises(pbf.UsageError, film.add, pixels[1:])
            except pbf.FailedError as error:
                self.skipTest(str(error))  # no ffmpeg
            self.assertGreater(Path(folder, "a.mp4").stat().st_size, 500)
            with self.assertRaises(ZeroDivisionError):
                with pbf.Film(Path(folder, "b.mp4")) as film:
                    film.add(pixels)
                    raise ZeroDivisionError
            self.assertFalse(Path(folder, "b.mp4").exists())

    def test_two_in_lockstep(self):
        few, many = (pbf.Scene(solver={"iterations": n}, output={"size": [320, 240]}, **POOL) for n in (2, 6))
        pair, alone = pbf.Pair(few, many), pbf.Simulation(many)
        apart = pair.advance(1 / 30)
        alone.advance(1 / 30)
        first, second = pair.sides
        self.assertEqual(second.hash, alone.hash)
        self.assertNotEqual(first.hash, second.hash)
        order = [np.argsort(np.array(side.fields["id"])) for side in pair.sides]
        way = np.linalg.norm(first.positions[order[0]].astype(float) - second.positions[order[1]], axis=1)
        self.assertAlmostEqual(apart.difference.distance, way.max(), 6)
        self.assertEqual((apart.difference.particle, apart.parting_step), (int(way.argmax()), 1))
        self.assertEqual((apart.cost[1].steps, len(apart.cost[0].phases)), (alone.info.steps, 8))
        self.assertAlmostEqual(sum(apart.cost[0].phases.values()) / apart.cost[0].wall_ms, 1, delta=0.5)
        self.assertRaises(pbf.UsageError, second.step)
        same = pbf.Pair(few, few).advance(0.02)
        self.assertEqual((same.parting, same.difference.identical), (None, True))
        field = first.fields["vx"]
        pair.step(0.1)
        self.assertRaises(pbf.StaleError, lambda: field[0])
        try:
            sheet = pbf.Sheet(few, many, ("2", "6"), cells=True)
        except pbf.FailedError as error:
            self.skipTest(str(error))
        self.assertEqual((sheet.draw(pair).shape, sheet.size), ((240, 320, 4), (320, 240)))

    def test_records_are_as_tuples_and_say_what_they_hold(self):
        sim = pbf.Simulation(**POOL)
        report = sim.step()
        number, time, *_rest = report
        self.assertEqual((number, time, len(report)), (report.step, report.time, 9))
        self.assertEqual((report[1], report[:2], report), (time, (number, time), tuple(report)))
        self.assertEqual((pickle.loads(pickle.dumps(report)), hash(report)), (report, hash(tuple(report))))
        self.assertNotEqual(report, sim.step())
        self.assertIn("dt=", repr(report))
        self.assertEqual(inspect.getdoc(pbf.Report.dt), "s, how long it was")
        self.assertRaises(AttributeError, setattr, report, "time", 0)

    def test_errors_have_the_librarys_text(self):
        with self.assertRaisesRegex(pbf.UsageError, r"solver.cfl: 3 is out of range \(above 0, up to 2\)"):
            pbf.Simulation(**POOL, solver={"cfl": 3})
        with self.assertRaisesRegex(ValueError, "did you mean dam_break"):
            pbf.Scene("dam_brak")
        for threads, words in (-1, "-1 is out of range"), (1025, "1025 is too many"), (10 ** 12, "0000 is out of range"):
            self.assertRaisesRegex(pbf.UsageError, "threads: .*" + words, pbf.Context, threads)
        told = []
        with self.assertRaises(pbf.Error) as caught:
            pbf.Scene("dam_brak", context=pbf.Context(log=told.append))
        self.assertEqual(told, [str(caught.exception)])
        self.assertEqual(pbf.Scene("dam_break", spacing=0.2)["spacing"], "0.2")
        self.assertGreater(len(list(pbf.keys())), 50)

    def test_text_arrives_as_it_is_and_numbers_may_be_text(self):
        for name in ("a: b", "[draft]", "*x", "Run # 3", "it's", '"quoted"', "Größe 🌊", "- 1", "{", "3", "~", "a\\nb"):
            self.assertEqual(pbf.Scene(name=name, **POOL)["name"], name)
        scene = pbf.Scene(**POOL).set(look={"environment": "/tmp/my sky #1.hdr"}, obstacles={"0.name": "ball #1"})
        self.assertEqual(scene["look.environment"], "/tmp/my sky #1.hdr")
        self.assertEqual(pbf.Simulation(scene).body(0).name, "ball #1")
        other = pbf.Scene(fluid={"viscosity": 0.25})
        scene.set(**{"tank.size": "[1.6, 0.8, 2]", "fluid.viscosity": other["fluid.viscosity"]})
        self.assertEqual((scene["tank.size"], scene["fluid.viscosity"]), ("[1.6, 0.8, 2]", "0.25"))


class Arrays(unittest.TestCase):
    points = np.random.default_rng(3).random((400, 3))

    def test_neighbors_of_arrays_of_any_kind(self):
        apart = np.linalg.norm(self.points[:, None] - self.points[None], axis=2) < 0.2
        np.fill_diagonal(apart, False)
        wide = np.zeros((800, 5))
        wide[::2, ::2] = self.points
        for points in (self.points, self.points.astype(np.float32), np.asfortranarray(self.points), wide[::2, ::2],
                       self.points[::-1][::-1], self.points.tolist(), self.points.astype(">f8")):
            found = pbf.neighbors(points, 0.2)
            for i, row in enumerate(found):
                self.assertEqual(sorted(row.tolist()), np.flatnonzero(apart[i]).tolist())
        indptr, indices = found.csr()
        self.assertEqual((indptr[-1], len(indices)), (found.count, apart.sum()))
        search = pbf.Search(0.2, "kd_tree")
        old = search.run(self.points)
        self.assertEqual(search.run(self.points[:0]).count, 0)
        self.assertRaises(pbf.StaleError, lambda: old.begin)
        self.assertRaises(ValueError, pbf.neighbors, self.points[:, :2], 0.2)
        self.assertRaises(ValueError, pbf.neighbors, self.points, float("nan"))

    def test_a_search_leaves_rows_alone_that_somebody_keeps(self):
        search = pbf.Search(0.2)
        first = search.run(self.points)
        place, begin, part = first.begin.ctypes.data, first.begin, first.index[3:40]
        kept = begin.copy(), part.copy()
        second = search.run(0.5 * self.points)
        self.assertNotEqual(second.begin.ctypes.data, place)
        self.assertRaises(pbf.StaleError, lambda: first.index)
        self.assertTrue(np.array_equal(begin, kept[0]) and np.array_equal(part, kept[1]))
        self.assertEqual(second.count, pbf.neighbors(0.5 * self.points, 0.2).count)
        del first, begin, part
        place = second.begin.ctypes.data
        second = search.run(self.points)  # nothing but the object itself is kept: the same memory
        self.assertEqual(search.run(self.points).begin.ctypes.data, place)
        self.assertRaises(pbf.StaleError, lambda: second.begin)

    def test_arrays_keep_their_memory_through_any_view(self):
        mesh = pbf.surface(np.random.default_rng(4).random((300, 3)), 0.1)
        plain = np.asarray(mesh.vertices)[::2]
        kept, handle = plain.copy(), weakref.ref(mesh._handle)
        del mesh
        gc.collect()
        self.assertIsNotNone(handle())
        self.assertTrue(np.array_equal(plain, kept))
        del plain
        gc.collect()
        self.assertIsNone(handle())

    def test_neighbors_keeps_memory_that_nobody_looks_at(self):
        first = pbf.neighbors(self.points, 0.2)
        place, rows = first.begin.ctypes.data, first.csr()
        part = np.asarray(first.index)[:10]
        kept = part.copy()
        del first
        second = pbf.neighbors(self.points[:100], 0.2)  # part is still looked at
        self.assertNotEqual(second.begin.ctypes.data, place)
        self.assertTrue(np.array_equal(part, kept))
        del part, second
        for context in (None, pbf.Context(threads=1)):
            place = pbf.neighbors(self.points, 0.2, context=context).begin.ctypes.data
            again = pbf.neighbors(self.points, 0.2, context=context)
            self.assertEqual(again.begin.ctypes.data, place)
            self.assertTrue(np.array_equal(again.csr()[1], rows[1]))
            self.assertLess(pbf.neighbors(self.points, 0.1, context=context).count, again.count)
            self.assertEqual(len(again), 400)
        self.assertRaises(ValueError, pbf.neighbors, self.points * np.nan, 0.2)

    def test_slices_of_points(self):
        grid = np.stack(np.meshgrid(*[np.arange(12.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.1 + 0.05
        turning = np.stack([-grid[:, 1], grid[:, 0], 0 * grid[:, 0]], axis=1)  # 2/s about z
        cut = pbf.slice(grid, [0.6, 0.6, 0.61], [0, 0, 2], field="vorticity", velocities=turning)
        self.assertAlmostEqual(cut.area, 1.44, delta=0.05)
        self.assertEqual((cut.unit, cut.lines, cut.normal.tolist(), cut.values.shape), ("1/s", 1, [0, 0, 1], cut.fractions.shape))
        middle = tuple(size // 2 for size in cut.values.shape)
        self.assertAlmostEqual(cut.values[middle], 2, delta=0.02)
        self.assertAlmostEqual(cut.fractions[middle], 1, delta=0.05)
        self.assertEqual(pbf.slice(grid, [0, 0, 9], [0, 0, 1]).particles, 0)
        self.assertRaisesRegex(ValueError, "no velocities", pbf.slice, grid, [0, 0, 0], [0, 0, 1], field="speed")
        with tempfile.TemporaryDirectory() as folder:
            cut.write(Path(folder, "cut.svg"))
            self.assertIn(b"<svg", Path(folder, "cut.svg").read_bytes())
        self.assertIn("through", pbf.slice_fields())

    def test_whitewater_of_stored_particles(self):
        block = np.stack(np.meshgrid(*[np.arange(5.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 0.1
        apart = np.where(block[:, :1] < 0.15, 3.0, -3.0) * [0, 0, 1]
        foam = pbf.Foam(0.1, tank={"size": [4, 4, 4], "corner": [-2, -2, -2]}, gravity=[0, 0, -1], max=400)
        self.assertEqual((len(foam), foam.time, foam.read("position").shape), (0, None, (0, 3)))
        for time in (0.0, 0.2):
            foam.add(block, apart, time)
        self.assertEqual((foam.time, len(foam)), (0.2, foam.spray + foam.foam + foam.bubbles))
        self.assertAlmostEqual(foam.speed, 2.4 ** 0.5, places=5)  # a fall from the top to the tank's floor
        self.assertEqual(np.bincount(foam.read("class"), minlength=3).tolist(), [foam.spray, foam.foam, foam.bubbles])
        self.assertTrue((np.abs(foam.read("position") - 0.2) < 1.5).all() and (foam.read("size") > 0).all())
        self.assertRaisesRegex(ValueError, "not later", foam.add, block, apart, 0.1)
        self.assertRaisesRegex(ValueError, "not a field", foam.read, "colour")
        self.assertRaises(ValueError, pbf.Foam, surface={"cell": 1})
        with tempfile.TemporaryDirectory() as folder:
            foam.write(Path(folder, "foam_0007.vtp"))
            foam.write(Path(folder, "foam_0008.ply"))
            pbf.write_index(Path(folder, "foam.pvd"), ["foam_0007.vtp"], [0.2])
            self.assertEqual(pbf.sequence(Path(folder, "foam.pvd")),
                             [pbf.File(str(Path(folder, "foam_0007.vtp")), 7, 0.2)])
            self.assertEqual([file.number for file in pbf.sequence(Path(folder, "foam_*.*"))], [7, 8])
            self.assertEqual(len(pbf.load(Path(folder, "foam_0008.ply")).positions), len(foam))
            self.assertRaisesRegex(ValueError, "1 files and 0 times", pbf.write_index, "a.pvd", ["b.vtp"], [])
        for path in ("no/such_{}.ply", "no/such.ply", Path("no/such.pvd")):
            self.assertRaisesRegex(pbf.UsageError, "no such file|No such file", pbf.sequence, path)
        self.assertEqual([file.path for file in pbf.sequence(__file__)], [__file__])
        self.assertRaises(ValueError, pbf.sequence)

    def test_surfaces_as_other_packages_take_them(self):
        grid = np.stack(np.meshgrid(*[np.arange(8.0)] * 3), axis=-1).reshape(-1, 3) * 0.1
        mesh = pbf.surface(grid, cell=0.5, velocities=grid)
        self.assertAlmostEqual(mesh.volume, 0.512, delta=0.03)
        self.assertEqual(mesh.velocities.shape, mesh.vertices.shape)
        self.assertEqual(mesh.faces.reshape(-1, 4)[:, 0].tolist(), [3] * len(mesh.triangles))
        edges = np.sort(mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        self.assertTrue((np.unique(edges, axis=0, return_counts=True)[1] == 2).all())
        for package, make in (("meshio", lambda m: m.Mesh(mesh.vertices, [("triangle", mesh.triangles)])),
                              ("trimesh", lambda m: m.Trimesh(mesh.vertices, mesh.triangles)),
                              ("pyvista", lambda m: m.PolyData(mesh.vertices, mesh.faces))):
            if importlib.util.find_spec(package):
                taken = make(importlib.import_module(package))
                self.assertEqual(len(getattr(taken, "vertices", getattr(taken, "points", ()))), len(mesh.vertices))
        vertices = mesh.vertices
        del mesh
        gc.collect()
        self.assertTrue(np.isfinite(vertices).all())
        self.assertEqual(len(pbf.surface(np.empty((0, 3))).triangles), 0)


class Gallery(unittest.TestCase):
    def run_script(self, name, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, HERE / "examples" / name, *arguments], cwd=folder, text=True,
                                  capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout, sorted(path.name for path in Path(folder).rglob("*") if path.is_file())

    def test_parameter_sweep(self):
        plot = ["sweep.png"] if has_matplotlib() else []
        out, files = self.run_script("parameter_sweep.py", *plot)
        reached = [float(line.split(" at ")[1].split()[0]) for line in out.splitlines()]
        self.assertEqual((len(reached), sorted(reached, reverse=True), files), (4, reached, plot))

    def test_emitter_angle(self):
        self.assertIn(" degrees: ", self.run_script("emitter_angle.py")[0])

    def test_force_field(self):
        self.assertEqual(len(self.run_script("force_field.py")[0].splitlines()), 5)

    def test_own_exporter(self):
        self.assertEqual(len(self.run_script("own_exporter.py")[1]), 8)

    def test_neighbor_benchmark(self):
        self.assertIn("kd_tree", self.run_script("neighbor_benchmark.py", "2000")[0])

    def test_notebook(self):
        if not has_matplotlib():
            self.skipTest("matplotlib is not installed")
        import matplotlib
        matplotlib.use("Agg")
        names = {}
        try:
            for cell in json.loads((HERE / "examples" / "pictures.ipynb").read_text())["cells"]:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
        except pbf.FailedError as error:
            self.skipTest(str(error))
        self.assertEqual(len(names["axes"].flat), 6)


def has_matplotlib():
    try:
        import matplotlib
    except ImportError:
        return False
    return matplotlib is not None


if __name__ == "__main__":
    unittest.main()
