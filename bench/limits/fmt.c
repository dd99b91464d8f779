/* fmt.c: the one thing C lacks, the shortest decimal text that reads back as the same double.  C++'s library has it: std::to_chars,
 * under the name that it has in the library. */
#include "limits.h"

typedef struct { char *ptr; int error; } Reached;
Reached to_chars(char *first, char *last, double v) __asm__("_ZSt8to_charsPcS_d");

char *format_float(char *p, double v) { return to_chars(p, p + 32, v).ptr; }
