// pbf: position based fluids.
#include "command/program.h"

int main(int argc, char **argv)
{
    program_start();
    return program_run(argc, argv);
}
