// What the window asks the simulation for, and the queue in which it waits for the end of a step. Of several
// requests that set the same thing only the last one waits. The queue has no lock of its own.
#ifndef PBF_VIEWER_REQUEST_H
#define PBF_VIEWER_REQUEST_H

#include "fluid/steer.h"

// What a scene is loaded for.
typedef enum SceneLoad {
    LOAD_OTHER,    // it takes the place of another one
    LOAD_AGAIN,    // its file has changed
    LOAD_RESPACED, // with another spacing; settings that were changed since it was loaded stay
} SceneLoad;

typedef enum RequestKind {
    REQUEST_PLAY, // or pause
    REQUEST_SPEED,
    REQUEST_STEP,
    REQUEST_FRAME,
    REQUEST_RESET,
    REQUEST_LOAD,
    REQUEST_COMPARE,
    REQUEST_SET,
    REQUEST_MESH,
    REQUEST_WAIT_AT_FRAMES,
    REQUEST_FORCE,
    REQUEST_BALL,
    REQUEST_SHIFT,
} RequestKind;

// What is compared.
typedef enum Comparison { COMPARE_NOTHING, COMPARE_METHODS, COMPARE_GIVEN } Comparison;

// The union's member is called like the kind.
typedef struct Request {
    RequestKind kind;
    union {
        bool play, mesh, wait_at_frames;
        double speed; // simulated seconds a second
        struct {
            char *path;    // owned
            float spacing; // m, 0 for the file's
            SceneLoad what;
        } load;
        struct {
            Comparison what;
            char method[2][32]; // of COMPARE_METHODS
        } compare;
        struct {
            uint32_t parameter;
            float value;
        } set;
        struct {
            FluidForce force;
            double seconds; // of simulated time; 0: no force
        } force;
        struct {
            Vec3 center;
            float radius; // m
        } ball;
        struct {
            uint32_t body;
            Vec3 offset;
            float speed; // m/s
        } shift;
    };
} Request;

// Frees what a request owns.
void request_free(Request *request);

enum { REQUESTS_MAX = 64 };

typedef struct RequestQueue {
    Request waiting[REQUESTS_MAX]; // the oldest first
    uint32_t count;
} RequestQueue;

// Adds a request, which moves there, or drops it if too many of its kind wait.
void request_queue_add(RequestQueue *queue, Request request);

// Moves the oldest request out; false if there is none.
bool request_queue_take(RequestQueue *queue, Request *out);

void request_queue_free(RequestQueue *queue);

// Does a request of this kind, or one that waits, put other water in the place of what there is?
bool request_starts_over(RequestKind kind);
bool request_queue_starts_over(const RequestQueue *queue);

#endif
