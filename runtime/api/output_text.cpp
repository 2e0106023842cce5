// Converts the records that kernels wrote to text: the conversions of printf, and the operands and
// manipulators of streams.
#include "runtime/api/output.hpp"

#include <cstdio>
#include <cstring>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

struct value {
  value_kind kind = value_kind::text;
  std::uint32_t bytes = 0;
  std::uint64_t bits = 0;
  std::string text;

  std::int64_t as_signed() const {
    switch (bytes) {
      case 1: return static_cast<std::int8_t>(bits);
      case 2: return static_cast<std::int16_t>(bits);
      case 4: return static_cast<std::int32_t>(bits);
      default: return static_cast<std::int64_t>(bits);
    }
  }
  std::uint64_t as_unsigned(std::uint32_t at_most = 8) const {
    const std::uint32_t n = std::min(bytes, at_most);
    return n >= 8 ? bits : bits & ((std::uint64_t(1) << (8 * n)) - 1);
  }
  double as_double() const {
    if (kind != value_kind::floating) return static_cast<double>(as_signed());
    if (bytes == 4) {
      float f = 0;
      const auto word = static_cast<std::uint32_t>(bits);
      std::memcpy(&f, &word, sizeof f);
      return f;
    }
    double d = 0;
    std::memcpy(&d, &bits, sizeof d);
    return d;
  }
};

/// Reads the values of one record.
class value_reader {
public:
  value_reader(const std::uint32_t* at, const std::uint32_t* end) : m_at(at), m_end(end) {}
  std::optional<value> next() {
    if (m_at >= m_end) return std::nullopt;
    value out;
    out.kind = static_cast<value_kind>(*m_at & 0xff);
    out.bytes = *m_at >> 8;
    ++m_at;
    const std::uint32_t words = words_for(out.bytes);
    if (words > static_cast<std::uint64_t>(m_end - m_at)) return std::nullopt; // damaged
    if (out.kind == value_kind::text) out.text.assign(reinterpret_cast<const char*>(m_at), out.bytes);
    else std::memcpy(&out.bits, m_at, std::min<std::size_t>(words * 4, 8));
    m_at += words;
    return out;
  }

private:
  const std::uint32_t* m_at;
  const std::uint32_t* m_end;
};

template <typename... Args>
std::string printed(const std::string& format, Args... args) {
  char small[64];
  const int length = std::snprintf(small, sizeof small, format.c_str(), args...);
  if (length < 0) return {};
  if (static_cast<std::size_t>(length) < sizeof small) return small;
  std::string out(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(out.data(), out.size(), format.c_str(), args...);
  out.pop_back();
  return out;
}

// ---- printf

struct conversion {
  std::string flags_and_size; // "%-08.3"
  std::uint32_t widest = 4;   // bytes to which the length modifier converts
  char letter = 0;
};

/// Parses a conversion after its '%'. A '*' reads a value. Returns the position after the conversion.
std::size_t parse_conversion(const std::string& format, std::size_t at, value_reader& values,
                             conversion& out) {
  out.flags_and_size = "%";
  while (at < format.size() && std::strchr("-+ #0123456789.*", format[at])) {
    if (format[at] == '*') {
      const auto size = values.next();
      out.flags_and_size += std::to_string(size ? size->as_signed() : 0);
    } else {
      out.flags_and_size += format[at];
    }
    ++at;
  }
  std::string modifier;
  while (at < format.size() && std::strchr("hlLqjzt", format[at])) modifier += format[at++];
  if (modifier == "hh") out.widest = 1;
  else if (modifier == "h") out.widest = 2;
  else if (!modifier.empty() && modifier != "hl") out.widest = 8;
  out.letter = at < format.size() ? format[at++] : '\0';
  return at;
}

std::string converted(const conversion& how, const value& what) {
  const std::string& start = how.flags_and_size;
  switch (how.letter) {
    case 'd':
    case 'i': {
      if (what.kind == value_kind::floating)
        return printed(start + "lld", static_cast<long long>(what.as_double()));
      value narrowed = what;
      narrowed.bytes =
          std::min(what.bytes, std::max(how.widest, 4u) == 4 && how.widest < 4 ? how.widest : what.bytes);
      const bool widened = what.kind == value_kind::unsigned_integer && what.bytes < 4; // promoted as in C
      return printed(start + "lld", widened ? static_cast<long long>(narrowed.as_unsigned())
                                            : static_cast<long long>(narrowed.as_signed()));
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      std::uint64_t bits = what.as_unsigned();
      if (what.kind == value_kind::signed_integer && what.bytes < 4)
        bits = static_cast<std::uint32_t>(what.as_signed());
      if (how.widest < 4) bits &= (std::uint64_t(1) << (8 * how.widest)) - 1;
      return printed(start + "ll" + how.letter, static_cast<unsigned long long>(bits));
    }
    case 'c': return printed(start + "c", static_cast<int>(what.bits & 0xff));
    case 's': return printed(start + "s", what.text.c_str());
    case 'p': return printed(start + "p", reinterpret_cast<void*>(what.bits));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return printed(start + how.letter, what.as_double());
    default: return start + how.letter;
  }
}

std::string formatted(value_reader values) {
  const auto format = values.next();
  if (!format) return {};
  std::string out;
  for (std::size_t at = 0; at < format->text.size();) {
    const char c = format->text[at++];
    if (c != '%') {
      out += c;
      continue;
    }
    if (at < format->text.size() && format->text[at] == '%') {
      out += '%';
      ++at;
      continue;
    }
    conversion how;
    at = parse_conversion(format->text, at, values, how);
    const auto argument = values.next();
    out += argument ? converted(how, *argument) : how.flags_and_size + how.letter;
  }
  return out;
}

// ---- stream

/// The text of one work-item since its last flush, and its format flags.
struct item_text {
  std::string pending;
  char base = 'd';
  bool show_base = false, show_sign = false;
  int width = 0, precision = -1;
  char floats = 'g';

  void reset() {
    base = 'd';
    width = 0;
    precision = -1;
    floats = 'g';
  }
  std::string start() const {
    std::string out = "%";
    if (show_base && base != 'd') out += '#';
    if (show_sign) out += '+';
    if (width > 0) out += std::to_string(width);
    return out;
  }
  void add(const value& v);
  /// Applies a manipulator. Returns true for a flush.
  bool manipulate(std::int32_t code, std::int32_t argument);
};

void item_text::add(const value& v) {
  const std::string padded = width > 0 ? "%" + std::to_string(width) + "s" : "%s";
  switch (v.kind) {
    case value_kind::text: pending += width > 0 ? printed(padded, v.text.c_str()) : v.text; break;
    case value_kind::boolean: pending += printed(padded, v.bits ? "true" : "false"); break;
    case value_kind::character: pending += static_cast<char>(v.bits); break;
    case value_kind::pointer:
      pending += printed(padded, printed("0x%llx", static_cast<unsigned long long>(v.bits)).c_str());
      break;
    case value_kind::signed_integer:
      pending += base == 'd'
                     ? printed(start() + "lld", static_cast<long long>(v.as_signed()))
                     : printed(start() + "ll" + base, static_cast<unsigned long long>(v.as_unsigned()));
      break;
    case value_kind::unsigned_integer:
      if (base == 'd') pending += printed(start() + "llu", static_cast<unsigned long long>(v.as_unsigned()));
      else pending += printed(start() + "ll" + base, static_cast<unsigned long long>(v.as_unsigned()));
      break;
    case value_kind::floating: {
      std::string format = "%";
      if (show_sign) format += '+';
      if (width > 0) format += std::to_string(width);
      if (precision >= 0 && floats != 'a') format += "." + std::to_string(precision);
      pending += printed(format + floats, v.as_double());
      break;
    }
    case value_kind::manipulator: break;
  }
}

enum code : std::int32_t { // in the order of sycl::stream_manipulator, then the manipulators with an argument
  flush,
  dec,
  hex,
  oct,
  noshowbase,
  showbase,
  noshowpos,
  showpos,
  endl,
  fixed,
  scientific,
  hexfloat,
  defaultfloat,
  set_width = 100,
  set_precision = 101
};
static_assert(static_cast<int>(stream_manipulator::endl) == endl &&
              static_cast<int>(stream_manipulator::defaultfloat) == defaultfloat && width_code == set_width &&
              precision_code == set_precision);

bool item_text::manipulate(std::int32_t which, std::int32_t argument) {
  switch (which) {
    case flush: return true;
    case endl: pending += '\n'; return true;
    case dec: base = 'd'; break;
    case hex: base = 'x'; break;
    case oct: base = 'o'; break;
    case noshowbase: show_base = false; break;
    case showbase: show_base = true; break;
    case noshowpos: show_sign = false; break;
    case showpos: show_sign = true; break;
    case fixed: floats = 'f'; break;
    case scientific: floats = 'e'; break;
    case hexfloat: floats = 'a'; break;
    case defaultfloat: floats = 'g'; break;
    case set_width: width = argument; break;
    case set_precision: precision = argument; break;
    default: break;
  }
  return false;
}

class stream_text {
public:
  void add(std::uint32_t item, value_reader values, std::string& out) {
    const auto [place, is_new] = m_index.try_emplace(item, m_items.size());
    if (is_new) m_items.emplace_back();
    item_text& text = m_items[place->second];
    const auto what = values.next();
    if (!what) return;
    if (what->kind != value_kind::manipulator) return text.add(*what);
    if (!text.manipulate(static_cast<std::int32_t>(what->bits), static_cast<std::int32_t>(what->bits >> 32)))
      return;
    out += text.pending;
    text.pending.clear();
    text.reset();
  }
  /// Appends the text that was not flushed: the end of the kernel flushes it.
  void finish(std::string& out) {
    for (const item_text& text : m_items) out += text.pending;
  }

private:
  std::unordered_map<std::uint32_t, std::size_t> m_index;
  std::vector<item_text> m_items; // in order of their first fragment
};

} // namespace

std::string output_text(const std::uint32_t* words, std::uint64_t bytes, std::string& assertions) {
  std::string out;
  stream_text streams;
  const std::uint32_t* const end = words + bytes / 4;
  for (const std::uint32_t* at = words; at < end;) {
    if ((*at & 0xff) != record_mark) { // a word of plain text
      const char* text = reinterpret_cast<const char*>(at++);
      for (int i = 0; i < 4; ++i) {
        if (text[i] != 0) assertions += text[i];
      }
      continue;
    }
    const std::uint32_t length = *at >> 12;
    if (length < 2 || length > static_cast<std::uint64_t>(end - at)) break; // the block was too small for it
    const auto kind = static_cast<record_kind>(*at >> 8 & 0xf);
    if (kind == record_kind::formatted) out += formatted(value_reader(at + 1, at + length));
    else if (kind == record_kind::fragment) streams.add(at[1], value_reader(at + 2, at + length), out);
    at += length;
  }
  streams.finish(out);
  return out;
}

}
}
} // namespace sycl::_V1::detail
