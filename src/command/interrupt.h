// Ctrl-C and SIGTERM as a question that loops ask between steps, so that a run ends with whole files.
#ifndef PBF_COMMAND_INTERRUPT_H
#define PBF_COMMAND_INTERRUPT_H

// From now on the first SIGINT or SIGTERM is remembered; a second one ends the program at once. Signals that
// the parent chose to ignore (nohup) stay ignored.
void interrupt_install(void);

// The signal that asked us to stop, 0 if none did.
int interrupt_signal(void);

#endif
