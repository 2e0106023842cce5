#include "kernels/array/npy_format.hpp"

#include <sycl/exception.hpp>

#include <algorithm>
#include <bit>

namespace prism::npy {
namespace {

[[noreturn]] void refuse_file(const std::string& why) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "npy: " + why);
}

/// NumPy's letter and the number of bytes.
std::string code_of(dtype type) {
  const char* letter = type == dtype::boolean ? "b"
                       : is_complex(type)     ? "c"
                       : is_floating(type)    ? "f"
                       : is_unsigned(type)    ? "u"
                                              : "i";
  return letter + std::to_string(size_of(type));
}
constexpr bool is_little = std::endian::native == std::endian::little;

/// The dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }, of which every key is needed.
class dictionary {
public:
  explicit dictionary(std::string_view text) : m_text(text) {}

  header read() {
    header h;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key(quoted());
      expect(':');
      if (key == "descr" && !has_type) has_type = type(h);
      else if (key == "fortran_order" && !has_order) has_order = order(h);
      else if (key == "shape" && !has_shape) has_shape = shape(h);
      else
        refuse_file("the header has the key '" + key +
                    "' where descr, fortran_order and shape are expected once");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (m_at != m_text.size()) refuse_file("text follows the header's dictionary");
    if (!has_type || !has_order || !has_shape) refuse_file("the header lacks descr, fortran_order or shape");
    return h;
  }

private:
  void skip() {
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t'))
      ++m_at;
  }
  bool accept(char c) {
    skip();
    if (m_at == m_text.size() || m_text[m_at] != c) return false;
    ++m_at;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      refuse_file(std::string("the header has no '") + c + "' at its byte " + std::to_string(m_at));
  }
  std::string_view quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = m_text.find(quote, m_at);
    if (end == std::string_view::npos) refuse_file("a text in the header has no end");
    const std::string_view found = m_text.substr(m_at, end - m_at);
    m_at = end + 1;
    return found;
  }
  bool type(header& h) {
    skip();
    if (m_at < m_text.size() && m_text[m_at] == '[')
      refuse_file("the elements are structures; no array has them");
    const std::string_view name = quoted();
    for (int i = 0; i < dtype_count && name.size() > 1; ++i) {
      const dtype each = static_cast<dtype>(i);
      if (name.substr(1) != code_of(each)) continue;
      const char order = name.front();
      if (order != '<' && order != '>' && order != '=' && order != '|') break;
      if (order == '|' && size_of(each) > 1) break;
      h.type = each;
      h.is_swapped = size_of(each) > 1 && (order == '<' || order == '>') && (order == '<') != is_little;
      return true;
    }
    refuse_file("no array has elements of the type '" + std::string(name) + "'");
  }
  bool order(header& h) {
    skip();
    for (const bool value : {true, false}) {
      const std::string_view name = value ? "True" : "False";
      if (m_text.substr(m_at, name.size()) != name) continue;
      m_at += name.size();
      h.is_column_major = value;
      return true;
    }
    refuse_file("fortran_order is neither True nor False");
  }
  std::int64_t number() {
    skip();
    std::int64_t n = 0;
    const std::size_t first = m_at;
    for (; m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9'; ++m_at)
      if (__builtin_mul_overflow(n, std::int64_t(10), &n) ||
          __builtin_add_overflow(n, m_text[m_at] - '0', &n))
        refuse_file("an extent is larger than 2^63 - 1");
    if (m_at == first) refuse_file("the shape has something else than whole numbers");
    if (m_at < m_text.size() && m_text[m_at] == 'L') ++m_at; // Python 2
    return n;
  }
  bool shape(header& h) {
    expect('(');
    while (!accept(')')) {
      if (h.shape.size() == max_rank)
        refuse_file("the array has more than " + std::to_string(max_rank) + " dimensions");
      h.shape.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return true;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

constexpr std::string_view magic("\x93NUMPY", 6);

} // namespace

header parse(std::string_view file) {
  if (file.size() < 10 || file.substr(0, 6) != magic) refuse_file("the file does not begin as NumPy's do");
  const auto byte = [&](std::size_t i) { return std::size_t(static_cast<unsigned char>(file[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    refuse_file("the file has version " + std::to_string(version) +
                " of the format; versions 1 to 3 are known");
  const std::size_t begin = version == 1 ? 10 : 12;
  if (file.size() < begin) refuse_file("the file ends in its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - begin) refuse_file("the file ends in its header");
  header h = dictionary(file.substr(begin, length)).read();
  h.data = begin + length;
  if (!is_addressable(h.shape, size_of(h.type)))
    refuse_file("the shape " + text_of(h.shape) + " is larger than memory can be");
  const std::int64_t bytes = h.shape.product() * static_cast<std::int64_t>(size_of(h.type));
  if (static_cast<std::uint64_t>(bytes) > file.size() - h.data)
    refuse_file("the file has " + std::to_string(file.size() - h.data) + " bytes of elements; the shape " +
                text_of(h.shape) + " of " + name_of(h.type) + " has " + std::to_string(bytes));
  return h;
}

std::string text_of_header(dtype type, const extents& shape) {
  const char order = size_of(type) == 1 ? '|' : is_little ? '<' : '>';
  std::string text = "{'descr': '" + (order + code_of(type)) +
                     "', 'fortran_order': False, 'shape': " + text_of(shape) + ", }";
  const std::size_t before = 10;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void swap_bytes(char* elements, std::size_t count, dtype type) {
  const std::size_t part = size_of(type) / (is_complex(type) ? 2 : 1);
  const std::size_t parts = count * size_of(type) / part;
  for (std::size_t i = 0; i < parts; ++i) std::reverse(elements + i * part, elements + (i + 1) * part);
}

} // namespace prism::npy
