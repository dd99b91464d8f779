/* tests/support/hits.c -- what is counted under which name, and what is exempt. */
#include "tests/support/hits.h"
#include "runtime/native_batch.h"
#include "runtime/quick.h"

#include <string.h>

typedef struct entry {
  const char *name;
  size_t at; /* of its counter in struct hits */
} entry;

/* What scalar programs never meet. */
static const struct { const char *name, *why; } exempt[] = {
  {"instruction CONCAT", "text is no scalar: no body has it (ir/verify.c)"},
  {"general kernel CONCAT", "the same"},
  {"sparse kernel CONCAT", "the same"},
  {"warm kernel CONCAT", "the same"},
  {"general region CONCAT", "the same"},
  {"sparse region CONCAT", "the same"},
  {"general region FILL", "it is for what becomes history, which is no region's business (ir/lower.c)"},
  {"sparse region FILL", "the same"},
  {"sparse kernel PROPER", "flags that the body assumes are set, and what looks at them is then true (ir/pass_narrow.c)"},
  {"warm kernel PROPER", "the same"},
  {"sparse kernel STARTED", "the same"},
  {"warm kernel STARTED", "the same"},
  {"sparse region PROPER", "the same"},
  {"sparse region STARTED", "the same"},
  {"sparse kernel PICK", "the same: it picks by such a flag"},
  {"sparse region PICK", "the same"},
  {"warm kernel PICK", "the same"},
  /* Tiles have values, or what has failed under a guard (ir/tileable.h). */
  {"sparse tile CONCAT", "text is no scalar"},
  {"warm tile CONCAT", "the same"},
  {"sparse tile POW", "a call: such programs have no kernels for tiles"},
  {"sparse tile SIN", "the same"},
  {"sparse tile COS", "the same"},
  {"sparse tile TAN", "the same"},
  {"warm tile POW", "the same"},
  {"warm tile SIN", "the same"},
  {"warm tile COS", "the same"},
  {"warm tile TAN", "the same"},
  {"sparse tile SETTLE", "it is for what may be absent, and only what holds may have that"},
  {"warm tile SETTLE", "the same"},
  {"warm tile HOLD", "no input is absent, so there is nothing to hold"},
  {"warm tile FILL", "the same"},
  {"sparse tile PROPER", "flags are set, as in kernels for rows"},
  {"sparse tile STARTED", "the same"},
  {"sparse tile PICK", "the same"},
  {"warm tile PROPER", "the same"},
  {"warm tile STARTED", "the same"},
  {"warm tile PICK", "the same"},
};

static const entry entries[] = {
#define AT(field, i) (offsetof(hits, field) + (size_t)(i) * sizeof(uint64_t))
#define INS(id, ...) {"instruction " #id, AT(ins, WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define NODE(id, ...) {"node " #id, AT(nodes, WIR_##id)},
#include "ir/nodes.def"
#undef NODE
#define X(id, what) {"cause " #id, AT(causes, WEIR_CAUSE_##id)},
  WEIR_CAUSES(X)
#undef X
  {"output value", AT(presence, HITS_VALUE)},
  {"output NoVal", AT(presence, HITS_NOVAL)},
  {"output Deferred", AT(presence, HITS_DEFERRED)},
};

static const entry in_kernels[] = {
#define INS(id, ...) {"general kernel " #id, AT(kernels[WIR_BODY_GENERAL], WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define INS(id, ...) {"sparse kernel " #id, AT(kernels[WIR_BODY_SPARSE], WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define INS(id, ...) {"warm kernel " #id, AT(kernels[WIR_BODY_WARM], WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define X(id, what) {"cause " #id, AT(causes, WEIR_CAUSE_##id)},
  WEIR_CAUSES(X)
#undef X
};

static const entry in_regions[] = {
#define INS(id, ...) {"general region " #id, AT(regions[WIR_BODY_GENERAL], WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define INS(id, ...) {"sparse region " #id, AT(regions[WIR_BODY_SPARSE], WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define X(id, what) {"cause " #id, AT(causes, WEIR_CAUSE_##id)},
  WEIR_CAUSES(X)
#undef X
};

static const entry in_tiles[] = {
#define INS(id, ...) {"sparse tile " #id, AT(tiles[WIR_BODY_SPARSE], WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define INS(id, ...) {"warm tile " #id, AT(tiles[WIR_BODY_WARM], WIR_I_##id)},
#include "ir/insns.def"
#undef INS
#define X(id, what) {"tile " #id ": " what, AT(ways, WRT_BATCH_##id)},
  WRT_BATCH_WAYS(X)
#undef X
};
#undef AT

static bool is_exempt(const entry *e) {
  for (size_t i = 0; i < WB_LEN(exempt); i++)
    if (strcmp(exempt[i].name, e->name) == 0) return true;
  return false;
}

void hits_of_program(hits *h, const wir_program *p) {
  for (uint32_t s = 0; s < p->n_streams; s++) {
    const wir_graph *g = &p->streams[s].graph;
    for (uint32_t i = 0; i < g->n_nodes; i++) h->nodes[g->nodes[i].kind]++;
  }
}

/* What `ran` rows in a body have run. */
static void add_body(uint64_t *to, const wir_body *b, uint64_t ran) {
  for (uint32_t i = 0; i < b->n_ins; i++) to[b->ins[i].op] += ran;
}

void hits_of_quick(hits *h, const wrt_quick *q) {
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) add_body(h->ins, &q->bodies->of_fit[fit], q->n_ran[fit]);
  for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++) h->causes[i] += q->n_declined[i];
}

void hits_of_kernels(hits *h, const wir_bodies *b, const uint64_t ran[WIR_BODY_FITS]) {
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) add_body(h->kernels[fit], &b->of_fit[fit], ran[fit]);
}

void hits_of_regions(hits *h, const wir_bodies *b, const uint64_t ran[WIR_BODY_FITS]) {
  for (uint32_t r = 0; r < b->plan.n_regions; r++) {
    add_body(h->regions[WIR_BODY_GENERAL], &b->of_region[r], ran[WIR_BODY_GENERAL]);
    add_body(h->regions[WIR_BODY_SPARSE], &b->sparse_of_region[r], ran[WIR_BODY_SPARSE]);
  }
}

void hits_of_tiles(hits *h, const wir_bodies *b, const wrt_native_batch *n) {
  for (uint32_t fit = 0; fit < WIR_BODY_FITS; fit++) add_body(h->tiles[fit], &b->of_fit[fit], n->n_tiles[fit]);
  for (uint32_t i = 0; i < WRT_BATCH_WAY_COUNT; i++) h->ways[i] += n->frame.ways[i];
}

static const char *missing(const hits *h, const entry *of, size_t n, uint32_t *at) {
  while (*at < n) {
    const entry *e = &of[(*at)++];
    uint64_t count;
    memcpy(&count, (const char *)h + e->at, sizeof count);
    if (count == 0 && !is_exempt(e)) return e->name;
  }
  return NULL;
}

const char *hits_missing(const hits *h, uint32_t *at) { return missing(h, entries, WB_LEN(entries), at); }
const char *hits_missing_kernel(const hits *h, uint32_t *at) { return missing(h, in_kernels, WB_LEN(in_kernels), at); }
const char *hits_missing_region(const hits *h, uint32_t *at) { return missing(h, in_regions, WB_LEN(in_regions), at); }
const char *hits_missing_tile(const hits *h, uint32_t *at) { return missing(h, in_tiles, WB_LEN(in_tiles), at); }
