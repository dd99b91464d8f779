/* tests/support/no_exec.c -- the filter: mmap of no file, mprotect and pkey_mprotect, by what they ask of a page. */
#include "tests/support/no_exec.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOW_HALF(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]))
#define IF_IS(k, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(k), then, otherwise)
#define IF_HAS(bits, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), then, otherwise)
#define ANSWER(k) BPF_STMT(BPF_RET | BPF_K, k)

bool no_exec_begin(no_exec_rule rule) {
  /* A page with PROT_EXEC is refused where it also has a bit of `also`. */
  uint32_t also = rule == NO_EXEC_AT_ALL ? PROT_EXEC : PROT_WRITE;
  struct sock_filter steps[] = {
    LOAD(arch),
    IF_IS(AUDIT_ARCH_X86_64, 0, 9),
    LOAD(nr),
    IF_IS(SYS_mmap, 0, 2),
    LOW_HALF(3),
    IF_HAS(MAP_ANONYMOUS, 2, 5),
    IF_IS(SYS_mprotect, 1, 0),
    IF_IS(SYS_pkey_mprotect, 0, 3),
    LOW_HALF(2),
    IF_HAS(PROT_EXEC, 0, 1),
    IF_HAS(also, 1, 0),
    ANSWER(SECCOMP_RET_ALLOW),
    ANSWER(SECCOMP_RET_ERRNO | 13), /* EACCES */
  };
  struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}
