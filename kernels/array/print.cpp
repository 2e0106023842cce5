// Text of arrays, as NumPy prints them, and of what an evaluation does (explain).
#include "kernels/array/translate.hpp"

#include <prism/array/functions.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace prism {

using namespace array_detail;

namespace {

constexpr std::int64_t most_elements = 1000, edge = 3;
constexpr std::size_t line_width = 75;

/// The shortest digits that read back as the same number, at most 8 behind the point; how NumPy lays them
/// out.
struct real_format {
  bool exponential = false;
  int digits = 0;

  template <typename T>
  static int digits_of(T x, bool exponential) {
    char text[64];
    const auto format = exponential ? std::chars_format::scientific : std::chars_format::fixed;
    const auto shortest = std::to_chars(text, text + 63, x, std::chars_format::scientific);
    *shortest.ptr = 0;
    const char *point = std::find(text, shortest.ptr, '.'), *e = std::find(text, shortest.ptr, 'e');
    const int behind = point < e ? int(e - point) - 1 : 0;
    if (format == std::chars_format::scientific) return std::min(behind, 8);
    return std::clamp(behind - std::atoi(e + 1), 0, 8);
  }
  template <typename T>
  static real_format of(const std::vector<T>& all) {
    double high = 0, low = HUGE_VAL;
    for (const T x : all) {
      if (std::isfinite(x) && x != 0)
        high = std::max(high, double(std::fabs(x))), low = std::min(low, double(std::fabs(x)));
    }
    real_format f;
    f.exponential = high > 0 && (high >= 1e8 || low < 1e-4 || high / low > 1000 * 1e0 + 1e-9);
    if (high > 0 && high < 1e8 && low >= 1e-4 && high / low <= 1000) f.exponential = false;
    for (const T x : all) {
      if (std::isfinite(x)) f.digits = std::max(f.digits, digits_of(x, f.exponential));
    }
    return f;
  }
  template <typename T>
  std::string text(T x) const {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    char out[400];
    std::snprintf(out, sizeof out, exponential ? "%.*e" : "%.*f", digits, double(x));
    std::string s = out;
    if (digits == 0) s.insert(exponential ? s.find('e') : s.size(), ".");
    return s;
  }
};

template <typename T>
std::vector<std::string> texts_of(const std::vector<T>& all) {
  std::vector<std::string> out;
  if constexpr (std::is_floating_point_v<T>) {
    const real_format f = real_format::of(all);
    for (const T x : all) out.push_back(f.text(x));
    // NumPy pads a fixed number's fraction with spaces in place of zeros.
    if (!f.exponential)
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (!std::isfinite(all[i])) continue;
        for (std::size_t k = out[i].size(); k-- > 0 && out[i][k] == '0' && out[i].find('.') < k;)
          out[i][k] = ' ';
      }
  } else {
    for (const T x : all) out.push_back(std::to_string(x));
  }
  return out;
}

template <typename R>
std::vector<std::string> texts_of(const std::vector<std::complex<R>>& all) {
  std::vector<R> re, im;
  for (const std::complex<R> x : all) re.push_back(x.real()), im.push_back(std::fabs(x.imag()));
  const std::vector<std::string> left = texts_of(re), right = texts_of(im);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string imaginary = right[i];
    const std::size_t end = imaginary.find_last_not_of(' ') + 1;
    imaginary.insert(end, "j");
    out.push_back(left[i] + (std::signbit(all[i].imag()) ? "-" : "+") + imaginary);
  }
  return out;
}

std::vector<std::string> element_texts(const any_array& a) {
  switch (a.type()) {
    case dtype::boolean: {
      std::vector<std::string> out;
      for (const std::uint8_t x : a.to_vector<std::uint8_t>()) out.push_back(x ? "True" : "False");
      return out;
    }
    case dtype::int8: return texts_of(a.to_vector<std::int8_t>());
    case dtype::int16: return texts_of(a.to_vector<std::int16_t>());
    case dtype::int32: return texts_of(a.to_vector<std::int32_t>());
    case dtype::int64: return texts_of(a.to_vector<std::int64_t>());
    case dtype::uint8: return texts_of(a.to_vector<std::uint8_t>());
    case dtype::uint16: return texts_of(a.to_vector<std::uint16_t>());
    case dtype::uint32: return texts_of(a.to_vector<std::uint32_t>());
    case dtype::uint64: return texts_of(a.to_vector<std::uint64_t>());
    case dtype::float32: return texts_of(a.to_vector<float>());
    case dtype::float64: return texts_of(a.to_vector<double>());
    case dtype::complex64: return texts_of(a.to_vector<std::complex<float>>());
    default: return texts_of(a.to_vector<std::complex<double>>());
  }
}

struct layout {
  const extents& shape; // of the array
  const std::vector<std::string>& texts;
  bool shortened;
  std::string separator, indent;
  std::size_t next = 0;

  std::string dimension(int d) {
    if (d == shape.size()) return texts[next++];
    const std::int64_t n = shape[d];
    const bool is_cut = shortened && n > 2 * edge, is_last = d == shape.size() - 1;
    const std::string inner = indent + std::string(std::size_t(d) + 1, ' ');
    const std::string between =
        separator + std::string(std::size_t(std::max(shape.size() - d - 1, 1)), '\n') + inner;
    std::string out = "[", line;
    for (std::int64_t i = 0; i < (is_cut ? 2 * edge + 1 : n); ++i) {
      const std::string item = is_cut && i == edge ? "..." : dimension(d + 1);
      if (!is_last) {
        out += (i ? between : "") + item;
        continue;
      }
      if (i && inner.size() + line.size() + separator.size() + 1 + item.size() + 1 > line_width)
        out += line + separator + "\n" + inner, line = item;
      else line += (i ? separator + " " : "") + item;
    }
    return out + line + "]";
  }
};

std::string text_with(const any_array& a, const std::string& separator, const std::string& indent) {
  if (a.size() == 0) return "[]";
  any_array shown = a;
  const bool shortened = a.size() > most_elements;
  if (shortened)
    for (int d = 0; d < a.ndim(); ++d) {
      if (a.shape()[d] <= 2 * edge) continue;
      std::vector<index_item> first(std::size_t(d), every), last = first;
      first.push_back(slice{0, edge}), last.push_back(slice{-edge, {}});
      shown = concat({shown.view(first), shown.view(last)}, d);
    }
  std::vector<std::string> texts = element_texts(shown);
  std::size_t width = 0;
  for (const std::string& t : texts) width = std::max(width, t.size());
  const bool behind = is_floating(a.type()) || is_complex(a.type());
  for (std::string& t : texts) {
    if (a.ndim() == 0) t.erase(t.find_last_not_of(' ') + 1);
    else t.insert(0, width - t.size(), ' ');
    if (a.ndim() == 0 && behind && t.back() == '.') t += "0";
  }
  layout l{a.shape(), texts, shortened, separator, indent};
  return l.dimension(0);
}

} // namespace

std::string any_array::str() const { return text_with(*this, "", ""); }

std::string any_array::repr() const {
  const bool is_default = type() == dtype::boolean || type() == dtype::int64 || type() == dtype::float64 ||
                          type() == dtype::complex128;
  const std::string opening = "array(";
  return opening + text_with(*this, ",", std::string(opening.size(), ' ')) +
         (is_default && size() > 0 ? "" : std::string(", dtype=") + name_of(type())) + ")";
}

std::string array_detail::explain_typed(const extents& shape, dtype type, int operations, int arrays) {
  return "1 launch\n1. " + std::to_string(operations) + " operations in their C++ types on " +
         std::to_string(arrays) + " arrays, compiled with the program; writes " + text_of(shape) + " of " +
         name_of(type) + "\n";
}

std::string explain(const any_array& a) {
  const array_node& root = a.node();
  if (root.state == node_state::evaluated) return "no launch: the elements are in memory\n";
  static constexpr const char* kinds[] = {"64-bit integers", "unsigned 64-bit integers", "float",
                                          "double",          "complex of float",         "complex of double"};
  const node_ref& n = a.shared_node();
  const std::lock_guard guard(root.device.lock);
  std::vector<node_ref> launches;
  list_separate(n, launches);
  launches.push_back(n);
  std::string out = std::to_string(launches.size()) + (launches.size() == 1 ? " launch\n" : " launches\n");
  for (std::size_t k = 0; k < launches.size(); ++k) {
    const node_ref& one = launches[k];
    out += std::to_string(k + 1) + ". ";
    if (one->state == node_state::constant) {
      out += "fills " + text_of(one->shape) + " of " + name_of(one->type) + "\n";
      continue;
    }
    out += "at most " + std::to_string(one->steps - 1) + " fused operations in " + kinds[int(one->kind)] +
           " on " + std::to_string(one->leaves) + " arrays and " + std::to_string(one->constants) +
           " numbers; writes " + text_of(one->shape) + " of " + name_of(one->type) + "\n";
    if (root.device.fused) {
      program p{};
      arithmetic kind;
      translate(one, program_array{nullptr, {}, std::int32_t(one->type), 1}, p, kind);
      out += "   " + root.device.fused->explain(kind, p) + "\n";
    }
    if (one != n)
      out += std::string("   apart, because what needs it computes in ") + kinds[int(n->kind)] +
             ", or needs it converted to " + name_of(one->type) + "\n";
  }
  return out;
}

} // namespace prism
