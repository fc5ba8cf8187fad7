#include "command/command.h"

#include "core/nearest.h"

#include <string.h>

static const Command commands[] = {
    {"view", COMMAND_VIEW, "[SCENE] [options]", "show a scene in a window and steer it",
     "F1 or ? in the window lists all keys. A scene file that changes on disk is read again.\n"
     "Without SCENE it begins with a list of the scenes that come along. --resume CHECKPOINT instead of\n"
     "SCENE opens a stored state. Needs a display; pbf render draws without one.\n",
     "pbf view dam_break\n"
     "pbf view scenes/wave.yaml --style screen_space --set solver.iterations=5\n"
     "pbf view --resume frames --paused\n",
     command_view},
    {"render", COMMAND_RENDER, "SCENE --out DIR [options]",
     "simulate a scene and write its frames as PNG files",
     "Needs no display. Frame 0 is the state at the start, frame k the one at k / fps seconds.\n"
     "--out may be left out if --video is given. Ctrl-C ends the run with whole files and a\n"
     "checkpoint: --resume DIR goes on. A folder that holds frames of another run is refused.\n",
     "pbf render dam_break --out frames --video dam_break.mp4\n"
     "pbf render wave --style surface --size 1920x1080 --out wave --export mesh_ply\n"
     "pbf render --resume wave\n",
     command_render},
    {"run", COMMAND_RUN, "SCENE --out DIR [options]", "simulate a scene without pictures",
     "As render, without drawing: for --export, --log and --checkpoint-every. Needs no OpenGL. --out may\n"
     "be left out if --log is given. --resume DIR goes on; so does render.\n",
     "pbf run dam_break --log dam_break.csv\n"
     "pbf run fountain --out fountain --export ply --checkpoint-every 30\n"
     "pbf run --resume fountain\n",
     command_run},
    {"compare", COMMAND_COMPARE, "SCENE --neighbor A,B --out DIR [options]",
     "run two methods, or two settings, side by side",
     "Both sides step in turn. --out gets frames that show both, compare.csv with a row a step, and\n"
     "reduction.png: the share of A's time for construction and search that B saves. States that\n"
     "differ are a result, not an error. --compare KEY=A,B compares two values of any scene key; with "
     "--neighbor A,B as\n"
     "well, both differ. --resume CHECKPOINT instead of SCENE compares from a stored state on.\n",
     "pbf compare dam_break --neighbor uniform_grid,aabb_grid --out boxes\n"
     "pbf compare wave --compare solver.iterations=3,10 --out iterations\n",
     command_compare},
    {"bench", COMMAND_BENCH, "SCENE [options]", "measure steps, without pictures",
     "Medians per step in ms. Several methods step in turn, each with a fluid of its own.\n"
     "--resume CHECKPOINT instead of SCENE measures from a stored state on.\n",
     "pbf bench dam_break --neighbor all --json times.json\n"
     "pbf bench dam_break --start 1.5 --steps 50\n",
     command_bench},
    {"check", COMMAND_CHECK, "SCENE [options]", "validate a scene and print what it implies",
     "Particles, memory, disk and time are estimates of pbf render with the same options.\n",
     "pbf check dam_break --spacing 0.05\n"
     "pbf check my_scene.yaml\n",
     command_check},
    {"mesh", COMMAND_MESH, "INPUT... --out FILE [options]",
     "make the water's surface from files of particles",
     "INPUT: PLY (text, binary), VTK (.vtk, .vtp, .vtu), Houdini's classic .bgeo, .csv with named\n"
     "columns, .xyz, or a checkpoint; positions in m, with velocities if there are any. Several files,\n"
     "a pattern ('splash_{}.bgeo'), a folder, a .pvd or a .series file make a sequence of meshes and its\n"
     "index. The spacing is --spacing, twice --radius, or the file's own; else it is estimated from the\n"
     "first file. --set takes the keys of a scene's surface section (pbf help keys surface).\n",
     "pbf mesh particles_0060.ply --out water.obj\n"
     "pbf mesh 'splash_{}.bgeo' --radius 0.025 --out meshes/water.ply\n",
     command_mesh},
    {"slice", COMMAND_SLICE, "INPUT --plane PX,PY,PZ,NX,NY,NZ --out FILE [options]",
     "draw a plane through particles: the water's border and a field",
     "INPUT: a file of particles, as for mesh. --out: SVG has the border and the field's contours as\n"
     "lines, PNG the field in colors, VTP both where they are in space. density is 1 inside water at rest;\n"
     "through and vorticity are the parts of velocity and curl along the normal. One looks against the\n"
     "normal, with z up. --sector is the search of Kim and Lee 2025, to see what it loses.\n",
     "pbf slice particles_0060.ply --plane 0,1,0,0,-1,0 --field speed --out cut.png\n"
     "pbf slice wave/checkpoint_0300.pbf --plane 0,0,0.5,0,0,1 --out level.svg\n",
     command_slice},
    {"foam", COMMAND_FOAM, "FILES --out DIR [options]", "make whitewater of stored particles",
     "FILES: particles with velocities, of pbf or of other programs, in any form that mesh takes: spray,\n"
     "foam and bubbles follow them from file to file, as if they had been simulated with whitewater: {}.\n"
     "Number k of the sequence becomes diffuse_000k. Walls of a tank are those of --set tank.size=[...].\n",
     "pbf foam 'dam/particles_{}.ply' --out dam\n"
     "pbf foam 'a_{}.bgeo' --fps 60 --set whitewater.trapped_air_rate=400 --out a\n",
     command_foam},
    {"frames", COMMAND_FRAMES, "CHECKPOINT... --out DIR [options]", "draw stored states again, as PNG files",
     "CHECKPOINT: files that render --checkpoint-every wrote, or a folder of them. Frame 12 is\n"
     "checkpoint_0012.pbf. Size, style, colors and camera are as stored unless options change them. --set\n"
     "takes the keys of surface, camera and output, colors of obstacles, and solver.neighbor for its "
     "cells.\n",
     "pbf frames wave --camera left --style surface --out other\n"
     "pbf frames wave/checkpoint_0030.pbf --size 3840x2160 --out large\n",
     command_frames},
    {"scenes", COMMAND_SCENES, "", "list the scenes that are found by name",
     "Commands take such a name for SCENE. A file of that name comes first.\n", "pbf scenes\n",
     command_scenes},
    {"help", COMMAND_HELP, "[COMMAND | keys [KEY] | log]", "explain a command, or the keys of scenes",
     "\npbf help keys lists every key of scene files with its type, range, default and meaning;\n"
     "pbf help keys solver those of a section. pbf help log lists the columns of --log.\n",
     "pbf help render\n"
     "pbf help keys solver\n"
     "pbf help keys solver.iterations\n"
     "pbf help log\n",
     command_help},
};

const Command *command_at(uint32_t k)
{
    return k < sizeof commands / sizeof *commands ? &commands[k] : NULL;
}

static const char *command_names(uint32_t k, const void *context)
{
    (void)context;
    const Command *command = command_at(k);
    return command ? command->name : NULL;
}

Result command_find(const char *name, const Command **out)
{
    for (uint32_t k = 0; command_at(k); k++) {
        *out = command_at(k);
        if (strcmp(name, (*out)->name) == 0) return result_ok();
    }
    const char *near = nearest_name(name, command_names, NULL);
    return result_error(RESULT_USAGE, "\"%.60s\": unknown command%s%s (pbf help lists them)", name,
                        near ? ", did you mean " : "", near ? near : "");
}
