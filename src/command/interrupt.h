// Signals that ask the program to end: SIGINT, SIGTERM, SIGHUP, SIGXCPU and SIGPIPE. Loops that ask between
// steps end with whole files; everything else ends at once.
#ifndef PBF_COMMAND_INTERRUPT_H
#define PBF_COMMAND_INTERRUPT_H

// From now on these signals remove temporary files and end the program, until somebody asks
// interrupt_signal. Signals that the parent chose to ignore (nohup) stay ignored.
void interrupt_install(void);

// The signal that asked us to stop, 0 if none did. From the first question on one signal is remembered, as a
// loop is there that asks again; the second one ends the program.
int interrupt_signal(void);

// "SIGTERM"
const char *interrupt_name(int number);

#endif
