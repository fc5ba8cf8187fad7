// A question before something that is easily regretted: it waits until it is answered, and the water goes on.
#ifndef PBF_VIEWER_QUESTION_H
#define PBF_VIEWER_QUESTION_H

#include "viewer/screen.h"

#include <stdbool.h>
#include <stdint.h>

// What is done after "yes"; number and value are those of question_ask.
typedef void QuestionAction(void *context, uint32_t number, float value);

typedef struct Question {
    Screen *screen;
    bool open;
    char text[240];
    QuestionAction *act;
    void *context;
    uint32_t number;
    float value;
} Question;

// Asks; a question that is open already is taken back.
void question_ask(Question *question, QuestionAction *act, void *context, uint32_t number, float value,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

// Answers the open question.
void question_answer(Question *question, bool yes);

#endif
