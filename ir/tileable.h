/* ir/tileable.h -- can a whole body be computed for tiles of rows?
**
** One answer for the quickened tier's tiles and for kernels of tiles: in a tile everything is a value, or has failed under a guard. */
#ifndef WIR_TILEABLE_H
#define WIR_TILEABLE_H

#include "ir/bodies.h"
#include "ir/order.h"

/* May be absent, and so only be held, or be an output as it is (whose gaps the runtime copies). */
static inline bool wir_is_raw(const wir_ins *in) { return in->op == WIR_I_READ && in->may == WIR_MAY_NOVAL; }
/* Takes what was there before in the place of what is absent. */
static inline bool wir_holds(const wir_ins *in) { return in->op == WIR_I_HOLD || in->op == WIR_I_FILL; }

/* Gaps are filled in inputs as they are, which nothing looks at but what holds them.  A hold of what was made of an input has gaps of its own. */
bool wir_has_filled_gaps(const wir_body *b, const wir_ins *in);

/* Can whoever asks compute this instruction, apart from what its operands may be?  Not asked of READ, RING and what holds. */
typedef bool wir_tile_has(const wir_order *g, uint32_t i);

/* `g` is the order of the body for rows of that fit. */
bool wir_is_tileable(const wir_order *g, const wir_bodies *bodies, wir_body_fit fit, wir_tile_has *has);

#endif
