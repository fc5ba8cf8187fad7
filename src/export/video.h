// A film in the making: an ffmpeg child process that is fed raw pictures and writes H.264 in MP4.
#ifndef PBF_EXPORT_VIDEO_H
#define PBF_EXPORT_VIDEO_H

#include "core/result.h"

#include <stdint.h>

typedef struct Video Video;

// Starts ffmpeg, which is looked for in PATH. fps: pictures a second, > 0. An odd width or height is padded
// by a pixel, as the common 4:2:0 color format asks. Errors: RESULT_FAILED (no ffmpeg, the file cannot be
// written), RESULT_USAGE (it is a folder, a pipe or a device), RESULT_NO_MEMORY. End with video_close or
// video_abandon.
Result video_open(const char *path, uint32_t width, uint32_t height, double fps, Video **out);

// Adds a picture: width * height * 3 bytes, sRGB, top row first. Error: RESULT_FAILED with the last line of
// ffmpeg's messages.
Result video_add(Video *video, const uint8_t *rgb);

// Ends the film and gives it its final name; frees the video, whatever happens. A film of no pictures, or one
// that ffmpeg could not finish, is removed and is an error.
Result video_close(Video *video);

// Stops ffmpeg, removes the unfinished file and frees the video. NULL is allowed.
void video_abandon(Video *video);

#endif
