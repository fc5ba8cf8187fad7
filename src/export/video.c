#include "export/video.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "export/file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct Video {
    FileTarget target;
    pid_t ffmpeg;
    int frames_fd; // our end of the socket that is ffmpeg's standard input
    int lock;      // the file, held open so that no other run makes the same film
    int log_fd;    // what ffmpeg says; memory, so that it never blocks
    size_t frame_bytes;
    uint64_t frames;
};

// ffmpeg opens the file by name and seeks in it, so it has to be an ordinary one.
static Result open_target(const char *path, Video *video)
{
    TRY(file_target_probe(path));
    TRY(file_target_open(path, &video->target, &video->lock));
    if (!file_target_take(&video->target, video->lock)) {
        file_target_discard(&video->target);
        return result_error(RESULT_FAILED, "%s: another run makes this film (wait for it, or another name)",
                            path);
    }
    file_target_remove_stale(path); // also of the one that was waited for
    if (!video->target.standard) return result_ok();
    return result_error(RESULT_FAILED, "%s: cannot write: a film needs an ordinary file", path);
}

// A socket instead of a pipe: writing to it can be told not to raise SIGPIPE when the reader is gone.
static Result open_channels(Video *video, int *ffmpeg_end)
{
    int ends[2];
    video->log_fd = memfd_create("ffmpeg", MFD_CLOEXEC);
    if (video->log_fd < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return result_error(RESULT_FAILED, "%s: cannot start ffmpeg: %s", video->target.path,
                            strerror(errno));
    video->frames_fd = ends[0];
    *ffmpeg_end = ends[1];
    return result_ok();
}

static int spawn_ffmpeg(Video *video, int ffmpeg_end, char *const arguments[])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ffmpeg_end, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, video->log_fd, STDERR_FILENO);
    // Its own process group: Ctrl-C at the terminal reaches us alone, and we end the film in order.
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int error = posix_spawnp(&video->ffmpeg, "ffmpeg", &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static Result start_ffmpeg(Video *video, uint32_t width, uint32_t height, double fps)
{
    int ffmpeg_end = -1;
    TRY(open_channels(video, &ffmpeg_end));
    char size[32], rate[32], output[60];
    snprintf(size, sizeof size, "%ux%u", width, height);
    c_snprintf(rate, sizeof rate, "%.12g", fps);
    // By its number at us: once we are killed, ffmpeg cannot make a file of that name again.
    snprintf(output, sizeof output, "file:/proc/%ld/fd/%d", (long)getpid(), video->lock);
    // bt709 is what players assume; without it colors shift.
    char *arguments[] = {
        "ffmpeg",
        "-hide_banner",
        "-loglevel",
        "error",
        "-nostdin",
        "-y",
        "-f",
        "rawvideo",
        "-pixel_format",
        "rgb24",
        "-video_size",
        size,
        "-framerate",
        rate,
        "-i",
        "pipe:0",
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-colorspace",
        "bt709",
        "-color_primaries",
        "bt709",
        "-color_trc",
        "bt709",
        "-color_range",
        "tv",
        "-c:v",
        "libx264",
        "-preset",
        "medium",
        "-crf",
        "18",
        "-movflags",
        "+faststart",
        "-f",
        "mp4",
        output,
        NULL,
    };
    int error = spawn_ffmpeg(video, ffmpeg_end, arguments);
    close(ffmpeg_end);
    if (!error) return result_ok();
    video->ffmpeg = 0;
    if (error == ENOENT)
        return result_error(RESULT_FAILED, "%s: ffmpeg was not found (install it, or leave out --video)",
                            video->target.path);
    return result_error(RESULT_FAILED, "%s: cannot start ffmpeg: %s", video->target.path, strerror(error));
}

// Returns true if ffmpeg succeeded.
static bool reap(Video *video)
{
    int status = -1;
    if (video->frames_fd >= 0) close(video->frames_fd);
    video->frames_fd = -1;
    if (video->ffmpeg <= 0) return false;
    while (waitpid(video->ffmpeg, &status, 0) < 0 && errno == EINTR) {
    }
    video->ffmpeg = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The last line that ffmpeg wrote.
static Result ffmpeg_error(const Video *video)
{
    char log[1024];
    off_t end = lseek(video->log_fd, 0, SEEK_END);
    off_t start = end > (off_t)sizeof log - 1 ? end - (off_t)sizeof log + 1 : 0;
    ssize_t bytes = end > 0 ? pread(video->log_fd, log, sizeof log - 1, start) : 0;
    log[bytes > 0 ? bytes : 0] = '\0';
    for (size_t length = strlen(log); length > 0 && log[length - 1] == '\n';) log[--length] = '\0';
    const char *line = strrchr(log, '\n');
    line = line ? line + 1 : log;
    return result_error(RESULT_FAILED, "%s: ffmpeg failed: %s", video->target.path,
                        *line ? line : "it gave no reason");
}

// Does a film consist of whole boxes (ISO 14496-12) of which one describes it?
static bool is_whole(int fd)
{
    struct stat info;
    uint8_t head[16];
    off_t at = 0;
    bool described = false;
    if (fstat(fd, &info) != 0) return false;
    while (at < info.st_size && pread(fd, head, sizeof head, at) >= 8) {
        uint64_t bytes = 0;
        for (int k = 0; k < 4; k++) bytes = bytes << 8 | head[k];
        described |= memcmp(head + 4, "moov", 4) == 0;
        bool wide = bytes == 1; // its size stands in eight bytes behind
        for (int k = 8; wide && k < 16; k++) bytes = k == 8 ? head[k] : bytes << 8 | head[k];
        if (bytes < 8 || bytes > (uint64_t)(info.st_size - at)) return false;
        at += (off_t)bytes;
    }
    return at == info.st_size && described;
}

// ffmpeg ends with status 0 where it could not write the end of a film, but says so.
static Result check_and_flush(const Video *video)
{
    int fd = open(video->target.temporary, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return result_error(RESULT_FAILED, "%s: %s", video->target.path, strerror(errno));
    Result result = result_ok();
    if (lseek(video->log_fd, 0, SEEK_END) > 0 || !is_whole(fd))
        result = ffmpeg_error(video);
    else if (fsync(fd) != 0)
        result = result_error(RESULT_FAILED, "%s: cannot write: %s", video->target.path, strerror(errno));
    close(fd);
    return result;
}

static void release(Video *video)
{
    if (video->log_fd >= 0) close(video->log_fd);
    if (video->lock >= 0) close(video->lock);
    memory_free(video);
}

Result video_open(const char *path, uint32_t width, uint32_t height, double fps, Video **out)
{
    Video *video = memory_allocate_zeroed(sizeof *video);
    if (!video) return result_no_memory("a video", sizeof *video);
    video->frames_fd = video->log_fd = video->lock = -1;
    video->frame_bytes = (size_t)width * height * 3;
    Result result = open_target(path, video);
    if (!result_is_ok(&result)) {
        release(video);
        return result;
    }
    result = start_ffmpeg(video, width, height, fps);
    if (result_is_ok(&result))
        *out = video;
    else
        video_abandon(video);
    return result;
}

Result video_add(Video *video, const uint8_t *rgb)
{
    size_t left = video->frame_bytes;
    while (left > 0 && video->frames_fd >= 0) {
        ssize_t sent = send(video->frames_fd, rgb, left, MSG_NOSIGNAL);
        if (sent > 0) {
            rgb += sent;
            left -= (size_t)sent;
        } else if (errno != EINTR) {
            reap(video);
        }
    }
    if (video->frames_fd < 0) return ffmpeg_error(video);
    video->frames++;
    return result_ok();
}

Result video_close(Video *video)
{
    Result result = result_ok();
    if (!reap(video))
        result = ffmpeg_error(video);
    else if (video->frames == 0)
        result = result_error(RESULT_FAILED, "%s: a film needs at least one picture", video->target.path);
    if (result_is_ok(&result)) result = check_and_flush(video);
    if (result_is_ok(&result))
        result = file_target_commit(&video->target);
    else
        file_target_discard(&video->target);
    release(video);
    return result;
}

void video_abandon(Video *video)
{
    if (!video) return;
    if (video->ffmpeg > 0) kill(video->ffmpeg, SIGKILL);
    reap(video);
    file_target_discard(&video->target);
    release(video);
}
