// How a picture is lit and furnished: light, floor, color of the water. A preset decides what is not given.
#ifndef PBF_PHOTO_LOOK_H
#define PBF_PHOTO_LOOK_H

typedef enum LookPreset { LOOK_STUDIO, LOOK_POOL, LOOK_NIGHT, LOOK_PLAIN, LOOK_COUNT } LookPreset;
typedef enum LookFloor { LOOK_FLOOR_NONE, LOOK_FLOOR_SMOOTH, LOOK_FLOOR_SLABS, LOOK_FLOOR_TILES } LookFloor;
typedef enum LookSky { LOOK_SKY_STUDIO, LOOK_SKY_DAY, LOOK_SKY_NIGHT, LOOK_SKY_EVEN } LookSky;

// Numbers that are NAN, and choices that are -1, are those of the preset.
typedef struct LookDef {
    int preset;             // LookPreset
    int floor;              // LookFloor
    float floor_color[3];   // linear RGB, albedo
    int sky;                // LookSky
    float sky_strength;     // factor
    char environment[1024]; // a picture of the sky; "": none
    float sun[2];           // degrees: counter-clockwise from +x, and above the horizon
    float sun_strength;     // irradiance; the sky's radiance is about 1
    float sun_size;         // degrees across
    float lamps;            // factor
    float exposure;         // stops
    float water_color[3];   // linear RGB: white light after water_depth
    float water_depth;      // m; 0: by the scene's size
    float water_haze;       // scattered share of light after water_depth
    int glass;              // is the tank drawn? 0 or 1
    float caustics;         // photons, as a factor; 0: none
} LookDef;

// All of the preset `studio`.
LookDef look_def_default(void);

// The same with every value filled in.
LookDef look_resolve(const LookDef *def);

#endif
