/* tests/unit/runtime_object.c -- the loader of kernel objects: what it runs, what it refuses, and that no damage of a file is more than a
** reason.  Files are built here, byte by byte: so each table can be wrong in its own way. */
#include "tests/test.h"

#include "runtime/object.h"

#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
#include <elf.h>

/* answer: mov eax, [rip + number]; ret.  call: call answer; inc eax; ret.  where: movabs rax, &number; ret */
static const unsigned char code[] = {0x8b, 0x05, 0, 0, 0, 0, 0xc3, 0x90, 0xe8, 0, 0, 0, 0, 0xff, 0xc0, 0xc3, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xc3};
enum { ANSWER = 0, CALL = 8, WHERE = 16, NUMBER = 41 };
static const char names[] = "\0answer\0call\0where\0outside";
enum { N_ANSWER = 1, N_CALL = 8, N_WHERE = 13, N_OUTSIDE = 19 };

enum { NONE, TEXT, DATA, BSS, RELA, SYMBOLS, STRINGS, SECTIONS };

typedef struct file { /* as it lies on disk */
  Elf64_Ehdr head;
  Elf64_Shdr sections[SECTIONS];
  Elf64_Sym symbols[6];
  Elf64_Rela relocations[3];
  uint32_t number[4];
  unsigned char text[32];
  char strings[32];
} file;

static Elf64_Shdr part(uint32_t type, uint64_t flags, size_t at, size_t size, size_t entry, uint32_t link, uint32_t info) {
  return (Elf64_Shdr){.sh_type = type, .sh_flags = flags, .sh_offset = at, .sh_size = size, .sh_entsize = entry, .sh_link = link, .sh_info = info,
                      .sh_addralign = 16};
}

static Elf64_Sym sym(uint32_t name, int bind, uint16_t in, uint64_t value) {
  return (Elf64_Sym){.st_name = name, .st_info = (unsigned char)ELF64_ST_INFO(bind, STT_NOTYPE), .st_shndx = in, .st_value = value};
}

static file good(void) {
  file f = {.number = {NUMBER}};
  memcpy(f.head.e_ident, "\177ELF\2\1\1", 7);
  f.head.e_type = ET_REL;
  f.head.e_machine = EM_X86_64;
  f.head.e_shoff = offsetof(file, sections);
  f.head.e_shentsize = sizeof(Elf64_Shdr);
  f.head.e_shnum = SECTIONS;
  f.sections[TEXT] = part(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, offsetof(file, text), sizeof code, 0, 0, 0);
  f.sections[DATA] = part(SHT_PROGBITS, SHF_ALLOC, offsetof(file, number), sizeof f.number, 0, 0, 0);
  f.sections[BSS] = part(SHT_NOBITS, SHF_ALLOC, 0, 100, 0, 0, 0);
  f.sections[RELA] = part(SHT_RELA, 0, offsetof(file, relocations), sizeof f.relocations, sizeof(Elf64_Rela), SYMBOLS, TEXT);
  f.sections[SYMBOLS] = part(SHT_SYMTAB, 0, offsetof(file, symbols), sizeof f.symbols, sizeof(Elf64_Sym), STRINGS, 0);
  f.sections[STRINGS] = part(SHT_STRTAB, 0, offsetof(file, strings), sizeof f.strings, 0, 0, 0);
  f.symbols[1] = sym(0, STB_LOCAL, DATA, 0);
  f.symbols[2] = sym(N_ANSWER, STB_GLOBAL, TEXT, ANSWER);
  f.symbols[3] = sym(N_CALL, STB_GLOBAL, TEXT, CALL);
  f.symbols[4] = sym(N_WHERE, STB_GLOBAL, TEXT, WHERE);
  f.symbols[5] = sym(N_OUTSIDE, STB_GLOBAL, SHN_UNDEF, 0);
  f.relocations[0] = (Elf64_Rela){ANSWER + 2, ELF64_R_INFO(1, R_X86_64_PC32), -4};
  f.relocations[1] = (Elf64_Rela){CALL + 1, ELF64_R_INFO(2, R_X86_64_PLT32), -4};
  f.relocations[2] = (Elf64_Rela){WHERE + 2, ELF64_R_INFO(1, R_X86_64_64), 0};
  memcpy(f.text, code, sizeof code);
  memcpy(f.strings, names, sizeof names);
  return f;
}

static const char *load(wb_door *d, const void *bytes, size_t n, wrt_entry *entries, wrt_object *o) {
  entries[0] = (wrt_entry){.name = "answer"};
  entries[1] = (wrt_entry){.name = "call"};
  entries[2] = (wrt_entry){.name = "where"};
  return wrt_object_load(d, bytes, n, entries, 3, o);
}

static int run(void *at) {
  int (*f)(void);
  memcpy(&f, &at, sizeof f);
  return f();
}

static void refused(const file *f, const char *with) {
  wb_door d;
  wb_door_open(&d, NULL, 0); /* which may not move afterwards */
  wrt_entry entries[3];
  wrt_object o;
  const char *why = load(&d, f, sizeof *f, entries, &o);
  cr_assert_not_null(why);
  cr_expect_not_null(strstr(why, with), "%s", why);
  cr_expect_null(o.at);
  cr_expect_eq(d.used, 0);
}

Test(runtime_object, runs_code_that_reads_data_and_calls) {
  file f = good();
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wrt_entry entries[3];
  wrt_object o;
  cr_assert_null(load(&d, &f, sizeof f, entries, &o));
  memset(&f, 0xff, sizeof f); /* the bytes may go */
  cr_expect_eq(run(entries[0].at), NUMBER);
  cr_expect_eq(run(entries[1].at), NUMBER + 1);
  uintptr_t address = 0;
  memcpy(&address, (const unsigned char *)entries[0].at + WHERE + 2, sizeof address);
  cr_expect_eq(*(const uint32_t *)address, NUMBER);
  cr_expect_eq(d.used, o.bytes);
  wrt_object_unload(&d, &o);
  cr_expect_eq(d.used, 0);
  wrt_object_unload(&d, &o);
}

Test(runtime_object, loads_at_any_alignment_of_the_file) {
  unsigned char moved[sizeof(file) + 1];
  file f = good();
  memcpy(moved + 1, &f, sizeof f);
  wb_door d;
  wb_door_open(&d, NULL, 0);
  wrt_entry entries[3];
  wrt_object o;
  cr_assert_null(load(&d, moved + 1, sizeof f, entries, &o));
  cr_expect_eq(run(entries[1].at), NUMBER + 1);
  wrt_object_unload(&d, &o);
}

Test(runtime_object, refuses_a_symbol_from_outside) {
  file f = good();
  f.relocations[1].r_info = ELF64_R_INFO(5, R_X86_64_PLT32);
  refused(&f, "does not define");
}

Test(runtime_object, refuses_what_it_does_not_know) {
  file f = good();
  f.relocations[0].r_info = ELF64_R_INFO(1, R_X86_64_GOTPCREL);
  refused(&f, "relocation of a kind");
  f = good();
  f.sections[RELA].sh_type = SHT_REL;
  refused(&f, "tables of a kind");
  f = good();
  f.sections[BSS].sh_flags |= SHF_TLS;
  refused(&f, "thread");
  f = good();
  f.sections[DATA].sh_flags |= SHF_WRITE; /* its page will not be writable */
  refused(&f, "write to");
  f = good();
  f.head.e_machine = EM_AARCH64;
  refused(&f, "processor");
}

Test(runtime_object, refuses_an_address_that_does_not_fit) {
  file f = good();
  f.relocations[0].r_addend = INT64_C(1) << 40;
  refused(&f, "too far");
}

Test(runtime_object, refuses_a_file_without_an_entry) {
  file f = good();
  f.symbols[3].st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
  refused(&f, "lacks an entry");
}

Test(runtime_object, refuses_offsets_that_lead_outside) {
  file f = good();
  f.sections[TEXT].sh_offset = sizeof f - 1;
  refused(&f, "damaged");
  f = good();
  f.sections[DATA].sh_offset = UINT64_MAX - 4;
  refused(&f, "damaged");
  f = good();
  f.relocations[2].r_offset = sizeof code - 7;
  refused(&f, "damaged");
  f = good();
  f.relocations[0].r_info = ELF64_R_INFO(6, R_X86_64_PC32);
  refused(&f, "damaged");
  f = good();
  f.sections[RELA].sh_info = SECTIONS;
  refused(&f, "damaged");
  f = good();
  f.strings[sizeof f.strings - 1] = 'x';
  refused(&f, "damaged");
  f = good();
  f.sections[BSS].sh_size = UINT64_C(1) << 40;
  refused(&f, "damaged");
}

Test(runtime_object, refuses_every_shorter_file) {
  file f = good();
  wb_door d;
  wb_door_open(&d, NULL, 0);
  for (size_t n = 0; n < sizeof f; n++) {
    unsigned char *cut = wb_door_take(&d, n + 1); /* of its own, so that a sanitizer sees a read behind it */
    wrt_entry entries[3];
    wrt_object o;
    memcpy(cut, &f, n);
    cr_expect_not_null(load(&d, cut, n, entries, &o), "%zu bytes", n);
    wb_door_give(&d, cut, n + 1);
  }
  cr_expect_eq(d.used, 0);
}

/* Any byte may be wrong: the file is then refused or loaded, and nothing is read or written beyond it (a sanitizer looks). */
Test(runtime_object, survives_every_wrong_byte) {
  wb_door d;
  wb_door_open(&d, NULL, 0);
  for (size_t i = 0; i < offsetof(file, number); i++) {
    for (unsigned x = 1; x < 256; x = x * 2 + 1) {
      file f = good();
      ((unsigned char *)&f)[i] ^= (unsigned char)x;
      wrt_entry entries[3];
      wrt_object o;
      if (load(&d, &f, sizeof f, entries, &o) == NULL) wrt_object_unload(&d, &o);
    }
  }
  cr_expect_eq(d.used, 0);
}

Test(runtime_object, reports_each_refusal_of_memory) {
  file f = good();
  for (uint64_t at = 1;; at++) {
    wb_door d;
    wb_door_open(&d, NULL, 0);
    d.fail_at = at;
    wrt_entry entries[3];
    wrt_object o;
    const char *why = load(&d, &f, sizeof f, entries, &o);
    wrt_object_unload(&d, &o);
    cr_expect_eq(d.used, 0);
    if (why == NULL) {
      cr_expect_eq(at, 4, "a table, pages, and their rights");
      break;
    }
    cr_expect_not_null(strstr(why, "memory"), "%s", why);
  }
}

#endif
