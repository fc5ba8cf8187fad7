// Small scenes and arrays for tests of pbf.h.
#ifndef PBF_TESTS_LIBRARY_HELPERS_H
#define PBF_TESTS_LIBRARY_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "library/pbf.h"

#include <stdatomic.h>
#include <stdbool.h>

// Stops the test with the message unless a call succeeds.
#define ASSERT_PBF(call)                                                                                     \
    do {                                                                                                     \
        pbf_result assert_result_ = (call);                                                                  \
        if (assert_result_.code != PBF_OK) fail_msg("%s: %s", #call, assert_result_.text);                   \
    } while (0)

// Stops the test unless a call is refused with this code and one line of text.
#define ASSERT_REFUSED(call, wanted) assert_refused(#call, call, wanted)
void assert_refused(const char *what, pbf_result result, pbf_code wanted);

// A tank with 512 particles and a ball, "ball", that stands in the water; more settings on top.
pbf_scene *library_scene(pbf_context *context, const pbf_setting *settings, size_t count);
pbf_sim *library_sim(pbf_context *context, const pbf_setting *settings, size_t count);

// --- wrong calls, and memory that runs out ---

// Memory of a context that can run out, and what it is told.
typedef struct LibraryHeap {
    atomic_long blocks, left; // left: allocations until one fails; below 0 none does
    atomic_int errors;        // messages that came
} LibraryHeap;

pbf_context_def library_heap_def(LibraryHeap *heap);

// What calls are tried on: one of each handle, all of a context with such a heap.
typedef struct LibraryKit {
    LibraryHeap heap;
    pbf_context *context;
    pbf_scene *scene;
    pbf_sim *sim; // a few steps after its start
    pbf_search *search;
    pbf_mesh *mesh;
    pbf_cloud *cloud;
    pbf_picture *picture; // NULL; for rows that make one
    void *stored;         // the simulation's state
    size_t stored_bytes;
    char file[300];                  // to be written
    char particles[300], state[300]; // to be read
} LibraryKit;

// A function of pbf.h. wrong: makes its k-th wrong call; returns false past the last. right: calls it as one
// should; whatever that makes is gone again when it returns.
typedef struct LibraryRow {
    const char *name;
    bool (*wrong)(LibraryKit *kit, uint32_t k, pbf_result *out);
    pbf_result (*right)(LibraryKit *kit);
    bool silent; // errors have no text to be logged
} LibraryRow;

// Makes all wrong calls, then right ones in which each allocation fails in turn, then one that succeeds: all
// that fail give a code and a line of text and leave simulation and scene as they were; in the end no block
// of memory is left. Needs a test folder (case_helpers.h).
void library_try_row(const LibraryRow *row);

typedef struct LibraryRows {
    const LibraryRow *rows;
    size_t count;
} LibraryRows;

// Rows of the functions that take points of the caller's, and of those that read and write files
// (library_rows.c); of frames, films and comparisons (library_output_rows.c); of sequences of files and
// whitewater (library_foam_rows.c).
LibraryRows library_rows_of_points(void);
LibraryRows library_rows_of_output(void);
LibraryRows library_rows_of_foam(void);

// Every function of the library's headers that needs OpenGL (pictures), or every other one, has a row in one
// of the lists, and all rows are such.
void library_check_rows(const LibraryRows *lists, size_t count, bool pictures);

// Numbers, lists of settings and vectors that no call takes; those with a k return false past the last.
#define LIBRARY_ODD 5
extern const double library_odd[LIBRARY_ODD];
bool library_bad_settings(uint32_t k, const pbf_setting **settings, size_t *count);
bool library_bad_points(uint32_t k, pbf_points *out);

// For bodies of `wrong`.
#define WRONG(call)                                                                                          \
    do {                                                                                                     \
        if (k-- == 0) return *out = (call), true;                                                            \
    } while (0)
// With `settings` and `count`, or with `bad`, each of those.
#define BAD_SETTINGS(call)                                                                                   \
    for (uint32_t n = 0; library_bad_settings(n, &settings, &count); n++) WRONG(call)
#define BAD_POINTS(call)                                                                                     \
    for (uint32_t n = 0; library_bad_points(n, &bad); n++) WRONG(call)

#endif
