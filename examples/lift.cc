/* examples/lift.cc -- Weir in C++17: handles that end by themselves, errors as exceptions, rows as vectors.
**
** The wrapper is this file's own: take it, and change it.  Build it with: c++ -std=c++17 lift.cc -lweir */
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <weir.h>

namespace {

/* ---- The wrapper ---- */

struct Free {
  void operator()(weir_engine *engine) const { weir_engine_free(engine); }
  void operator()(weir_program *program) const { weir_program_release(program); }
  void operator()(weir_monitor *monitor) const { weir_monitor_free(monitor); }
  void operator()(weir_diagnostics *diagnostics) const { weir_diagnostics_free(diagnostics); }
};
template <class T> using Handle = std::unique_ptr<T, Free>;

struct Error : std::runtime_error {
  weir_code code;
  Error(weir_code why, const std::string &text) : std::runtime_error(text), code(why) {}
};

/* No value, or one of the scalar kinds. */
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/* What a variant holds, as a value for a push: valid as long as `v`. */
weir_value lend(const Value &v) {
  weir_value to = {};
  if (auto *b = std::get_if<bool>(&v)) to.tag = WEIR_BOOL, to.as.b = *b;
  if (auto *i = std::get_if<std::int64_t>(&v)) to.tag = WEIR_INT, to.as.i = *i;
  if (auto *f = std::get_if<double>(&v)) to.tag = WEIR_FLOAT, to.as.f = *f;
  if (auto *s = std::get_if<std::string>(&v)) {
    to.tag = WEIR_TEXT;
    to.count = static_cast<std::uint32_t>(s->size());
    to.as.text = s->data();
  }
  return to;
}

Value copy(const weir_value &v) {
  switch (v.tag) {
  case WEIR_BOOL: return v.as.b;
  case WEIR_INT: return v.as.i;
  case WEIR_FLOAT: return v.as.f;
  case WEIR_TEXT: return std::string(v.as.text, v.count);
  default: return {}; /* no value, or Deferred */
  }
}

class Monitor {
public:
  Monitor(weir_engine *engine, std::string_view text) {
    weir_program *program = nullptr;
    weir_diagnostics *said = nullptr;
    weir_code code = weir_compile(engine, text.data(), text.size(), nullptr, &program, &said);
    Handle<weir_diagnostics> owned(said);
    if (code != WEIR_OK) throw Error(code, first(text, said));
    program_.reset(program);
    weir_monitor *monitor = nullptr;
    weir_error e;
    if (weir_monitor_new(engine, program, nullptr, &monitor, &e) != WEIR_OK) throw Error(e.code, e.text);
    monitor_.reset(monitor);
  }

  void push(const std::vector<Value> &row) {
    std::vector<weir_value> values;
    for (const Value &v : row) values.push_back(lend(v));
    weir_error e;
    if (weir_monitor_push(monitor_.get(), values.data(), values.size(), &e) != WEIR_OK) throw Error(e.code, e.text);
  }

  Value output(std::string_view name) const {
    std::uint32_t i = weir_program_find_output(program_.get(), name.data(), name.size());
    if (i == UINT32_MAX) throw std::out_of_range("no output " + std::string(name));
    return copy(*weir_monitor_output(monitor_.get(), i));
  }

private:
  Handle<weir_program> program_; /* the engine must outlive both */
  Handle<weir_monitor> monitor_;

  static std::string first(std::string_view text, const weir_diagnostics *said) {
    if (weir_diagnostics_count(said) == 0) return "out of memory";
    weir_diagnostic d = weir_diagnostics_at(said, 0);
    weir_position at = weir_position_of(text.data(), text.size(), d.span.begin);
    return std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + d.text;
  }
};

/* ---- The program ---- */

constexpr std::string_view lift =
    "in floor: Int\n"
    "in door: Bool\n"
    "out moved: Int\n"
    "out say: Str\n"
    "moved = default(moved[1], 0) + abs(floor - default(floor[1], floor))\n"
    "say = if door then \"doors open\" else \"moving\"\n";

void ride(weir_engine *engine) {
  Monitor monitor(engine, lift);
  const std::vector<std::vector<Value>> rows = {
      {std::int64_t{0}, true}, {std::int64_t{1}, false}, {std::int64_t{3}, {}}, {std::int64_t{3}, true},
  };
  for (const auto &row : rows) {
    monitor.push(row);
    std::cout << std::get<std::string>(monitor.output("say")) << ", " << std::get<std::int64_t>(monitor.output("moved")) << " floors\n";
  }
  try {
    monitor.push({std::string("four"), true});
  } catch (const Error &e) { /* the row did not fit: nothing has happened */
    std::cout << weir_code_name(e.code) << ": " << e.what() << "\n";
  }
  try {
    Monitor wrong(engine, "in x: Int\nout y: Int\ny = x +\n");
  } catch (const Error &e) {
    std::cout << weir_code_name(e.code) << ": " << e.what() << "\n";
  }
}

} // namespace

int main() {
  weir_engine *made = nullptr;
  weir_error e;
  if (weir_engine_new(nullptr, &made, &e) != WEIR_OK) {
    std::cerr << e.text << "\n";
    return 1;
  }
  Handle<weir_engine> engine(made); /* ends last */
  try {
    ride(engine.get());
  } catch (const std::exception &why) {
    std::cerr << why.what() << "\n";
    return 1;
  }
  return 0;
}
