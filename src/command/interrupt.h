// Signals that ask the program to end: SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGPIPE and SIGUSR1. Loops that ask
// between steps end with whole files; everything else ends at once.
#ifndef PBF_COMMAND_INTERRUPT_H
#define PBF_COMMAND_INTERRUPT_H

// Makes these signals remove temporary files and end the program, until interrupt_signal is first called.
// Signals that the parent chose to ignore (nohup) stay ignored.
void interrupt_install(void);

// The signal that asked us to stop, 0 if none did. From the first call on one signal is remembered, as there
// is a loop that calls again, and photographs end soon (pbf_stop); a second one ends the program, unless it
// is a broken pipe.
int interrupt_signal(void);

// "SIGTERM"
const char *interrupt_name(int number);

#endif
