/* frontend/to_graph.h -- checked tree to evaluation graphs. */
#ifndef WFE_TO_GRAPH_H
#define WFE_TO_GRAPH_H

#include "frontend/infer.h"
#include "ir/build.h"

/* Fills p->streams and their graphs.  What cannot be run yet is reported, the first of each equation.  `scratch` holds what only this step
** needs. */
void wfe_to_graph(const wfe_checked *checked, wir_program *p, wb_mem *scratch, struct weir_diagnostics *diags);

#endif
