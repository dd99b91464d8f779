/* jit/no_end.c -- LLVM's static objects live as long as the process.
**
** A host may end while the engine's thread is compiling: exit would destroy these objects under it.  The module is never unloaded
** (ir/base/module.c), so nobody needs that.  The linker puts this in the place of __cxa_atexit, for the module alone (CMakeLists.txt). */

int wjit_no_end(void (*run)(void *), void *arg, void *module);

int wjit_no_end(void (*run)(void *), void *arg, void *module) {
  (void)run, (void)arg, (void)module;
  return 0;
}
