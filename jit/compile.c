/* jit/compile.c -- from a plan to an object in memory.
**
** A context, a module and a target machine live for one compilation, in the thread that asked.  LLVM's own tables of targets are made once
** in a process; they are hidden in this module, so a host's own LLVM has others.
** The pipeline is short: bodies come optimized (ir/optimize.h), and what is left is folding what instructions were built from. */
#include "jit/compile.h"

#include <pthread.h>
#include <string.h>

#include "jit/batch_fits.h"
#include "jit/emit.h"

static const char pipeline[] = "function(early-cse,instcombine<no-verify-fixpoint>)";

/* What has no function to say it. */
static const char *const settings[] = {
  "weir",
  "-disable-x86-domain-reassignment", /* quadratic in the size of a block, for code that is no faster */
  "-instcombine-code-sinking=0",      /* what is computed before a row can leave, for what comes behind, stays there: it was put there */
  "-enable-tail-merge=0",             /* else rows that take the second of two ways jump once more, to the end of the first */
  "-pre-RA-sched=list-burr",          /* fewer registers: each that a kernel saves is a store */
};

/* LLVM's targets and options are of the process: the one thing here that is made once. */
static void start_llvm(void) {
  LLVMParseCommandLineOptions((int)WB_LEN(settings), settings, NULL);
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

static LLVMTargetMachineRef new_machine(const wrt_plan *plan, bool is_large, wjit_target *out) {
  static pthread_once_t started = PTHREAD_ONCE_INIT;
  (void)pthread_once(&started, start_llvm);
  LLVMTargetRef target;
  char *why = NULL, *cpu = plan->cpu == NULL ? LLVMGetHostCPUName() : LLVMCreateMessage(plan->cpu);
  char *features = plan->features == NULL ? LLVMGetHostCPUFeatures() : LLVMCreateMessage(plan->features);
  *out = wjit_target_of(features);
  LLVMTargetMachineRef tm = NULL;
  if (LLVMGetTargetFromTriple("x86_64-pc-linux-gnu", &target, &why) == 0)
    tm = LLVMCreateTargetMachine(target, "x86_64-pc-linux-gnu", cpu, features, is_large ? LLVMCodeGenLevelNone : LLVMCodeGenLevelLess, LLVMRelocPIC, LLVMCodeModelSmall);
  LLVMDisposeMessage(why);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return tm;
}

static void name_types(wjit_emit *e) {
  e->i1 = LLVMInt1TypeInContext(e->context);
  e->i8 = LLVMInt8TypeInContext(e->context);
  e->i32 = LLVMInt32TypeInContext(e->context);
  e->i64 = LLVMInt64TypeInContext(e->context);
  e->f64 = LLVMDoubleTypeInContext(e->context);
  e->ptr = LLVMPointerTypeInContext(e->context, 0);
  LLVMMetadataRef weights[] = {LLVMMDStringInContext2(e->context, "branch_weights", 14),
                               LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, false)), LLVMValueAsMetadata(LLVMConstInt(e->i32, 4000, false))};
  e->nothing = LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, NULL, 0));
  e->unlikely = LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, weights, 3));
}

/* Those without a kernel count, too. */
static uint32_t count_regions(const wrt_plan *plan) { return plan->regions == NULL ? 0 : plan->bodies->plan.n_regions; }

/* Of the larger body that is compiled. */
static uint32_t region_instructions(const wrt_plan *plan, uint32_t region) {
  if (plan->regions[region][0] == '\0') return 0;
  uint32_t general = plan->bodies->of_region[region].n_ins;
  return WB_MAX(plan->bodies->sparse_of_region[region].n_ins, general > plan->most_general ? 0 : general);
}

/* Of the bodies that are compiled. */
static uint32_t most_instructions(const wrt_plan *plan) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < WIR_BODY_FITS; i++)
    if (plan->names[i] != NULL) most = WB_MAX(most, plan->bodies->of_fit[i].n_ins);
  for (uint32_t i = 0; i < count_regions(plan); i++) most = WB_MAX(most, region_instructions(plan, i));
  return most;
}

static bool make_room(const wrt_plan *plan, wb_mem *mem, wjit_emit *e) {
  size_t n = most_instructions(plan), n_states = (size_t)plan->program->n_states + 1;
  size_t n_in = WEIR_WORDS(plan->program->n_inputs) + 1, n_out = WEIR_WORDS(plan->program->n_outputs) + 1;
  wjit_lists *l = &e->lists;
  wjit_ranges *r = &e->ranges;
  r->mem = mem;
  return (e->values = WB_NEW_ARRAY(mem, wjit_value, n)) != NULL &&
         (e->next = WB_NEW_ARRAY(mem, LLVMValueRef, n_states)) != NULL &&
         (e->present = WB_NEW_ARRAY(mem, LLVMValueRef, n_in)) != NULL &&
         (e->deferred = WB_NEW_ARRAY(mem, LLVMValueRef, n_in)) != NULL &&
         (e->out_present = WB_NEW_ARRAY(mem, LLVMValueRef, n_out)) != NULL &&
         (e->out_deferred = WB_NEW_ARRAY(mem, LLVMValueRef, n_out)) != NULL &&
         (l->reader = WB_NEW_ARRAY(mem, uint32_t, n_states)) != NULL &&
         (l->effect = WB_NEW_ARRAY(mem, uint32_t, n)) != NULL &&
         (l->next = WB_NEW_ARRAY(mem, uint32_t, n)) != NULL &&
         (l->stack = WB_NEW_ARRAY(mem, uint32_t, n)) != NULL &&
         (l->waiting = WB_NEW_ARRAY(mem, uint32_t, n)) != NULL &&
         (l->is_built = WB_NEW_ARRAY(mem, uint8_t, n)) != NULL &&
         (l->is_marked = WB_NEW_ARRAY(mem, uint8_t, n)) != NULL &&
         (r->all = WB_NEW_ARRAY(mem, uint8_t, n)) != NULL &&
         (r->some = WB_NEW_ARRAY(mem, uint8_t, n)) != NULL &&
         (r->marks = WB_NEW_ARRAY(mem, uint8_t, n)) != NULL &&
         (r->spared = WB_NEW_ARRAY(mem, uint8_t, n)) != NULL &&
         (r->ranges = WB_NEW_ARRAY(mem, wir_interval, n)) != NULL;
}

static void build_kernels(const wrt_plan *plan, wjit_emit *e) {
  for (wir_body_fit fit = 0; fit < WIR_BODY_FITS; fit++)
    if (plan->names[fit] != NULL) wjit_emit_kernel(e, fit);
  for (uint32_t i = 0; i < count_regions(plan); i++)
    if (plan->regions[i][0] != '\0') wjit_emit_region(e, i);
  if (plan->regions != NULL && plan->regions[count_regions(plan)][0] != '\0') wjit_emit_commit(e);
}

static const char *build(const wrt_plan *plan, wjit_emit *e, const wjit_target *target, wrt_compiled *out) {
  wb_mem mem;
  wb_mem_init(&mem, plan->program->door, 0);
  bool is_room = make_room(plan, &mem, e);
  name_types(e);
  if (is_room) build_kernels(plan, e);
  wb_mem_drop(&mem);
  if (!is_room) return WRT_NO_MEMORY;
  bool is_whole = plan->bodies->is_whole;
  for (uint32_t i = 0; i < WIR_BODY_FITS; i++) out->batches[i] = (wrt_batch_code){.why = is_whole ? "the schedule is large" : "some streams are not scalar"};
  if (is_whole && !e->is_large) wjit_batches(plan, target, e->module, e->b, out->batches);
  return NULL;
}

static const char *optimize(LLVMModuleRef m, LLVMTargetMachineRef tm) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failed = LLVMRunPasses(m, pipeline, tm, options);
  LLVMDisposePassBuilderOptions(options);
  if (failed == NULL) return NULL;
  LLVMConsumeError(failed);
  return "LLVM refuses its own passes";
}

static LLVMMemoryBufferRef print_module(LLVMModuleRef m) {
  char *text = LLVMPrintModuleToString(m);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "");
  LLVMDisposeMessage(text);
  return buffer;
}

static const char *write_form(LLVMModuleRef m, LLVMTargetMachineRef tm, wrt_form form, wrt_compiled *out) {
  char *why = NULL;
  LLVMMemoryBufferRef buffer = NULL;
  if (form == WRT_FORM_IR) {
    buffer = print_module(m);
  } else if (LLVMTargetMachineEmitToMemoryBuffer(tm, m, form == WRT_FORM_OBJECT ? LLVMObjectFile : LLVMAssemblyFile, &why, &buffer) != 0) {
    LLVMDisposeMessage(why);
    return "LLVM cannot generate the code";
  }
  out->bytes = LLVMGetBufferStart(buffer);
  out->n = LLVMGetBufferSize(buffer);
  out->self = buffer;
  return NULL;
}

static const char *compile_module(const wrt_plan *plan, wjit_emit *e, LLVMTargetMachineRef tm, const wjit_target *target, wrt_form form,
                                  wrt_compiled *out) {
  const char *why = build(plan, e, target, out);
  char *wrong = NULL;
  if (why != NULL) return why;
  if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &wrong) != 0) why = "a kernel was built wrongly";
  LLVMDisposeMessage(wrong);
  if (why == NULL && !e->is_large) why = optimize(e->module, tm);
  if (why != NULL) return why;
  return write_form(e->module, tm, form, out);
}

const char *wjit_compile(const wrt_plan *plan, wrt_form form, wrt_compiled *out) {
  wjit_target target;
  wjit_emit e = {.plan = plan, .program = plan->program, .is_large = most_instructions(plan) > WRT_MOST_FOR_BETTER_CODE};
  LLVMTargetMachineRef tm = new_machine(plan, e.is_large, &target);
  if (tm == NULL) return "LLVM does not know this processor";
  e.context = LLVMContextCreate();
  e.module = LLVMModuleCreateWithNameInContext("weir", e.context);
  e.b = LLVMCreateBuilderInContext(e.context);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(tm);
  LLVMSetModuleDataLayout(e.module, layout);
  LLVMSetTarget(e.module, "x86_64-pc-linux-gnu");
  LLVMDisposeTargetData(layout);
  const char *why = compile_module(plan, &e, tm, &target, form, out);
  LLVMDisposeBuilder(e.b);
  LLVMDisposeModule(e.module);
  LLVMContextDispose(e.context);
  LLVMDisposeTargetMachine(tm);
  return why;
}

void wjit_drop(wrt_compiled *c) {
  if (c->self != NULL) LLVMDisposeMemoryBuffer(c->self);
  *c = (wrt_compiled){.bytes = NULL};
}
