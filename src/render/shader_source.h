// The files of shaders/, inside the program: generated at build by tools/embed.
#ifndef PBF_RENDER_SHADER_SOURCE_H
#define PBF_RENDER_SHADER_SOURCE_H

// The text of a file by its name ("particle.vert"), or NULL if there is none.
const char *shader_source(const char *name);

#endif
