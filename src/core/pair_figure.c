#include "core/pair_figure.h"

#include "core/median.h"
#include "core/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// How often the median may lie outside of the bounds.
static const double MISSES = 1e-3;

// How many of the smallest of n values lie below the lower bound: as many heads or fewer come up in n throws
// of a coin half as often as the bounds may miss.
static uint32_t values_below(uint32_t n)
{
    double chance = pow(0.5, n), sum = chance; // of k heads
    uint32_t k = 0;
    while (2 * sum <= MISSES) {
        k++;
        chance *= (double)(n - k + 1) / k;
        sum += chance;
    }
    return k > 0 ? k - 1 : 0;
}

PairFigure pair_figure(const double (*pairs)[2], uint32_t count)
{
    double ratio[PAIRS_MAX];
    PairFigure figure = {0};
    CHECK(count <= PAIRS_MAX);
    for (uint32_t k = 0; k < count; k++) {
        if (pairs[k][0] > 0 && pairs[k][1] > 0) ratio[figure.pairs++] = pairs[k][1] / pairs[k][0];
    }
    if (figure.pairs == 0) return figure;
    double middle = median(ratio, figure.pairs);
    uint32_t below = values_below(figure.pairs);
    figure.change = middle - 1;
    figure.low = ratio[below] * (1 - PAIRS_BIAS) - 1;
    figure.high = ratio[figure.pairs - 1 - below] * (1 + PAIRS_BIAS) - 1;
    return figure;
}

bool pair_figure_is_known(const PairFigure *figure)
{
    return figure->pairs >= PAIRS_MIN;
}

bool pair_figure_differs(const PairFigure *figure)
{
    return pair_figure_is_known(figure) && (figure->low > 0 || figure->high < 0);
}

double pair_median(const double *values, uint32_t count)
{
    double sorted[PAIRS_MAX];
    CHECK(count <= PAIRS_MAX);
    if (count == 0) return 0;
    memcpy(sorted, values, count * sizeof *sorted);
    return median(sorted, count);
}

void pair_figure_text(const PairFigure *figure, const char *what, char *out, uint32_t size)
{
    if (!pair_figure_is_known(figure))
        snprintf(out, size, "measuring");
    else if (!pair_figure_differs(figure))
        snprintf(out, size, "no difference");
    else
        snprintf(out, size, "%.1f %% %s %s", 100 * fabs(figure->change), figure->change < 0 ? "less" : "more",
                 what);
}

void pair_figure_bounds(const PairFigure *figure, char *out, uint32_t size)
{
    double low = 100 * figure->low, high = 100 * figure->high;
    out[0] = '\0';
    if (!pair_figure_is_known(figure))
        snprintf(out, size, "%u of %u pairs of steps", figure->pairs, (unsigned)PAIRS_MIN);
    else if (!pair_figure_differs(figure))
        snprintf(out, size, "%+.1f to %+.1f %%, %u pairs of steps", low, high, figure->pairs);
    else
        snprintf(out, size, "%.1f to %.1f %% %s, %u pairs of steps", fmin(fabs(low), fabs(high)),
                 fmax(fabs(low), fabs(high)), low > 0 ? "more" : "less", figure->pairs);
}
