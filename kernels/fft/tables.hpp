// The numbers that a plan's kernels read: roots of unity and places, all of a plan in one array of each type.
// Roots are computed in long double from angles below 45 degrees, so that each is the nearest number of its
// type but for rare ties; none comes from a recurrence.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace prism::fft {

/// exp(-2 pi i k / n).
struct root {
  long double cosine, sine;
  root(std::uint64_t k, std::uint64_t n) {
    k %= n;
    // k / n of a turn is `eighths` eighths of it and a rest between -1/16 and 1/16.
    const auto wide = static_cast<unsigned __int128>(k) * 8;
    const auto eighths = static_cast<std::uint64_t>((wide + n / 2) / n);
    const auto rest =
        static_cast<long double>(static_cast<__int128>(wide) - static_cast<__int128>(eighths) * n);
    const long double angle = rest / static_cast<long double>(n) * (std::numbers::pi_v<long double> / 4);
    const long double c = std::cos(angle), s = std::sin(angle), h = std::numbers::sqrt2_v<long double> / 2;
    switch (eighths % 8) {
      case 0: cosine = c, sine = -s; break;
      case 1: cosine = h * (c - s), sine = -h * (c + s); break;
      case 2: cosine = -s, sine = -c; break;
      case 3: cosine = -h * (c + s), sine = h * (s - c); break;
      case 4: cosine = -c, sine = s; break;
      case 5: cosine = h * (s - c), sine = h * (c + s); break;
      case 6: cosine = s, sine = c; break;
      default: cosine = h * (c + s), sine = h * (c - s); break;
    }
  }
};

using radices = std::vector<std::size_t>;

/// The factors of n that butterflies have, in the order of the levels; empty if n is 1 or has a prime factor
/// above 13 (`is_smooth`). `wide`: with 9 and 16, of which not every device has enough registers.
radices radices_of(std::size_t n, bool wide = true);
bool is_smooth(std::size_t n);

/// Where the points of a transform by these levels are put: point k goes to row result[k].
std::vector<std::int32_t> places_of(const radices& levels);

template <typename Real>
class tables {
public:
  std::vector<Real> reals;
  std::vector<std::int32_t> ints;

  std::uint32_t begin() const {
    if (reals.size() >= 0xfffffff0u)
      throw std::length_error("a transform's tables have more than 2^32 numbers");
    return static_cast<std::uint32_t>(reals.size());
  }
  void add(const root& r) { reals.push_back(Real(r.cosine)), reals.push_back(Real(r.sine)); }

  std::uint32_t add_places(const radices& levels) {
    const auto first = static_cast<std::uint32_t>(ints.size());
    const std::vector<std::int32_t> places = places_of(levels);
    ints.insert(ints.end(), places.begin(), places.end());
    ints.push_back(static_cast<std::int32_t>(places.size())); // the point behind the last, of real transforms
    return first;
  }
  /// For each level but the first, for each of its points, radix - 1 roots.
  std::uint32_t add_twiddles(const radices& levels) {
    const std::uint32_t first = begin();
    std::size_t size = 1;
    for (const std::size_t radix : levels) {
      if (size > 1)
        for (std::size_t k = 0; k < size; ++k)
          for (std::size_t j = 1; j < radix; ++j) add(root(j * k, size * radix));
      size *= radix;
    }
    return first;
  }
  /// Roots k of n, k from 0 to count - 1.
  std::uint32_t add_roots(std::size_t n, std::size_t count) {
    const std::uint32_t first = begin();
    for (std::size_t k = 0; k < count; ++k) add(root(k, n));
    return first;
  }
  /// For rows k the roots k (lane) of n as two vectors: cosines, sines.
  std::uint32_t add_vectors(std::size_t n, std::size_t rows, std::size_t width) {
    const std::uint32_t first = begin();
    for (std::size_t k = 0; k < rows; ++k) {
      for (std::size_t l = 0; l < width; ++l) reals.push_back(Real(root(k * l, n).cosine));
      for (std::size_t l = 0; l < width; ++l) reals.push_back(Real(root(k * l, n).sine));
    }
    return first;
  }
  /// For each block of `width` columns, for each row k, the root k (first column) of n.
  std::uint32_t add_blocks(std::size_t n, std::size_t rows, std::size_t columns, std::size_t width) {
    const std::uint32_t first = begin();
    for (std::size_t column = 0; column < columns; column += width)
      for (std::size_t k = 0; k < rows; ++k) add(root(k * column, n));
    return first;
  }
};

} // namespace prism::fft
