// Two series of numbers that were measured in pairs (the times of two programs, in turn): how much the second
// one differs from the first, and how sure that is, whatever else the machine was doing.
#ifndef PBF_CORE_PAIR_FIGURE_H
#define PBF_CORE_PAIR_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

// The most pairs that a figure is made of, and the fewest that tell something.
enum { PAIRS_MAX = 100, PAIRS_MIN = 10 };

typedef struct PairFigure {
    uint32_t pairs;
    double change;    // median of second / first - 1: -0.2 is a fifth less
    double low, high; // what the pairs leave open: see pair_figure
} PairFigure;

// Of at most PAIRS_MAX pairs of positive numbers; others do not count. The median of further such pairs lies
// within the bounds 999 times in 1000: they are order statistics of the sign test, so that nothing is assumed
// of how the numbers are spread (of few pairs, the smallest and the largest ratio). They are PAIRS_BIAS wider
// at both ends, as the same program takes more or less time by where its memory happens to lie, in all pairs
// alike (measured: up to 0.03 between two fluids with one method).
#define PAIRS_BIAS 0.05
PairFigure pair_figure(const double (*pairs)[2], uint32_t count);

// Are there enough pairs? Do they tell that the two differ?
bool pair_figure_is_known(const PairFigure *figure);
bool pair_figure_differs(const PairFigure *figure);

// Median of at most PAIRS_MAX numbers, 0 of none.
double pair_median(const double *values, uint32_t count);

// The change as readable text, of `what`: "12.3 % less time", "no difference", "measuring".
void pair_figure_text(const PairFigure *figure, const char *what, char *out, uint32_t size);

// Its bounds: "10.1 to 14.0 % less, 100 pairs of steps"; "" while it is not known.
void pair_figure_bounds(const PairFigure *figure, char *out, uint32_t size);

#endif
