// Error values: failures of the outside world (files, memory, bad input) are returned up to main, programming
// errors are CHECKed. A Result carries one message that a user can act on; main prints it once.
#ifndef PBF_CORE_RESULT_H
#define PBF_CORE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ResultCode {
    RESULT_OK,
    RESULT_USAGE,     // the call or the scene is wrong: exit status 2
    RESULT_FAILED,    // it failed while running (disk full, no OpenGL, diverged): exit status 1
    RESULT_NO_MEMORY, // exit status 1
    RESULT_STOPPED,   // somebody asked to stop; nothing is wrong
} ResultCode;

typedef struct Result {
    ResultCode code;
    char text[300]; // one line, no newline, no "pbf:" prefix: "WHERE: what is wrong (what is allowed)"
} Result;

// The success value.
static inline Result result_ok(void)
{
    Result ok = {RESULT_OK, ""}; // valid in C++, too
    return ok;
}

static inline bool result_is_ok(const Result *result)
{
    return result->code == RESULT_OK;
}

// Replaces by question marks what a terminal would obey: control characters, those from U+0080 to U+009F,
// too, and their bytes where the text is not UTF-8.
void text_mask_controls(char *text);

// A copy of the text that is masked so, cut at size - 1 bytes. Returns copy.
const char *text_masked(const char *text, char *copy, size_t size);

// An error with a printf-style message; text that does not fit is cut. Control characters that user input
// smuggled in are replaced, so that a message is always one printable line.
Result result_error(ResultCode code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// "out of memory: WHAT needs N MB".
Result result_no_memory(const char *what, unsigned long long bytes);

// Exit status of the program for an outcome: 0, 1 or 2.
int result_exit_status(const Result *result);

// Returns from the calling function with the error if the call fails.
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        Result try_result_ = (call);                                                                         \
        if (try_result_.code != RESULT_OK) return try_result_;                                               \
    } while (0)

// Assertion about our own code: aborts with file and line, in release builds too.
#define CHECK(condition) ((condition) ? (void)0 : check_failed(#condition, __FILE__, __LINE__))

// Called by a failing CHECK: prints the place to standard error and aborts.
__attribute__((noreturn)) void check_failed(const char *condition, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif
