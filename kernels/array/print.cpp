// Text of arrays, as NumPy prints them, and of what an evaluation does (explain). The rules of the text are
// those of numpy/core/arrayprint.py with its default options.
#include "kernels/array/translate.hpp"

#include <prism/array/functions.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace prism {

using namespace array_detail;

namespace {

constexpr std::int64_t most_elements = 1000, edge = 3;
constexpr std::size_t line_width = 75;
constexpr int most_places = 8; // behind the point

/// The shortest decimal digits that read back as the same number of its type: 0.d1d2d3... * 10^point.
struct decimal {
  std::string digits;
  int point;

  template <typename T>
  static decimal of(T size) {
    char text[64];
    const char* end = std::to_chars(text, text + 63, size, std::chars_format::scientific).ptr;
    const char* e = std::find(text, const_cast<char*>(end), 'e');
    decimal d{std::string(1, text[0]), 0};
    if (e - text > 2) d.digits.append(static_cast<const char*>(text) + 2, e);
    d.point = std::atoi(std::string(e + 1, end).c_str()) + 1;
    if (size == 0) d.point = 1;
    return d;
  }
};

/// A number as digits with a point: exact before it, and at most `places` digits behind it; if that is
/// negative, the shortest digits of all.
template <typename T>
std::string positional(T x, int places) {
  const decimal d = decimal::of(std::fabs(x));
  const int count = int(d.digits.size());
  std::string out;
  if (places >= 0 && x != 0 && (count - d.point > places || d.point > count)) {
    char text[400];
    std::snprintf(text, sizeof text, "%#.*f", places, double(std::fabs(x)));
    out = text;
    out.erase(out.find_last_not_of('0') + 1);
  } else if (d.point <= 0) out = "0." + std::string(std::size_t(-d.point), '0') + d.digits;
  else if (d.point >= count) out = d.digits + std::string(std::size_t(d.point - count), '0') + ".";
  else out = d.digits.substr(0, std::size_t(d.point)) + "." + d.digits.substr(std::size_t(d.point));
  return (std::signbit(x) ? "-" : "") + out;
}

/// A number with an exponent: exactly `places` digits behind the point, and at least `exponent_digits`.
template <typename T>
std::string with_exponent(T x, int places, int exponent_digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", places, double(x));
  std::string out = text;
  const std::size_t e = out.find('e');
  const int missing = exponent_digits - int(out.size() - e - 2);
  if (missing > 0) out.insert(e + 2, std::size_t(missing), '0');
  if (places == 0) out.insert(e, ".");
  return out;
}
/// How many digits behind the point a number with an exponent needs, at most `most_places`.
template <typename T>
int places_of(T x) {
  const int needed = int(decimal::of(std::fabs(x)).digits.size()) - 1;
  if (needed <= most_places) return needed;
  const std::string text = with_exponent(x, most_places, 0);
  const std::size_t e = text.find('e');
  return int(text.find_last_not_of('0', e - 1) - text.find('.'));
}

/// How NumPy lays out the numbers of an array (FloatingFormat in numpy/core/arrayprint.py): exponents for
/// all or for none, and points below each other.
template <typename T>
class real_format {
public:
  real_format(const std::vector<T>& all, bool plus) : m_plus(plus) {
    bool negative_infinity = plus, finite = true;
    T high = 0, low = std::numeric_limits<T>::infinity();
    for (const T x : all) {
      finite = finite && std::isfinite(x);
      negative_infinity = negative_infinity || (std::isinf(x) && x < 0);
      if (std::isfinite(x) && x != 0) high = std::max(high, std::fabs(x)), low = std::min(low, std::fabs(x));
    }
    m_exponents = high > 0 && (high >= T(1e8) || double(low) < 1e-4 || high / low > T(1000));
    for (const T x : all)
      if (std::isfinite(x) && m_exponents) m_places = std::max(m_places, places_of(x));
    bool any = false;
    for (const T x : all) {
      if (!std::isfinite(x)) continue;
      const std::string text = of_finite(x);
      const std::size_t point = text.find('.'), e = m_exponents ? text.find('e') : text.size();
      if (m_exponents) m_exponent_digits = std::max(m_exponent_digits, int(text.size() - e) - 2);
      m_left = std::max(m_left, point), m_right = std::max(m_right, e - point - 1);
      any = true;
    }
    if (m_exponents) m_right = std::size_t(m_exponent_digits + 2 + m_places);
    if (finite) return;
    const std::size_t behind = (any ? m_right : 0) + 1, longest = negative_infinity ? 4 : 3;
    m_left = std::max(m_left, longest > behind ? longest - behind : 0);
  }
  std::string text(T x) const {
    std::string out;
    if (std::isfinite(x)) {
      out = of_finite(x);
      const std::size_t point = out.find('.');
      out.insert(0, std::max(m_left, point) - point, ' ');
      if (!m_exponents) out.resize(std::max(out.size(), m_left + 1 + m_right), ' ');
      return out;
    }
    out = std::isnan(x) ? (m_plus ? "+nan" : "nan") : x < 0 ? "-inf" : m_plus ? "+inf" : "inf";
    const std::size_t width = m_left + m_right + 1;
    return out.insert(0, width > out.size() ? width - out.size() : 0, ' ');
  }

private:
  std::string of_finite(T x) const {
    const std::string out =
        m_exponents ? with_exponent(x, m_places, m_exponent_digits) : positional(x, most_places);
    return (m_plus && !std::signbit(x) ? "+" : "") + out;
  }

  bool m_plus, m_exponents = false;
  int m_places = 0, m_exponent_digits = 0;
  std::size_t m_left = 0, m_right = 0; // characters before and behind the point
};

/// Of NumPy's scalars: the shortest digits, with an exponent below 1e-4 and from 1e16 on.
template <typename T>
std::string scalar_text(T x, bool trims_zero) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  const double size = std::fabs(double(x));
  if (size == 0 || (size >= 1e-4 && size < 1e16)) {
    std::string out = positional(x, -1);
    if (out.back() == '.') trims_zero ? out.pop_back() : out.push_back('0');
    return out;
  }
  std::string out = with_exponent(x, int(decimal::of(T(size)).digits.size()) - 1, 0);
  if (const std::size_t point = out.find(".e"); point != std::string::npos) out.erase(point, 1);
  return out;
}
template <typename T>
std::string scalar_text(T x) {
  if constexpr (std::is_floating_point_v<T>) return scalar_text(x, false);
  else return std::to_string(x);
}
template <typename R>
std::string scalar_text(std::complex<R> x) {
  const std::string imaginary = scalar_text(x.imag(), true) + "j";
  if (x.real() == 0 && !std::signbit(x.real())) return imaginary;
  return "(" + scalar_text(x.real(), true) + (imaginary[0] == '-' ? "" : "+") + imaginary + ")";
}

template <typename T>
std::vector<std::string> texts_of(const std::vector<T>& all) {
  std::vector<std::string> out;
  if constexpr (std::is_floating_point_v<T>) {
    const real_format<T> f(all, false);
    for (const T x : all) out.push_back(f.text(x));
  } else {
    std::size_t width = 0;
    for (const T x : all) {
      out.push_back(std::to_string(x));
      width = std::max(width, out.back().size());
    }
    for (std::string& text : out) text.insert(0, width - text.size(), ' ');
  }
  return out;
}

template <typename R>
std::vector<std::string> texts_of(const std::vector<std::complex<R>>& all) {
  std::vector<R> real, imaginary;
  for (const std::complex<R> x : all) real.push_back(x.real()), imaginary.push_back(x.imag());
  const real_format<R> left(real, false), right(imaginary, true);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string behind = right.text(imaginary[i]);
    behind.insert(behind.find_last_not_of(' ') + 1, "j");
    out.push_back(left.text(real[i]) + behind);
  }
  return out;
}

/// Calls `use` with the elements, but those of bool as std::uint8_t.
template <typename Use>
auto with_elements(const any_array& a, const Use& use) {
  switch (a.type()) {
    case dtype::boolean: return use(a.to_vector<std::uint8_t>());
    case dtype::int8: return use(a.to_vector<std::int8_t>());
    case dtype::int16: return use(a.to_vector<std::int16_t>());
    case dtype::int32: return use(a.to_vector<std::int32_t>());
    case dtype::int64: return use(a.to_vector<std::int64_t>());
    case dtype::uint8: return use(a.to_vector<std::uint8_t>());
    case dtype::uint16: return use(a.to_vector<std::uint16_t>());
    case dtype::uint32: return use(a.to_vector<std::uint32_t>());
    case dtype::uint64: return use(a.to_vector<std::uint64_t>());
    case dtype::float32: return use(a.to_vector<float>());
    case dtype::float64: return use(a.to_vector<double>());
    case dtype::complex64: return use(a.to_vector<std::complex<float>>());
    default: return use(a.to_vector<std::complex<double>>());
  }
}

std::vector<std::string> element_texts(const any_array& a) {
  return with_elements(a, [&](const auto& all) {
    if (a.type() != dtype::boolean) return texts_of(all);
    std::vector<std::string> out;
    for (const auto x : all) out.push_back(x != decltype(x)(0) ? a.ndim() == 0 ? "True" : " True" : "False");
    return out;
  });
}

void strip_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

/// Rows, brackets and lines (_formatArray in numpy/core/arrayprint.py). A line has room for the brackets that
/// may close behind it.
struct layout {
  const extents& shape; // of the array
  const std::vector<std::string>& texts;
  bool shortened;
  std::string separator; // without the space behind it
  std::size_t width;
  std::size_t next = 0;

  std::string dimension(int d, const std::string& indent) {
    if (d == shape.size()) return texts[next++];
    const std::int64_t n = shape[d];
    const bool is_cut = shortened && n > 2 * edge, is_last = d == shape.size() - 1;
    const std::string between = separator + std::string(std::size_t(shape.size() - d - 1), '\n');
    const std::size_t room = width - std::size_t(shape.size());
    std::string out, line = indent;
    for (std::int64_t i = 0; i < (is_cut ? 2 * edge + 1 : n); ++i) {
      const std::string item = is_cut && i == edge ? "..." : dimension(d + 1, indent + ' ');
      if (!is_last) {
        out += (i ? between : std::string()) + indent + item;
        continue;
      }
      if (i) line += separator + ' ';
      if (line.size() > indent.size() && line.size() + item.size() > room) {
        strip_end(line);
        out += line + "\n", line = indent;
      }
      line += item;
    }
    if (is_last) out += line;
    return "[" + out.substr(indent.size()) + "]";
  }
};

/// `before` and `behind`: how many characters are written around the text.
std::string text_with(const any_array& a, const std::string& separator, std::size_t before,
                      std::size_t behind) {
  any_array shown = a;
  const bool shortened = a.size() > most_elements;
  if (shortened)
    for (int d = 0; d < a.ndim(); ++d) {
      if (a.shape()[d] <= 2 * edge) continue;
      std::vector<index_item> first(std::size_t(d), every), last = first;
      first.push_back(slice{0, edge}), last.push_back(slice{-edge, {}});
      shown = concat({shown.view(first), shown.view(last)}, d);
    }
  const std::vector<std::string> texts = element_texts(shown);
  layout l{a.shape(), texts, shortened, separator, line_width - behind};
  return l.dimension(0, std::string(before + 1, ' '));
}

} // namespace

std::string any_array::str() const {
  if (size() == 0) return "[]";
  if (ndim() > 0) return text_with(*this, "", 0, 0);
  return with_elements(*this, [&](const auto& all) {
    if (type() == dtype::boolean) return element_texts(*this)[0];
    return scalar_text(all[0]);
  });
}

std::string any_array::repr() const {
  const bool is_default = type() == dtype::boolean || type() == dtype::int64 || type() == dtype::float64 ||
                          type() == dtype::complex128;
  const bool names_type = !is_default || size() == 0;
  const std::string opening = "array(";
  std::string out = opening;
  if (size() > 0) out += text_with(*this, ",", opening.size(), 1);
  else out += ndim() == 1 ? "[]" : "[], shape=" + text_of(shape());
  if (!names_type) return out + ")";
  out += ",";
  const std::string last = std::string("dtype=") + name_of(type()) + ")";
  const std::size_t line = out.size() - (out.rfind('\n') + 1);
  return out + (line + last.size() + 1 > line_width ? "\n" + std::string(opening.size(), ' ') : " ") + last;
}

std::string array_detail::explain_typed(const extents& shape, dtype type, int operations, int arrays) {
  return "1 launch\n1. " + std::to_string(operations) + " operations in their C++ types on " +
         std::to_string(arrays) + " arrays, compiled with the program; writes " + text_of(shape) + " of " +
         name_of(type) + "\n";
}

namespace {

constexpr const char* kinds[] = {"64-bit integers", "unsigned 64-bit integers", "float",
                                 "double",          "complex of float",         "complex of double"};

std::string counted(std::int64_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// How the reduction ran that wrote the memory.
std::string reduction_text(const fold_report& f) {
  static constexpr const char* folds[] = {"",
                                          "sum",
                                          "product",
                                          "minimum",
                                          "maximum",
                                          "any",
                                          "all",
                                          "position of the minimum",
                                          "position of the maximum"};
  std::string out = std::string("the ") + folds[int(f.op)] + " of " + counted(f.elements, "element") +
                    " in " + counted(f.results, "result");
  if (f.apart > 0)
    out += ", after " + std::to_string(f.apart) + " launches of operands in another arithmetic";
  if (f.how.launches == 0) out += ", on the calling thread, because a launch takes longer";
  else if (f.how.launches == 1) out += ", in 1 launch";
  else out += ", in " + std::to_string(f.how.launches) + " launches";
  if (f.parts > 1)
    out += std::string(", in ") + std::to_string(f.parts) + " parts of each result" +
           (f.how.launches < 2 ? ", which the work-item that ended last folded" : "");
  out += "\n   ";
  if (f.steps == 0) return out + "its elements are those of an array\n";
  out += counted(f.steps, "fused operation") + " in " + kinds[int(f.kind)] + " on " +
         counted(f.leaves, "array") + " and " + counted(f.constants, "number");
  if (f.how.stores_elements)
    return out +
           ", whose elements had a launch and were stored, because its steps are too many for one kernel\n";
  return out + ", with the fold: the elements were not stored\n";
}

/// The reductions among the operands of a recorded expression.
void list_reductions(const array_node& n, std::vector<const storage*>& out) {
  if (n.state == node_state::evaluated && n.memory->fold.elements > 0 &&
      std::find(out.begin(), out.end(), n.memory.get()) == out.end())
    out.push_back(n.memory.get());
  for (int k = 0; n.state == node_state::recorded && k < n.operands; ++k) list_reductions(*n.operand[k], out);
}

} // namespace

std::string explain(const any_array& a) {
  const array_node& root = a.node();
  std::vector<const storage*> reductions;
  list_reductions(root, reductions);
  std::string before;
  for (const storage* each : reductions) before += "before: " + reduction_text(each->fold);
  if (root.state == node_state::evaluated) return "no launch: the elements are in memory\n" + before;
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
  return out + before;
}

} // namespace prism
