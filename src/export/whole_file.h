// Tells whether a file of a run is there and complete, from its beginning, end and size: cheap enough to look
// at thousands of frames before a run goes on. Frames that become one file that plays, which takes reading
// all of them, are read.
#ifndef PBF_EXPORT_WHOLE_FILE_H
#define PBF_EXPORT_WHOLE_FILE_H

#include <stdbool.h>

// path: of a picture or of a file of geometry that export.h wrote; its suffix says what it should be. False
// if it is missing, empty, cut or of another format. What stands in the middle is not looked at but in frames
// of a stage (stage_frame.h), whose checksum has to be right.
bool whole_file(const char *path);

#endif
