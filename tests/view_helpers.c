#include "view_helpers.h"

#include "core/clock.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <ctype.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64]; // of the screen's file and the viewer's messages
static pid_t server, viewer;
static Display *display;
static long said_from; // bytes of the messages that are forgotten
static long answered;  // bytes of those behind them that waits have found their texts in

// A time limit. A test that stood still with the whole machine, as a stopped or suspended one does, has not
// waited meanwhile.
typedef struct Limit {
    double left, seen; // s
} Limit;

static Limit limit_of(double seconds)
{
    return (Limit){seconds, clock_seconds()};
}

// Rests a little. False when the time is over.
static bool nap(Limit *limit)
{
    double now = clock_seconds(), passed = now - limit->seen;
    limit->left -= passed < 1 ? passed : 1;
    limit->seen = now;
    usleep(20000);
    return limit->left > 0;
}

// --- display ---

static bool has_program(const char *name)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    if (system(command) == 0) return true;
    print_message("%s is missing: the viewer's window is not tested (tools/setup installs it)\n", name);
    return false;
}

static void run_server(int number_pipe)
{
    char descriptor[16], size[32];
    snprintf(descriptor, sizeof descriptor, "%d", number_pipe);
    snprintf(size, sizeof size, "%dx%dx24", VIEW_WIDTH, VIEW_HEIGHT);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDERR_FILENO);
    execlp("Xvfb", "Xvfb", "-displayfd", descriptor, "-screen", "0", size, "-fbdir", folder, "-nolisten",
           "tcp", "-noreset", (char *)NULL);
    _exit(127);
}

static bool read_number(int from, char *out, size_t size)
{
    size_t used = 0;
    while (used + 1 < size && read(from, out + used, 1) == 1 && isdigit((unsigned char)out[used])) used++;
    out[used] = '\0';
    return used > 0;
}

static void preferences_path(char path[120])
{
    snprintf(path, 120, "%s/pbf/window.yaml", folder);
}

void view_set_preferences(const char *text)
{
    char path[120];
    preferences_path(path);
    unlink(path);
    if (!text) return;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

char *view_preferences(void)
{
    char path[120], text[500] = "";
    preferences_path(path);
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strdup(text);
}

// Nothing is read from the user's own settings, or written there.
static void make_settings(void)
{
    char path[120];
    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/pbf", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    view_set_preferences("theme: dark\n");
}

static bool start_server(void)
{
    int ends[2];
    char number[16], name[24];
    strcpy(folder, "/tmp/pbf_view_XXXXXX");
    if (!mkdtemp(folder) || pipe(ends) != 0) return false;
    server = fork();
    if (server == 0) {
        close(ends[0]);
        run_server(ends[1]);
    }
    close(ends[1]);
    bool ready = read_number(ends[0], number, sizeof number);
    close(ends[0]);
    if (!ready) return false;
    make_settings();
    snprintf(name, sizeof name, ":%s", number);
    setenv("DISPLAY", name, 1);
    unsetenv("WAYLAND_DISPLAY");
    display = XOpenDisplay(name);
    return display != NULL;
}

static void remove_server_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (folder[0] && system(command) != 0) print_message("%s is left\n", folder);
    folder[0] = '\0';
}

bool view_display_open(void)
{
    if (display) return true;
    if (!has_program("Xvfb") || !has_program("xdotool")) return false;
    remove_server_folder(); // of one that was killed
    return start_server();
}

void view_display_close(void)
{
    if (viewer > 0) kill(viewer, SIGKILL), waitpid(viewer, NULL, 0);
    if (display) XCloseDisplay(display);
    if (server > 0) kill(server, SIGTERM), waitpid(server, NULL, 0);
    remove_server_folder();
    display = NULL;
    server = viewer = 0;
}

void view_display_kill(void)
{
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    // Xlib would end this process for the lost connection: it is left open, and never used again.
    display = NULL;
    server = 0;
}

// --- the program ---

static void messages_path(char path[100])
{
    snprintf(path, 100, "%s/messages", folder);
}

static void run_viewer(char *arguments)
{
    char path[100], *list[40];
    int count = 0;
    const char *binary = getenv("PBF_BINARY");
    list[count++] = (char *)(binary ? binary : "build/release/pbf");
    list[count++] = (char *)"view";
    for (char *word = strtok(arguments, " "); word && count < 39; word = strtok(NULL, " "))
        list[count++] = word;
    list[count] = NULL;
    messages_path(path);
    int messages = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(messages, STDERR_FILENO);
    execv(list[0], list);
    _exit(127);
}

static Window find_window(void)
{
    Window root, parent, *children, found = 0;
    unsigned count;
    if (!XQueryTree(display, DefaultRootWindow(display), &root, &parent, &children, &count)) return 0;
    for (unsigned k = 0; k < count && !found; k++) {
        XWindowAttributes attributes;
        char *name = NULL;
        if (XGetWindowAttributes(display, children[k], &attributes) && attributes.map_state == IsViewable &&
            XFetchName(display, children[k], &name) && name)
            found = children[k];
        if (name) XFree(name);
    }
    if (children) XFree(children);
    return found;
}

static bool ended(void)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)viewer, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == viewer;
}

static int ignore_error(Display *of, XErrorEvent *event)
{
    (void)of, (void)event; // a window may go while it is asked for its name
    return 0;
}

void view_start(const char *format, ...)
{
    char arguments[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    XSetErrorHandler(ignore_error);
    if (viewer > 0) kill(viewer, SIGKILL), waitpid(viewer, NULL, 0); // a failed test has left it
    said_from = answered = 0;
    viewer = fork();
    if (viewer == 0) run_viewer(arguments);
    Limit limit = limit_of(60);
    while (!find_window() && !ended()) {
        if (!nap(&limit)) fail_msg("no window within a minute");
    }
    if (ended()) fail_msg("the viewer ended at once");
    view_do("mousemove 300 300"); // without a window manager keys go to what is under the mouse
}

int view_end(double seconds)
{
    int status;
    Limit limit = limit_of(seconds);
    while (!ended()) {
        if (!nap(&limit)) fail_msg("the viewer has not ended within %g s", seconds);
    }
    waitpid(viewer, &status, 0);
    viewer = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double view_memory(void)
{
    char path[64], line[200];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)viewer);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "VmRSS:", 6) == 0) kilobytes = strtod(line + 6, NULL);
    }
    fclose(file);
    return 1024 * kilobytes;
}

double view_processor_seconds(void)
{
    char path[64], text[1000];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)viewer);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    // After the name, which may hold anything: the state and ten numbers before the two.
    const char *at = strrchr(text, ')');
    assert_non_null(at);
    assert_int_equal(sscanf(at + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user, &system),
                     2);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

void view_do(const char *format, ...)
{
    char command[9000] = "xdotool ";
    va_list list;
    va_start(list, format);
    vsnprintf(command + strlen(command), sizeof command - strlen(command), format, list);
    va_end(list);
    if (system(command) != 0) fail_msg("%s: failed", command);
}

// --- title and messages ---

const char *view_title(void)
{
    static char title[300];
    char *name = NULL;
    Window window = find_window();
    title[0] = '\0';
    if (window && XFetchName(display, window, &name) && name) snprintf(title, sizeof title, "%s", name);
    if (name) XFree(name);
    return title;
}

static void wait_title(const char *text, bool wanted, double seconds)
{
    Limit limit = limit_of(seconds);
    while ((strstr(view_title(), text) != NULL) != wanted) {
        if (!nap(&limit))
            fail_msg("\"%s\" is %s the title \"%s\" after %g s", text, wanted ? "not in" : "still in",
                     view_title(), seconds);
    }
}

void view_wait_title(const char *text, double seconds)
{
    wait_title(text, true, seconds);
}

void view_wait_no_title(const char *text, double seconds)
{
    wait_title(text, false, seconds);
}

double view_title_number(const char *word)
{
    const char *at = strstr(view_title(), word);
    return at ? strtod(at + strlen(word), NULL) : -1;
}

static char *read_messages(void)
{
    char path[100];
    static char text[100000];
    messages_path(path);
    FILE *file = fopen(path, "r");
    size_t length = 0;
    if (file) {
        fseek(file, said_from, SEEK_SET);
        length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[length] = '\0';
    return text;
}

bool view_has_said(const char *text)
{
    return strstr(read_messages(), text) != NULL;
}

// Has it said the text behind those that earlier waits have found? Later waits look behind this one, too.
static bool has_answered(const char *text)
{
    char *said = read_messages(), *at = strstr(said + answered, text);
    if (at) answered = (at - said) + (long)strlen(text);
    return at;
}

void view_wait_said(const char *text, double seconds)
{
    Limit limit = limit_of(seconds);
    for (;;) {
        bool over = ended();
        if (has_answered(text)) return;
        if (over) fail_msg("the viewer ended (status %d) and never said \"%s\"", view_end(seconds), text);
        if (!nap(&limit))
            fail_msg("\"%s\" was not said within %g s, but: %s", text, seconds, read_messages());
    }
}

void view_forget(void)
{
    said_from += (long)strlen(read_messages());
    answered = 0;
}

// --- pixels: Xvfb keeps the screen in a file, in the format of xwd ---

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

uint8_t *view_screen(void)
{
    enum { HEADER_SIZE = 0, WIDTH = 4, HEIGHT = 5, BITS = 11, LINE = 12, COLORS = 19, FIELDS = 25 };
    char path[100];
    uint8_t header[FIELDS * 4];
    snprintf(path, sizeof path, "%s/Xvfb_screen0", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(big_endian(header + 4 * WIDTH), VIEW_WIDTH);
    assert_int_equal(big_endian(header + 4 * HEIGHT), VIEW_HEIGHT);
    assert_int_equal(big_endian(header + 4 * BITS), 32);
    assert_int_equal(big_endian(header + 4 * LINE), 4 * VIEW_WIDTH);
    size_t bytes = (size_t)VIEW_WIDTH * VIEW_HEIGHT * 4;
    uint8_t *pixels = malloc(bytes);
    assert_non_null(pixels);
    fseek(file, (long)(big_endian(header) + 12 * big_endian(header + 4 * COLORS)), SEEK_SET);
    assert_int_equal(fread(pixels, 1, bytes, file), bytes);
    fclose(file);
    return pixels;
}

static bool is_watery(const uint8_t *pixel)
{
    return abs(pixel[0] - pixel[2]) > 60;
}

static bool is_dark(const uint8_t *pixel)
{
    return pixel[0] < 60 && pixel[1] < 60 && pixel[2] < 60;
}

static uint32_t count_pixels(const uint8_t *screen, int x0, int y0, int x1, int y1,
                             bool (*counts)(const uint8_t *))
{
    uint32_t count = 0;
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) count += counts(screen + ((size_t)y * VIEW_WIDTH + (size_t)x) * 4);
    }
    return count;
}

uint32_t view_watery(const uint8_t *screen, int x0, int y0, int x1, int y1)
{
    return count_pixels(screen, x0, y0, x1, y1, is_watery);
}

uint32_t view_differing(const uint8_t *a, const uint8_t *b, int x0, int y0, int x1, int y1)
{
    uint32_t count = 0;
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            size_t at = ((size_t)y * VIEW_WIDTH + (size_t)x) * 4;
            int largest = 0;
            for (int k = 0; k < 3; k++) {
                int difference = abs(a[at + (size_t)k] - b[at + (size_t)k]);
                if (difference > largest) largest = difference;
            }
            count += largest > 12;
        }
    }
    return count;
}

void view_wait_change(const uint8_t *before, int x0, int y0, int x1, int y1, uint32_t pixels, double seconds)
{
    Limit limit = limit_of(seconds);
    for (;;) {
        uint8_t *now = view_screen();
        uint32_t count = view_differing(before, now, x0, y0, x1, y1);
        free(now);
        if (count >= pixels) return;
        if (!nap(&limit))
            fail_msg("only %u pixels have changed after %g s; said: %s", count, seconds, read_messages());
    }
}

void view_do_until_said(const char *actions, const char *text, double seconds)
{
    bool said;
    Limit limit = limit_of(seconds);
    do {
        view_do("%s", actions);
        for (Limit answer = limit_of(5); !(said = has_answered(text)) && nap(&answer);) continue;
    } while (!said && nap(&limit));
    if (!said) fail_msg("no answer to %s: %s; said: %s", actions, text, read_messages());
}

void view_click_until_said(int x, int y, const char *text, double seconds)
{
    char actions[60];
    snprintf(actions, sizeof actions, "mousemove %d %d click 1", x, y);
    view_do_until_said(actions, text, seconds);
}

static void wait_pixels(const char *what, bool (*counts)(const uint8_t *), int x0, int y0, int x1, int y1,
                        uint32_t least, uint32_t most, double seconds)
{
    Limit limit = limit_of(seconds);
    for (;;) {
        uint8_t *now = view_screen();
        uint32_t count = count_pixels(now, x0, y0, x1, y1, counts);
        free(now);
        if (count >= least && count <= most) return;
        if (!nap(&limit))
            fail_msg("%u %s pixels after %g s, not %u to %u; said: %s", count, what, seconds, least, most,
                     read_messages());
    }
}

void view_wait_watery(int x0, int y0, int x1, int y1, uint32_t least, uint32_t most, double seconds)
{
    wait_pixels("watery", is_watery, x0, y0, x1, y1, least, most, seconds);
}

void view_wait_dark(int x0, int y0, int x1, int y1, uint32_t least, uint32_t most, double seconds)
{
    wait_pixels("dark", is_dark, x0, y0, x1, y1, least, most, seconds);
}

uint8_t *view_settled_screen(double still, double seconds)
{
    uint8_t *last = view_screen();
    Limit limit = limit_of(seconds), quiet = limit_of(still);
    while (nap(&quiet)) {
        uint8_t *now = view_screen();
        if (view_differing(last, now, 0, 0, VIEW_WIDTH, VIEW_HEIGHT) > 0) quiet = limit_of(still);
        free(last);
        last = now;
        if (!nap(&limit)) fail_msg("the screen has not settled within %g s", seconds);
    }
    return last;
}

// --- drag and drop: the source's side of XDND ---

static Atom atom(const char *name)
{
    return XInternAtom(display, name, False);
}

static void send_message(Window target, const char *type, const long data[5])
{
    XEvent event = {.xclient = {.type = ClientMessage, .window = target, .format = 32}};
    event.xclient.message_type = atom(type);
    memcpy(event.xclient.data.l, data, 5 * sizeof *data);
    XSendEvent(display, target, False, NoEventMask, &event);
    XFlush(display);
}

void view_resize(unsigned width, unsigned height)
{
    XResizeWindow(display, find_window(), width, height);
    XSync(display, False); // a key that follows goes to what is under the mouse then
}

void view_minimise(bool minimised)
{
    const long state[2] = {minimised ? IconicState : NormalState, 0};
    XChangeProperty(display, find_window(), atom("WM_STATE"), atom("WM_STATE"), 32, PropModeReplace,
                    (const unsigned char *)state, 2);
    XSync(display, False);
}

void view_close_window(void)
{
    send_message(find_window(), "WM_PROTOCOLS",
                 (long[5]){(long)atom("WM_DELETE_WINDOW"), CurrentTime, 0, 0, 0});
}

static void answer_request(const XSelectionRequestEvent *request, const char *path)
{
    char uri[600];
    snprintf(uri, sizeof uri, "file://%s\r\n", path);
    XChangeProperty(display, request->requestor, request->property, request->target, 8, PropModeReplace,
                    (const unsigned char *)uri, (int)strlen(uri));
    XEvent reply = {.xselection = {.type = SelectionNotify,
                                   .requestor = request->requestor,
                                   .selection = request->selection,
                                   .target = request->target,
                                   .property = request->property,
                                   .time = request->time}};
    XSendEvent(display, request->requestor, False, NoEventMask, &reply);
    XFlush(display);
}

void view_drop(const char *path)
{
    Window target = find_window();
    Window source = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    Atom list = atom("text/uri-list"), selection = atom("XdndSelection");
    XSetSelectionOwner(display, selection, source, CurrentTime);
    send_message(target, "XdndEnter", (long[5]){(long)source, 5L << 24, (long)list, 0, 0});
    send_message(target, "XdndPosition",
                 (long[5]){(long)source, 0, 300L << 16 | 300L, CurrentTime, (long)atom("XdndActionCopy")});
    send_message(target, "XdndDrop", (long[5]){(long)source, 0, CurrentTime, 0, 0});
    Limit limit = limit_of(30);
    for (bool done = false; !done;) {
        XEvent event;
        if (!XPending(display)) {
            if (!nap(&limit)) fail_msg("the drop was not taken within 30 s");
            continue;
        }
        XNextEvent(display, &event);
        if (event.type == SelectionRequest) answer_request(&event.xselectionrequest, path);
        done = event.type == ClientMessage && event.xclient.message_type == atom("XdndFinished");
    }
    XDestroyWindow(display, source);
}
