#include "command/command.h"
#include "command/help_keys.h"
#include "command/help_pages.h"
#include "scene/scene_library.h"
#include "scene/scene_schema.h"

#include <string.h>

// Endings of the files that a command or an option takes, by the value's name in help; "" for any.
static const char *file_endings(const char *argument)
{
    static const char *const kinds[][2] = {
        {"SCENE", "yaml"},     {"INPUT", "ply vtk vtp vtu pbf"},
        {"CHECKPOINT", "pbf"}, {"PATH", "pbf"},
        {"FILE.mp4", "mp4"},   {"FILE.png", "png"},
        {"FILE", ""},          {"DIR", "/"},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strncmp(argument, kinds[k][0], strlen(kinds[k][0])) == 0) return kinds[k][1];
    }
    return NULL;
}

static void print_commands(FILE *to)
{
    for (uint32_t k = 0; command_at(k); k++) fprintf(to, "%s ", command_at(k)->name);
}

// 'render --out' | 'frames --out')
static void print_pattern(FILE *to, unsigned commands, const char *option)
{
    const char *between = "    ";
    for (uint32_t k = 0; command_at(k); k++) {
        if (!(command_at(k)->bit & commands)) continue;
        fprintf(to, "%s'%s %s'", between, command_at(k)->name, option);
        between = " | ";
    }
    fputs(") ", to);
}

// use: of the option that they are values of; NULL: all are offered.
static void print_names(FILE *to, NearestNames *names, const OptionUse *use)
{
    fputs("_pbf_names '", to);
    for (uint32_t k = 0; names(k, NULL); k++) {
        if (!use || option_takes(use, names(k, NULL))) fprintf(to, "%s ", names(k, NULL));
    }
    fputs("'; ", to);
}

// Offers values that are names, scene keys or files, and nothing for others.
static Result print_value(FILE *to, const OptionRow *row, const OptionUse *use)
{
    const char *endings = file_endings(use->argument);
    print_pattern(to, use->commands, row->name);
    if (row->value.names) {
        print_names(to, row->value.names, use);
    } else if (strncmp(use->argument, "KEY=", 4) == 0) {
        fputs("_pbf_keys '", to);
        TRY(help_print_key_names(to, use));
        fputs("'; ", to);
    } else if (endings) {
        fprintf(to, "_pbf_files %s; ", endings);
    }
    fputs("return ;;\n", to);
    return result_ok();
}

static const char *truth_names(uint32_t k, const void *context)
{
    (void)context;
    return k == 0 ? "true" : k == 1 ? "false" : NULL;
}

// Offers the values of scene keys that are names.
static void print_key_values(FILE *to)
{
    for (ParamCursor at = param_first(SCENE_ROWS); at.row; param_next(&at)) {
        NearestNames *names = at.row->kind == PARAM_FLAG    ? truth_names
                              : at.row->kind == PARAM_NAMES ? NULL
                                                            : at.row->names;
        if (!names) continue;
        fprintf(to, "    *' %s') ", at.row->key);
        print_names(to, names, NULL);
        fputs("return ;;\n", to);
    }
}

static void print_command(FILE *to, const Command *command)
{
    const char *endings = file_endings(command->usage);
    fprintf(to, "    '%s -'*) _pbf_names '", command->name);
    for (uint32_t k = 0; option_row(k); k++) {
        if (option_use(option_row(k), command->bit)) fprintf(to, "%s ", option_row(k)->name);
    }
    fprintf(to, "' ;;\n    '%s '*) ", command->name);
    if (endings) {
        fprintf(to, "_pbf_files %s%s ;;\n", endings,
                strncmp(command->usage, "SCENE", 5) == 0 ? "; _pbf_scenes" : "");
    } else if (command->bit != COMMAND_HELP) {
        fputs("return ;;\n", to);
    } else {
        fputs("_pbf_names '", to);
        print_commands(to);
        fputs("keys' ;;\n", to);
    }
}

static Result print_scene(const char *name, const char *path, void *context)
{
    (void)path;
    fprintf(context, "%s ", name);
    return result_ok();
}

static Result print_scenes(FILE *to)
{
    fputs("# Scenes that are found by name, besides files.\n"
          "_pbf_scenes() {\n"
          "    COMPREPLY+=($(compgen -W '",
          to);
    TRY(scene_library_list(print_scene, to));
    fputs("' -- \"$word\"))\n}\n", to);
    return result_ok();
}

Result help_print_completion(FILE *to)
{
    fputs("# Completion of pbf's command lines in bash, made by: pbf help --completion bash\n"
          "# Names, also the last one of a comma list.\n"
          "_pbf_names() {\n"
          "    local before=\n"
          "    case $word in *,*) before=${word%,*}, ;; esac\n"
          "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${word##*,}\"))\n"
          "}\n"
          "# Scene keys, whose values follow.\n"
          "_pbf_keys() {\n"
          "    compopt -o nospace 2>/dev/null\n"
          "    COMPREPLY=($(compgen -S = -W \"$1\" -- \"$word\"))\n"
          "}\n"
          "# Folders, and files with one of these endings, or all files if there are none.\n"
          "_pbf_files() {\n"
          "    local IFS=$'\\n' ending\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    COMPREPLY=($(compgen -d -- \"$word\"))\n"
          "    [ $# -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    for ending in \"$@\"; do\n"
          "        COMPREPLY+=($(compgen -f -X \"!*.$ending\" -- \"$word\"))\n"
          "    done\n"
          "}\n",
          to);
    TRY(print_scenes(to));
    fputs("_pbf() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
          "command=${COMP_WORDS[1]} assigned=\n"
          "    COMPREPLY=()\n"
          "    # --name=value and key=value come in three words.\n"
          "    if [ \"$word\" = = ]; then\n"
          "        word= assigned=1\n"
          "    elif [ \"$before\" = = ]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD-2]} assigned=1\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        _pbf_names '",
          to);
    print_commands(to);
    fputs("--help --version'\n        return\n    fi\n    case \"$command $before\" in\n", to);
    for (uint32_t k = 0; option_row(k); k++) {
        for (const OptionUse *use = option_row(k)->uses; use->commands && use->argument; use++)
            TRY(print_value(to, option_row(k), use));
    }
    print_key_values(to);
    fputs("    esac\n    [ -z \"$assigned\" ] || return\n    case \"$command $word\" in\n", to);
    for (uint32_t k = 0; command_at(k); k++) print_command(to, command_at(k));
    fputs("    esac\n}\ncomplete -F _pbf pbf\n", to);
    return result_ok();
}
