// Tables of numbers that are the same on every instruction set, compiler and processor, in tests/golden.
#ifndef PBF_TESTS_GOLDEN_HELPERS_H
#define PBF_TESTS_GOLDEN_HELPERS_H

#include <stdio.h>

// The main function of a test program that compares a file with what `write` writes on each instruction set
// that this machine has, line by line; with the argument --rewrite it rewrites the file (`make golden`).
// head: the file's comment, which both begin with. Returns main's status.
int golden_main(int argc, char **argv, const char *path, const char *head, void (*write)(FILE *out));

#endif
