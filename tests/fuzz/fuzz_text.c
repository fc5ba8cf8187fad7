// Tables of particles, which are told by their names.
#include "export/particle_file.h"
#include "fuzz_input.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ParticleFile file = {0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    particle_file_parse_text("input.csv", text, size, &file);
    particle_file_free(&file);
    free(text);
    return 0;
}
