/* jit/batch_fits.c -- which kernels for tiles a program gets: one for rows that lack nothing, one for rows with gaps; mostly these are the same.
**
** Columns come with their gaps filled, so what holds an absent input is that input. */
#include "jit/batch_fits.h"

#include <string.h>

#include "jit/batch_emit.h"

/* ---- Are they the same? ---- */

typedef struct pair {
  const wir_body *warm, *sparse;
  uint32_t *to; /* by instruction of `sparse`: that of `warm` */
} pair;

static bool same_ins(const pair *p, const wir_ins *a, const wir_ins *b) {
  for (uint32_t k = 0; k < wir_insns[a->op].operands; k++)
    if (a->op != b->op || a->args[k].i != p->to[b->args[k].i]) return false;
  bool has_imm = a->op == WIR_I_CONST || a->op == WIR_I_RING;
  bool has_state = a->op == WIR_I_RING || a->op == WIR_I_KEEP || a->op == WIR_I_PUSH, has_stream = a->op == WIR_I_READ || a->op == WIR_I_WRITE;
  return a->op == b->op && a->kind == b->kind && a->is_guarded == b->is_guarded && a->cannot_fail == b->cannot_fail &&
         (a->may & WIR_MAY_FAIL) == (b->may & WIR_MAY_FAIL) && (!has_imm || a->imm.i == b->imm.i) && (!has_state || a->state == b->state) &&
         (!has_stream || a->stream == b->stream);
}

/* Instruction by instruction; an output that is an input as it is has gaps in the one only. */
static bool same_bodies(pair *p) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < p->sparse->n_ins; i++) {
    const wir_ins *in = &p->sparse->ins[i];
    if (!wir_has_filled_gaps(p->sparse, in)) return false;
    if (wir_holds(in)) {
      p->to[i] = p->to[in->args[0].i];
      continue;
    }
    if (at == p->warm->n_ins || !same_ins(p, &p->warm->ins[at], in)) return false;
    p->to[i] = at++;
  }
  return at == p->warm->n_ins;
}

static bool are_assumed_alike(const wrt_plan *plan) {
  for (uint32_t s = 0; s < plan->program->n_states; s++)
    if (wir_is_assumed(plan->bodies, s, WIR_BODY_WARM) != wir_is_assumed(plan->bodies, s, WIR_BODY_SPARSE)) return false;
  return true;
}

static bool are_same(const wrt_plan *plan, wb_mem *mem) {
  pair p = {.warm = &plan->bodies->of_fit[WIR_BODY_WARM], .sparse = &plan->bodies->of_fit[WIR_BODY_SPARSE]};
  p.to = WB_NEW_ARRAY(mem, uint32_t, (size_t)p.sparse->n_ins + 1);
  return p.to != NULL && are_assumed_alike(plan) && same_bodies(&p);
}

/* ---- All ---- */

static wrt_batch_code make(const wrt_plan *plan, wir_body_fit fit, const wjit_target *target, LLVMModuleRef module, LLVMBuilderRef builder, wb_mem *mem) {
  wjit_batch b = {.plan = plan, .fit = fit, .mem = mem, .context = LLVMGetModuleContext(module), .module = module, .b = builder,
                  .width = target->width, .has_dq = target->has_dq};
  return wjit_batch_kernel(&b);
}

void wjit_batches(const wrt_plan *plan, const wjit_target *target, LLVMModuleRef module, LLVMBuilderRef builder, wrt_batch_code out[WIR_BODY_FITS]) {
  wb_mem mem;
  wb_mem_init(&mem, plan->program->door, 0);
  out[WIR_BODY_GENERAL] = (wrt_batch_code){.why = "tiles are for rows whose state is filled"};
  out[WIR_BODY_WARM] = make(plan, WIR_BODY_WARM, target, module, builder, &mem);
  out[WIR_BODY_SPARSE] = are_same(plan, &mem) ? out[WIR_BODY_WARM] : make(plan, WIR_BODY_SPARSE, target, module, builder, &mem);
  wb_mem_drop(&mem);
}

wjit_target wjit_target_of(const char *features) {
  bool has_512 = strstr(features, "+avx512f") != NULL && strstr(features, "+avx512dq") != NULL && strstr(features, "+avx512vl") != NULL &&
                 strstr(features, "+avx512bw") != NULL;
  bool has_256 = strstr(features, "+avx2") != NULL;
  return (wjit_target){.width = has_512 ? 8 : has_256 ? 4 : 2, .has_dq = has_512};
}
