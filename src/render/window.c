#include "render/window.h"

#include "core/memory.h"
#include "render/gl_functions.h"

#include <GL/glew.h>

#include <GLFW/glfw3.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Looks whether a picture is done, and microseconds between them: two seconds at most.
enum { FENCE_LOOKS = 10000, FENCE_PAUSE = 200 };

// More than a person produces between two polls; events that do not fit are dropped.
#define EVENTS_MAX 256

struct Window {
    GLFWwindow *handle;
    WindowEvent *events; // a ring
    uint32_t first, count;
    double cursor_x, cursor_y;       // window coordinates as of the last move that was seen
    bool right_alt;                  // is held
    bool text_repeats, text_ignored; // of the key that the next text belongs to: held, of the keypad
    int windowed[4];                 // place and size to return to from full screen
    bool unsynced;                   // presenting does not wait for the display
};

// GLFW reports errors through a callback; the last one says why a call failed.
static char last_error[200];

static void keep_error(int code, const char *text)
{
    (void)code;
    snprintf(last_error, sizeof last_error, "%s", text);
}

// --- events ---

static WindowEvent *push(Window *self, WindowEventKind kind)
{
    // Only the last of several moves in a row matters.
    WindowEvent *last = self->count > 0 ? &self->events[(self->first + self->count - 1) % EVENTS_MAX] : NULL;
    bool same = last && last->kind == kind && (kind == WINDOW_MOVE || kind == WINDOW_REDRAW);
    if (!same && self->count == EVENTS_MAX) return NULL;
    WindowEvent *event = same ? last : &self->events[(self->first + self->count++) % EVENTS_MAX];
    memset(event, 0, offsetof(WindowEvent, path));
    event->kind = kind;
    event->path[0] = '\0';
    return event;
}

static unsigned mods_of(int mods)
{
    return (mods & GLFW_MOD_SHIFT ? MOD_SHIFT : 0u) | (mods & GLFW_MOD_CONTROL ? MOD_CONTROL : 0u) |
           (mods & GLFW_MOD_ALT ? MOD_ALT : 0u);
}

static int special_key(int key)
{
    static const int pairs[][2] = {
        {GLFW_KEY_ESCAPE, KEY_ESCAPE}, {GLFW_KEY_ENTER, KEY_ENTER},     {GLFW_KEY_KP_ENTER, KEY_ENTER},
        {GLFW_KEY_TAB, KEY_TAB},       {GLFW_KEY_DELETE, KEY_DELETE},   {GLFW_KEY_BACKSPACE, KEY_BACKSPACE},
        {GLFW_KEY_LEFT, KEY_LEFT},     {GLFW_KEY_RIGHT, KEY_RIGHT},     {GLFW_KEY_UP, KEY_UP},
        {GLFW_KEY_DOWN, KEY_DOWN},     {GLFW_KEY_PAGE_UP, KEY_PAGE_UP}, {GLFW_KEY_PAGE_DOWN, KEY_PAGE_DOWN},
        {GLFW_KEY_HOME, KEY_HOME},     {GLFW_KEY_END, KEY_END},         {GLFW_KEY_F1, KEY_F1},
        {GLFW_KEY_F11, KEY_F11},       {GLFW_KEY_SPACE, ' '},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        if (pairs[k][0] == key) return pairs[k][1];
    }
    return KEY_OTHER;
}

// GLFW numbers keys by their place on a US keyboard; users go by what is printed on theirs. Where no Latin
// letter is printed, the place counts.
static int key_of(int key, int scancode)
{
    if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_9) return KEY_PAD_0 + key - GLFW_KEY_KP_0;
    const char *name = glfwGetKeyName(key, scancode);
    if (!name || name[0] <= ' ') return special_key(key);
    if (!name[1]) return name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : KEY_OTHER;
    return key >= GLFW_KEY_A && key <= GLFW_KEY_Z ? 'A' + key - GLFW_KEY_A : KEY_OTHER;
}

// The - + or = on a key, which are no text with Ctrl.
static int mark_of(int key, int scancode)
{
    const char *name = glfwGetKeyName(key, scancode);
    return name && name[0] && !name[1] && strchr("-+=", name[0]) ? name[0] : KEY_OTHER;
}

static bool is_of_keypad(int key)
{
    return key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL;
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods)
{
    Window *self = glfwGetWindowUserPointer(handle);
    bool down = action != GLFW_RELEASE;
    if (key == GLFW_KEY_RIGHT_ALT) self->right_alt = down;
    self->text_repeats = action == GLFW_REPEAT;
    self->text_ignored = is_of_keypad(key);
    int found = key_of(key, scancode);
    if ((mods & GLFW_MOD_CONTROL) && found == KEY_OTHER && !is_of_keypad(key)) found = mark_of(key, scancode);
    // With AltGr, a right Alt key that is no Alt, keys stand for characters alone.
    if (self->right_alt && !(mods & GLFW_MOD_ALT) && down && found < KEY_ESCAPE) return;
    WindowEvent *event = push(self, WINDOW_KEY);
    if (!event) return;
    event->key = found;
    event->down = down;
    event->repeat = action == GLFW_REPEAT;
    event->mods = mods_of(mods);
}

static void on_text(GLFWwindow *handle, unsigned codepoint)
{
    Window *self = glfwGetWindowUserPointer(handle);
    WindowEvent *event = push(self, WINDOW_TEXT);
    if (!event) return;
    event->codepoint = codepoint;
    event->repeat = self->text_repeats;
    event->key = self->text_ignored ? KEY_OTHER : (int)codepoint;
}

// Window coordinates to px of the framebuffer, which differ on some high-density screens.
static void place_event(const Window *self, double x, double y, WindowEvent *event)
{
    int width, height;
    uint32_t pixels_x, pixels_y;
    glfwGetWindowSize(self->handle, &width, &height);
    window_size(self, &pixels_x, &pixels_y);
    event->x = width > 0 ? (float)(x * pixels_x / width) : 0;
    event->y = height > 0 ? (float)(y * pixels_y / height) : 0;
}

// Cursor at the time of the event; GLFW would report where it has moved since.
static void place_at_cursor(const Window *self, WindowEvent *event)
{
    place_event(self, self->cursor_x, self->cursor_y, event);
}

static void on_button(GLFWwindow *handle, int button, int action, int mods)
{
    Window *self = glfwGetWindowUserPointer(handle);
    if (button >= BUTTON_COUNT) return;
    WindowEvent *event = push(self, WINDOW_BUTTON);
    if (!event) return;
    event->button = (WindowButton)button; // GLFW's order is left, right, middle, too
    event->down = action == GLFW_PRESS;
    event->mods = mods_of(mods);
    place_at_cursor(self, event);
}

static void on_move(GLFWwindow *handle, double x, double y)
{
    Window *self = glfwGetWindowUserPointer(handle);
    self->cursor_x = x;
    self->cursor_y = y;
    WindowEvent *event = push(self, WINDOW_MOVE);
    if (!event) return;
    place_event(self, x, y, event);
    bool control = glfwGetKey(handle, GLFW_KEY_LEFT_CONTROL) == GLFW_PRESS ||
                   glfwGetKey(handle, GLFW_KEY_RIGHT_CONTROL) == GLFW_PRESS;
    event->mods = control ? MOD_CONTROL : 0u;
}

static void on_scroll(GLFWwindow *handle, double x, double y)
{
    Window *self = glfwGetWindowUserPointer(handle);
    WindowEvent *event = push(self, WINDOW_SCROLL);
    if (!event) return;
    event->scroll_x = (float)x;
    event->scroll_y = (float)y;
    place_at_cursor(self, event);
}

static void on_drop(GLFWwindow *handle, int count, const char **paths)
{
    if (count < 1) return;
    WindowEvent *event = push(glfwGetWindowUserPointer(handle), WINDOW_DROP);
    if (event) snprintf(event->path, sizeof event->path, "%s", paths[0]);
}

static void on_refresh(GLFWwindow *handle)
{
    push(glfwGetWindowUserPointer(handle), WINDOW_REDRAW);
}

static void on_resize(GLFWwindow *handle, int width, int height)
{
    (void)width, (void)height;
    push(glfwGetWindowUserPointer(handle), WINDOW_REDRAW);
}

bool window_next_event(Window *window, WindowEvent *out)
{
    if (window->count == 0) return false;
    *out = window->events[window->first];
    window->first = (window->first + 1) % EVENTS_MAX;
    window->count--;
    return true;
}

void window_wait(Window *window, double seconds)
{
    if (seconds > 0 && window->count == 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
}

void window_wake(void)
{
    glfwPostEmptyEvent();
}

// --- life ---

// To save when the display dies; X's handler has no context argument.
static struct {
    void (*save)(void *context);
    void *context;
    pthread_t thread; // that draws, so that nothing is saved while it is being changed
} on_lost;

void window_on_lost(void (*save)(void *context), void *context)
{
    on_lost.save = save;
    on_lost.context = context;
    on_lost.thread = pthread_self();
}

// X ends the process when the connection breaks (the display server is gone): say so in our own words.
static int on_lost_display(void *display)
{
    static const char text[] = "pbf: display: the connection was lost\n";
    (void)display;
    if (on_lost.save && pthread_equal(pthread_self(), on_lost.thread)) on_lost.save(on_lost.context);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
    _exit(1);
}

static void watch_display(void)
{
    // GLFW has loaded libX11 where it uses it; its header is not needed for one function.
    typedef void *SetHandler(int (*handler)(void *));
    SetHandler *set_handler;
    *(void **)&set_handler = dlsym(RTLD_DEFAULT, "XSetIOErrorHandler");
    if (!set_handler) return;
    set_handler(on_lost_display);
    signal(SIGPIPE, SIG_IGN); // writing to a dead server fails, and X notices
}

static void set_hints(void)
{
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
}

static void set_callbacks(Window *self)
{
    glfwSetWindowUserPointer(self->handle, self);
    glfwGetCursorPos(self->handle, &self->cursor_x, &self->cursor_y);
    glfwSetKeyCallback(self->handle, on_key);
    glfwSetCharCallback(self->handle, on_text);
    glfwSetMouseButtonCallback(self->handle, on_button);
    glfwSetCursorPosCallback(self->handle, on_move);
    glfwSetScrollCallback(self->handle, on_scroll);
    glfwSetDropCallback(self->handle, on_drop);
    glfwSetWindowRefreshCallback(self->handle, on_refresh);
    glfwSetFramebufferSizeCallback(self->handle, on_resize);
}

static Result open_handle(Window *self, const char *title, uint32_t width, uint32_t height)
{
    static const char elsewhere[] = "pbf render SCENE --out DIR draws without a window";
    glfwSetErrorCallback(keep_error);
    snprintf(last_error, sizeof last_error, "no reason given");
    if (!glfwInit())
        return result_error(RESULT_FAILED, "window: no display (%.120s); %s", last_error, elsewhere);
    watch_display();
    set_hints();
    self->handle = glfwCreateWindow((int)width, (int)height, title, NULL, NULL);
    if (!self->handle)
        return result_error(RESULT_FAILED, "window: no OpenGL 3.3 (%.120s); %s", last_error, elsewhere);
    glfwMakeContextCurrent(self->handle);
    glfwSwapInterval(1);
    if (!gl_functions_load())
        return result_error(RESULT_FAILED, "window: the driver's OpenGL functions could not be loaded; %s",
                            elsewhere);
    return result_ok();
}

Result window_open(const char *title, uint32_t width, uint32_t height, Window **out)
{
    *out = NULL;
    Window *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the window", sizeof *self);
    self->events = memory_allocate(EVENTS_MAX * sizeof *self->events);
    Result result = self->events ? open_handle(self, title, width, height)
                                 : result_no_memory("events", EVENTS_MAX * sizeof *self->events);
    if (!result_is_ok(&result)) {
        window_close(self);
        return result;
    }
    set_callbacks(self);
    *out = self;
    return result_ok();
}

void window_close(Window *window)
{
    if (!window) return;
    on_lost.save = NULL;
    if (window->handle) glfwDestroyWindow(window->handle);
    glfwTerminate();
    memory_free(window->events);
    memory_free(window);
}

bool window_wants_to_close(const Window *window)
{
    return glfwWindowShouldClose(window->handle);
}

void window_size(const Window *window, uint32_t *width, uint32_t *height)
{
    int x, y;
    glfwGetFramebufferSize(window->handle, &x, &y);
    if (glfwGetWindowAttrib(window->handle, GLFW_ICONIFIED)) x = y = 0;
    *width = x > 0 ? (uint32_t)x : 0;
    *height = y > 0 ? (uint32_t)y : 0;
}

float window_scale(const Window *window)
{
    float x, y;
    glfwGetWindowContentScale(window->handle, &x, &y);
    return x > 0.5f && x < 8 ? x : 1;
}

void window_set_clipboard(Window *window, const char *text)
{
    glfwSetClipboardString(window->handle, text);
}

void window_set_title(Window *window, const char *title)
{
    glfwSetWindowTitle(window->handle, title);
}

void window_toggle_fullscreen(Window *window)
{
    int *back = window->windowed;
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    if (glfwGetWindowMonitor(window->handle)) {
        glfwSetWindowMonitor(window->handle, NULL, back[0], back[1], back[2], back[3], GLFW_DONT_CARE);
    } else if (mode) {
        glfwGetWindowPos(window->handle, &back[0], &back[1]);
        glfwGetWindowSize(window->handle, &back[2], &back[3]);
        glfwSetWindowMonitor(window->handle, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
}

void window_hide(Window *window)
{
    glfwHideWindow(window->handle);
    glfwPollEvents();
}

// glFinish would spin in some drivers.
void window_finish(Window *window)
{
    (void)window;
    GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    GLenum state = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    for (int k = 0; state == GL_TIMEOUT_EXPIRED && k < FENCE_LOOKS; k++) {
        usleep(FENCE_PAUSE);
        state = glClientWaitSync(fence, 0, 0);
    }
    glDeleteSync(fence);
}

void window_fill(Window *window, float red, float green, float blue)
{
    uint32_t width, height;
    window_size(window, &width, &height);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, (GLsizei)width, (GLsizei)height);
    glClearColor(red, green, blue, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

void window_follow_display(Window *window, bool follows)
{
    if (window->unsynced == !follows) return;
    window->unsynced = !follows;
    glfwSwapInterval(follows ? 1 : 0);
}

Result window_present(Window *window)
{
    glfwSwapBuffers(window->handle);
    if (glGetGraphicsResetStatusARB && glGetGraphicsResetStatusARB() != GL_NO_ERROR)
        return result_error(RESULT_FAILED, "OpenGL: the driver has lost the context (%s)", gl_description());
    return result_ok();
}
