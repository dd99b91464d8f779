/* ir/read_ir.h -- the text of a scalar body (print_ir.h) as a body. */
#ifndef WIR_READ_IR_H
#define WIR_READ_IR_H

#include "ir/scalar.h"

/* Reads a body into memory of `mem`.  Only its form is checked, whatever the text is; the rest is wir_verify's.  E_PARSE with the place in
** the text, or E_MEMORY. */
weir_code wir_read_body(wb_str text, wb_mem *mem, wir_body *out, weir_error *e) WB_MUST_USE;

#endif
