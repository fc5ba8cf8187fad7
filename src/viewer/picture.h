// The picture of the water: one renderer a side, and what they draw into the window, a file or a film.
#ifndef PBF_VIEWER_PICTURE_H
#define PBF_VIEWER_PICTURE_H

#include "render/arrows.h"
#include "render/cells.h"
#include "render/gui_theme.h"
#include "render/shared_range.h"
#include "render/split.h"
#include "viewer/apart.h"
#include "viewer/camera.h"
#include "viewer/cut_slice.h"
#include "viewer/frame.h"
#include "viewer/frame_pacing.h"
#include "viewer/look.h"

typedef struct Picture {
    Screen *screen;
    const Playback *playback;
    const Look *look;
    Camera *camera;
    FramePacing pacing;
    Renderer *renderer[2]; // the second one while two fluids are compared
    Split *split;          // of these two; NULL for one
    uint32_t split_width, split_height;
    uint8_t *cutout; // likewise, with alpha
    size_t cutout_capacity;
    uint8_t *pixels; // of pictures that are written
    size_t pixel_capacity;
    Cells cells[2];
    Arrows arrows[2];
    Apart apart;              // of two sides whose difference is shown
    SharedRange range;        // of the colors of two sides
    uint64_t ranged;          // snapshot that it holds
    float range_lo, range_hi; // of both
    Clip cut;
    CutSlice slice[2]; // in the cut, of each side
    FilterRows filtered;
    ViewRows thinned;              // of what is cut, for a coarse picture
    bool has_legend, has_captions; // as recorded ones do
    uint32_t drawn_sides;          // sides that the window's picture shows
    double drawn_time;             // s, of its water,
    uint64_t drawn_step;           // whose step this is,
    uint32_t drawn_count;          // and which has so many particles
    bool compiled[2][STYLE_COUNT]; // for this many sides: the driver has seen the style
    PhotoReport photo[2];          // of the sides' photographs, as of the last picture; none: no samples
} Picture;

// A renderer for each side of the snapshot. Errors: those of renderer_create.
Result picture_make_renderers(Picture *picture);

// Another scene is shown: what was learned from the last one goes.
Result picture_renew_renderers(Picture *picture);

void picture_free(Picture *picture); // with the renderers

// Draws the window's picture, at a scale of its size. Style `photo` shows water that stands as far as its
// photograph has come, and else its surface.
Result picture_draw(Picture *picture, float scale);

// Is there nothing to wait for before a picture of this size is drawn in full quality? Asks for a photograph,
// whose samples take their time.
Result picture_is_whole(Picture *picture, uint32_t width, uint32_t height, bool *whole);

// Have photographs become finer than the window's picture?
bool picture_has_news(const Picture *picture);

// Samples of the photograph that is shown, of the side that has fewer; 0: none is.
uint32_t picture_samples(const Picture *picture);

// Draws it in full quality at a size, a photograph as far as it has come; *rgb belongs to the picture until
// the next call. A picture of the window's size, with its legend, may be kept as the window's own.
Result picture_draw_full(Picture *picture, uint32_t width, uint32_t height, const uint8_t **rgb);
// The same of one side without legend and background, with alpha. Errors: also RESULT_USAGE for two sides and
// for other styles than particles.
Result picture_draw_cutout(Picture *picture, uint32_t width, uint32_t height, const uint8_t **rgba);
void picture_keep(Picture *picture, bool with_legend);

// Shows what was drawn last in the window.
// edge: around it, where it does not fill the window.
Result picture_show(Picture *picture, GuiColor edge);

// From now on the user moves the camera, from where the last picture was seen; false if there is none yet.
bool picture_take_camera(Picture *picture);

// The water fills the picture again, wherever it is now.
void picture_frame_all(Picture *picture);

// Does the window show the present fluids, perhaps in an older state? Otherwise the mouse cannot aim at
// anything, and a new renderer's camera is not known yet.
bool picture_is_there(const Picture *picture);

// Is the surface that the style shows still missing? It comes with another snapshot of the same state.
bool picture_lacks_mesh(const Picture *picture);

// Camera of a side's last picture, and the range of its colors.
const View *picture_view(const Picture *picture, int side);
void picture_range(const Picture *picture, float *lo, float *hi);
void picture_beyond(const Picture *picture, float *below,
                    float *above); // shares of the left side's particles

// Pictures that the window shows beside each other: 2, or 1 also for two sides in one place.
int picture_count(const Picture *picture);
Frame picture_frame(const Picture *picture, int side);

// Px of the window to -1..1, right and up, in the picture of the side that is returned.
int picture_place(const Picture *picture, float px, float py, float *x, float *y);

// Has the picture a line that wipes between two sides, and where (px)?
bool picture_wipe(const Picture *picture, float *x);

// The first particle under a place of the window, its side and number; false if there is none.
bool picture_pick(const Picture *picture, float px, float py, int *side, uint32_t *particle);

#endif
