#include "viewer/question.h"

#include <stdarg.h>
#include <stdio.h>

void question_ask(Question *question, QuestionAction *act, void *context, uint32_t number, float value,
                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(question->text, sizeof question->text, format, arguments);
    va_end(arguments);
    question->act = act;
    question->context = context;
    question->number = number;
    question->value = value;
    question->open = true;
    screen_redraw(question->screen);
    if (!question->screen->quiet) fprintf(stderr, "%s (Enter or Esc)\n", question->text);
}

void question_answer(Question *question, bool yes)
{
    question->open = false;
    screen_redraw(question->screen);
    if (yes) question->act(question->context, question->number, question->value);
}
