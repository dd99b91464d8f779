/* runtime/object.c -- a loader for our own kernel objects.
**
** A file is looked at in three steps: its tables are checked against its size (nothing is read through an offset before that), its sections
** are laid out and copied, its relocations are applied.  What LLVM's small code model makes of one module without outside symbols needs
** six kinds of relocation; any other is refused with a reason, so a kernel never runs half linked.
** The format: System V ABI, ELF-64 object files, and its AMD64 supplement, chapter 4.
** Leave alone: page rights change once, from writable to executable (a system may forbid more, and then a reason is the answer). */
#include "runtime/object.h"

#include <string.h>

#include "runtime/tier.h"

#if defined(__x86_64__) && defined(__linux__)

#include <elf.h>

enum { ALIGN_MAX = 4096 };
static const size_t SIZE_MAX_LOADED = (size_t)1 << 30; /* offsets within an object fit 32 bits, with room */

static const char damaged[] = "the object file is damaged";

typedef struct loader {
  wb_door *door;
  const unsigned char *file;
  size_t n;
  Elf64_Ehdr head;
  size_t *at;          /* by section: where it begins in the image; SIZE_MAX: it has no place there */
  unsigned char *image;
  size_t image_bytes;
} loader;

/* ---- Reading: copies, since a file's tables may stand at any address ---- */

static bool is_within(const loader *l, uint64_t at, uint64_t bytes) { return at <= l->n && bytes <= l->n - at; }

static Elf64_Shdr section(const loader *l, size_t i) {
  Elf64_Shdr s;
  memcpy(&s, l->file + l->head.e_shoff + i * sizeof s, sizeof s);
  return s;
}

static Elf64_Sym symbol(const loader *l, const Elf64_Shdr *table, size_t i) {
  Elf64_Sym y;
  memcpy(&y, l->file + table->sh_offset + i * sizeof y, sizeof y);
  return y;
}

static const char *check_head(loader *l) {
  static const unsigned char ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  if (l->n < sizeof l->head) return damaged;
  memcpy(&l->head, l->file, sizeof l->head);
  if (memcmp(l->head.e_ident, ident, sizeof ident) != 0) return damaged;
  if (l->head.e_type != ET_REL || l->head.e_machine != EM_X86_64) return "the object file is not for this kind of processor";
  if (l->head.e_shentsize != sizeof(Elf64_Shdr) || l->head.e_shnum == 0) return damaged;
  return is_within(l, l->head.e_shoff, (uint64_t)l->head.e_shnum * sizeof(Elf64_Shdr)) ? NULL : damaged;
}

static bool is_table_of(const loader *l, const Elf64_Shdr *s, size_t entry) {
  return s->sh_entsize == entry && s->sh_size % entry == 0 && s->sh_link < l->head.e_shnum;
}

static bool section_is_right(const loader *l, const Elf64_Shdr *s) {
  if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL && !is_within(l, s->sh_offset, s->sh_size)) return false;
  if (s->sh_type == SHT_SYMTAB) return is_table_of(l, s, sizeof(Elf64_Sym)) && section(l, s->sh_link).sh_type == SHT_STRTAB;
  if (s->sh_type == SHT_RELA)
    return is_table_of(l, s, sizeof(Elf64_Rela)) && section(l, s->sh_link).sh_type == SHT_SYMTAB && s->sh_info < l->head.e_shnum;
  /* The last byte of a table of names ends the last name. */
  if (s->sh_type == SHT_STRTAB) return s->sh_size != 0 && l->file[s->sh_offset + s->sh_size - 1] == 0;
  return true;
}

static const char *check_sections(const loader *l) {
  for (size_t i = 0; i < l->head.e_shnum; i++) {
    Elf64_Shdr s = section(l, i);
    if (!section_is_right(l, &s)) return damaged;
    if (s.sh_type == SHT_REL || s.sh_type == SHT_SYMTAB_SHNDX) return "the object file has tables of a kind that compiled kernels do not need";
    if ((s.sh_flags & SHF_TLS) != 0) return "the object file has data of a thread's own";
    if ((s.sh_flags & SHF_ALLOC) != 0 && (s.sh_flags & SHF_WRITE) != 0) return "the object file has data that code may write to";
  }
  return NULL;
}

/* ---- The image ---- */

static const char *lay_out(loader *l) {
  for (size_t i = 0; i < l->head.e_shnum; i++) {
    Elf64_Shdr s = section(l, i);
    l->at[i] = SIZE_MAX;
    if ((s.sh_flags & SHF_ALLOC) == 0 || s.sh_type == SHT_NULL) continue;
    size_t align = s.sh_addralign == 0 ? 1 : (size_t)s.sh_addralign;
    if ((align & (align - 1)) != 0 || align > ALIGN_MAX || s.sh_size > SIZE_MAX_LOADED) return damaged;
    l->at[i] = (l->image_bytes + align - 1) & ~(align - 1);
    l->image_bytes = l->at[i] + (size_t)s.sh_size;
    if (l->image_bytes > SIZE_MAX_LOADED) return "the object file is larger than kernels may be";
  }
  size_t page = wb_page();
  l->image_bytes = (l->image_bytes + page - 1) / page * page;
  return l->image_bytes == 0 ? damaged : NULL;
}

static void copy_sections(const loader *l) {
  for (size_t i = 0; i < l->head.e_shnum; i++) {
    Elf64_Shdr s = section(l, i);
    if (l->at[i] != SIZE_MAX && s.sh_type != SHT_NOBITS && s.sh_size != 0)
      memcpy(l->image + l->at[i], l->file + s.sh_offset, (size_t)s.sh_size);
  }
}

/* ---- Relocations ---- */

/* Where a symbol is, or NULL if it is not in the image. */
static unsigned char *address_of(const loader *l, const Elf64_Sym *y) {
  if (y->st_shndx == SHN_UNDEF || y->st_shndx >= l->head.e_shnum || l->at[y->st_shndx] == SIZE_MAX) return NULL;
  uint64_t size = section(l, y->st_shndx).sh_size;
  return y->st_value <= size ? l->image + l->at[y->st_shndx] + y->st_value : NULL;
}

/* Puts `value` into `bytes` bytes, as unsigned or signed; false if it does not fit. */
static bool put(unsigned char *to, uint64_t value, size_t bytes, bool is_signed) {
  if (bytes == 4 && !(is_signed ? (int64_t)value == (int32_t)value : value == (uint32_t)value)) return false;
  memcpy(to, &value, bytes); /* least byte first, as on every x86-64 */
  return true;
}

static const char *apply(const Elf64_Rela *r, unsigned char *place, size_t room, uint64_t value) {
  static const char too_far[] = "the parts of the object file lie too far from each other";
  uint64_t here = (uint64_t)(uintptr_t)place, to = value + (uint64_t)r->r_addend;
  uint32_t type = ELF64_R_TYPE(r->r_info);
  bool is_wide = type == R_X86_64_64 || type == R_X86_64_PC64;
  if (room < (is_wide ? 8U : 4U)) return damaged;
  switch (type) {
  case R_X86_64_64: return put(place, to, 8, false) ? NULL : too_far;
  case R_X86_64_PC64: return put(place, to - here, 8, true) ? NULL : too_far;
  case R_X86_64_PC32:
  case R_X86_64_PLT32: return put(place, to - here, 4, true) ? NULL : too_far; /* no table of jumps: all targets are ours, and near */
  case R_X86_64_32: return put(place, to, 4, false) ? NULL : too_far;
  case R_X86_64_32S: return put(place, to, 4, true) ? NULL : too_far;
  default: return "the object file has a relocation of a kind that compiled kernels do not need";
  }
}

static const char *relocate(const loader *l, const Elf64_Shdr *table) {
  Elf64_Shdr symbols = section(l, table->sh_link), target = section(l, table->sh_info);
  for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Rela); i++) {
    Elf64_Rela r;
    memcpy(&r, l->file + table->sh_offset + i * sizeof r, sizeof r);
    if (ELF64_R_TYPE(r.r_info) == R_X86_64_NONE) continue;
    if (ELF64_R_SYM(r.r_info) >= symbols.sh_size / sizeof(Elf64_Sym) || r.r_offset >= target.sh_size) return damaged;
    Elf64_Sym y = symbol(l, &symbols, ELF64_R_SYM(r.r_info));
    const unsigned char *value = address_of(l, &y);
    if (value == NULL) return "the object file refers to a symbol that it does not define";
    const char *why = apply(&r, l->image + l->at[table->sh_info] + r.r_offset, (size_t)(target.sh_size - r.r_offset), (uint64_t)(uintptr_t)value);
    if (why != NULL) return why;
  }
  return NULL;
}

static const char *relocate_all(const loader *l) {
  for (size_t i = 0; i < l->head.e_shnum; i++) {
    Elf64_Shdr s = section(l, i);
    if (s.sh_type != SHT_RELA || l->at[s.sh_info] == SIZE_MAX) continue; /* of debug information, for instance */
    if (section(l, s.sh_info).sh_type == SHT_NOBITS) return damaged;
    const char *why = relocate(l, &s);
    if (why != NULL) return why;
  }
  return NULL;
}

/* ---- Entries ---- */

static void find_in(const loader *l, const Elf64_Shdr *table, wrt_entry *entries, size_t count) {
  Elf64_Shdr names = section(l, table->sh_link);
  for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym y = symbol(l, table, i);
    if (ELF64_ST_BIND(y.st_info) != STB_GLOBAL || y.st_name >= names.sh_size) continue;
    const char *name = (const char *)l->file + names.sh_offset + y.st_name;
    for (size_t k = 0; k < count; k++)
      if (strcmp(name, entries[k].name) == 0) entries[k] = (wrt_entry){entries[k].name, address_of(l, &y), (size_t)y.st_size};
  }
}

static const char *find_entries(const loader *l, wrt_entry *entries, size_t count) {
  for (size_t k = 0; k < count; k++) entries[k].at = NULL;
  for (size_t i = 0; i < l->head.e_shnum; i++) {
    Elf64_Shdr s = section(l, i);
    if (s.sh_type == SHT_SYMTAB) find_in(l, &s, entries, count);
  }
  for (size_t k = 0; k < count; k++)
    if (entries[k].at == NULL) return "the object file lacks an entry";
  return NULL;
}

/* ---- The whole ---- */

/* Fills the image, which is writable. */
static const char *fill(const loader *l, wrt_entry *entries, size_t count) {
  copy_sections(l);
  const char *why = relocate_all(l);
  if (why == NULL) why = find_entries(l, entries, count);
  if (why == NULL && !wb_code_seal(l->door, l->image, l->image_bytes)) why = "the system allows no executable memory";
  return why;
}

static const char *place(loader *l, wrt_entry *entries, size_t count, wrt_object *out) {
  const char *why = lay_out(l);
  if (why != NULL) return why;
  l->image = wb_code_take(l->door, l->image_bytes);
  if (l->image == NULL) return WRT_NO_MEMORY;
  why = fill(l, entries, count);
  if (why != NULL) wb_code_give(l->door, l->image, l->image_bytes);
  else *out = (wrt_object){.at = l->image, .bytes = l->image_bytes};
  return why;
}

const char *wrt_object_load(wb_door *door, const void *bytes, size_t n, wrt_entry *entries, size_t count, wrt_object *out) {
  loader l = {.door = door, .file = bytes, .n = n};
  *out = (wrt_object){.at = NULL};
  const char *why = check_head(&l);
  if (why == NULL) why = check_sections(&l);
  if (why != NULL) return why;
  size_t table = (size_t)l.head.e_shnum * sizeof *l.at;
  l.at = wb_door_take(door, table);
  if (l.at == NULL) return WRT_NO_MEMORY;
  why = place(&l, entries, count, out);
  wb_door_give(door, l.at, table);
  return why;
}

void wrt_object_unload(wb_door *door, wrt_object *o) {
  wb_code_give(door, o->at, o->bytes);
  *o = (wrt_object){.at = NULL};
}

#else

const char *wrt_object_load(wb_door *door, const void *bytes, size_t n, wrt_entry *entries, size_t count, wrt_object *out) {
  (void)door, (void)bytes, (void)n, (void)entries, (void)count;
  *out = (wrt_object){.at = NULL};
  return "native code is made for x86-64 under Linux only";
}

void wrt_object_unload(wb_door *door, wrt_object *o) { (void)door, (void)o; }

#endif
