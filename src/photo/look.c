#include "photo/look.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

// What a preset says where the scene is silent: a row a key, a column a preset.
typedef struct PresetNumber {
    size_t at; // in LookDef
    uint32_t count;
    float of[LOOK_COUNT][3];
} PresetNumber;

typedef struct PresetChoice {
    size_t at;
    int of[LOOK_COUNT];
} PresetChoice;

#define AT(member) offsetof(LookDef, member)
#define ONE(...)                                                                                             \
    1,                                                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

// Columns: studio, pool, night, plain.
static const PresetNumber numbers[] = {
    {AT(floor_color),
     3,
     {{0.42f, 0.40f, 0.37f}, {0.30f, 0.52f, 0.62f}, {0.10f, 0.10f, 0.11f}, {0.72f, 0.72f, 0.72f}}},
    {AT(sky_strength), ONE({0.3f}, {1}, {1}, {0.8f})},
    {AT(sun), 2, {{114, 53}, {129, 45}, {114, 38}, {150, 60}}},
    {AT(sun_strength), ONE({17}, {15}, {0.6f}, {2})},
    {AT(sun_size), ONE({1.6f}, {1.2f}, {2}, {6})},
    {AT(lamps), ONE({1}, {0}, {0.5f}, {0})},
    {AT(exposure), ONE({0}, {-0.7f}, {1}, {0})},
    {AT(water_color),
     3,
     {{0.30f, 0.81f, 0.92f}, {0.22f, 0.76f, 0.90f}, {0.20f, 0.70f, 0.90f}, {0.20f, 0.66f, 0.90f}}},
    {AT(water_haze), ONE({0.02f}, {0.05f}, {0.03f}, {0})},
};

static const PresetChoice choices[] = {
    {AT(floor), {LOOK_FLOOR_SLABS, LOOK_FLOOR_TILES, LOOK_FLOOR_SMOOTH, LOOK_FLOOR_SMOOTH}},
    {AT(sky), {LOOK_SKY_STUDIO, LOOK_SKY_DAY, LOOK_SKY_NIGHT, LOOK_SKY_EVEN}},
    {AT(glass), {1, 1, 1, 0}},
};

#define COUNT_OF(rows) (sizeof(rows) / sizeof *(rows))

static float *number_at(LookDef *look, const PresetNumber *row)
{
    return (float *)(void *)((char *)look + row->at);
}

static int *choice_at(LookDef *look, const PresetChoice *row)
{
    return (int *)(void *)((char *)look + row->at);
}

LookDef look_def_default(void)
{
    LookDef look = {.preset = LOOK_STUDIO, .caustics = 1};
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        for (uint32_t i = 0; i < numbers[k].count; i++) number_at(&look, &numbers[k])[i] = NAN;
    }
    for (size_t k = 0; k < COUNT_OF(choices); k++) *choice_at(&look, &choices[k]) = -1;
    return look;
}

LookDef look_resolve(const LookDef *def)
{
    LookDef look = *def;
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        float *value = number_at(&look, &numbers[k]);
        for (uint32_t i = 0; i < numbers[k].count; i++) {
            if (isnan(value[i])) value[i] = numbers[k].of[def->preset][i];
        }
    }
    for (size_t k = 0; k < COUNT_OF(choices); k++) {
        int *value = choice_at(&look, &choices[k]);
        if (*value < 0) *value = choices[k].of[def->preset];
    }
    return look;
}
