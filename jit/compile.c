/* jit/compile.c -- from a plan to an object in memory.
**
** A context, a module and a target machine live for one compilation, in the thread that asked.  LLVM's own tables of targets are made once
** in a process; they are hidden in this module, so a host's own LLVM has others.
** The pipeline is short: bodies come optimized (ir/optimize.h), and what is left is folding what instructions were built from. */
#include "jit/compile.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "jit/emit.h"

static const char pipeline[] = "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,early-cse,dce)";

/* LLVM's targets and options are of the process: the one thing here that is made once. */
static void start_llvm(void) {
  /* Quadratic in the size of a block, for code that is no faster; there is no function to switch it off. */
  const char *options[] = {"weir", "-disable-x86-domain-reassignment"};
  LLVMParseCommandLineOptions(2, options, NULL);
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

static LLVMTargetMachineRef new_machine(void) {
  static pthread_once_t started = PTHREAD_ONCE_INIT;
  (void)pthread_once(&started, start_llvm);
  LLVMTargetRef target;
  char *why = NULL, *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  LLVMTargetMachineRef tm = NULL;
  if (LLVMGetTargetFromTriple("x86_64-pc-linux-gnu", &target, &why) == 0)
    tm = LLVMCreateTargetMachine(target, "x86_64-pc-linux-gnu", cpu, features, LLVMCodeGenLevelLess, LLVMRelocPIC, LLVMCodeModelSmall);
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
}

static size_t most_instructions(const wrt_plan *plan) {
  size_t most = 1;
  for (uint32_t i = 0; i < WIR_BODY_FITS; i++)
    if (plan->bodies->of_fit[i].n_ins > most) most = plan->bodies->of_fit[i].n_ins;
  return most;
}

static const char *build(const wrt_plan *plan, wjit_emit *e) {
  size_t n_in = WEIR_WORDS(plan->program->n_inputs), n_out = WEIR_WORDS(plan->program->n_outputs);
  e->values = malloc(most_instructions(plan) * sizeof *e->values);
  e->present = malloc((2 * n_in + 2 * n_out + 1) * sizeof *e->present);
  bool is_room = e->values != NULL && e->present != NULL;
  e->deferred = e->present + n_in;
  e->out_present = e->deferred + n_in;
  e->out_deferred = e->out_present + n_out;
  name_types(e);
  for (wir_body_fit fit = 0; is_room && fit < WIR_BODY_FITS; fit++) wjit_emit_kernel(e, fit);
  free(e->values);
  free(e->present);
  return is_room ? NULL : "no memory to compile";
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
  *out = (wrt_compiled){LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), buffer};
  return NULL;
}

static const char *compile_module(const wrt_plan *plan, wjit_emit *e, LLVMTargetMachineRef tm, wrt_form form, wrt_compiled *out) {
  const char *why = build(plan, e);
  char *wrong = NULL;
  if (why != NULL) return why;
  if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &wrong) != 0) why = "a kernel was built wrongly";
  LLVMDisposeMessage(wrong);
  if (why == NULL) why = optimize(e->module, tm);
  if (why != NULL) return why;
  return write_form(e->module, tm, form, out);
}

const char *wjit_compile(const wrt_plan *plan, wrt_form form, wrt_compiled *out) {
  LLVMTargetMachineRef tm = new_machine();
  if (tm == NULL) return "LLVM does not know this processor";
  wjit_emit e = {.plan = plan, .program = plan->program, .context = LLVMContextCreate()};
  e.module = LLVMModuleCreateWithNameInContext("weir", e.context);
  e.b = LLVMCreateBuilderInContext(e.context);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(tm);
  LLVMSetModuleDataLayout(e.module, layout);
  LLVMSetTarget(e.module, "x86_64-pc-linux-gnu");
  LLVMDisposeTargetData(layout);
  const char *why = compile_module(plan, &e, tm, form, out);
  LLVMDisposeBuilder(e.b);
  LLVMDisposeModule(e.module);
  LLVMContextDispose(e.context);
  LLVMDisposeTargetMachine(tm);
  return why;
}

void wjit_drop(wrt_compiled *c) {
  if (c->self != NULL) LLVMDisposeMemoryBuffer(c->self);
  *c = (wrt_compiled){NULL, 0, NULL};
}
