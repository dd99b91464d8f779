/* cli/compressed.h -- inputs that gzip or zstd has compressed, unpacked as they are read.
**
** The libraries are opened when they are first needed, so that the command starts without them and runs where they are missing. */
#ifndef CLI_COMPRESSED_H
#define CLI_COMPRESSED_H

#include "cli/options.h"
#include "cli/pipes.h"

/* From now on the input answers what is packed in it.  `mem` is borrowed until cli_input_close. */
weir_code cli_input_unpack(cli_input *in, wb_mem *mem, cli_packing packing, weir_error *e) WB_MUST_USE;

/* What may be the matter with an input that is wrong on its first line: it is packed, and its name does not say so.  NULL: that it is not. */
const char *cli_packed_hint(const cli_input *in);

/* For pipes.c: what the input answers while it is unpacked, and its end. */
cli_pipe cli_unpack_read(cli_input *in, char *to, size_t size, size_t *got);
void cli_unpack_close(cli_unpack *u);

#endif
