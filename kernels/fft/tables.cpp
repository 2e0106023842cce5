#include "kernels/fft/tables.hpp"

namespace prism::fft {

bool is_smooth(std::size_t n) {
  for (const std::size_t prime : {2, 3, 5, 7, 11, 13})
    while (n != 0 && n % prime == 0) n /= prime;
  return n == 1;
}

radices radices_of(std::size_t n, bool wide) {
  radices out;
  if (!is_smooth(n)) return out;
  std::size_t twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  // Levels of 8 points fit the registers best; a 16 or a 4 takes what three does not divide.
  if (twos % 3 == 1) {
    if (twos >= 4 && wide) out.push_back(16), twos -= 4;
    else if (twos >= 4) out.insert(out.end(), {4, 4}), twos -= 4;
    else out.push_back(2), twos -= 1;
  } else if (twos % 3 == 2) {
    out.push_back(4), twos -= 2;
  }
  for (; twos != 0; twos -= 3) out.push_back(8);
  for (const std::size_t radix : {9, 3, 5, 7, 11, 13})
    for (; (radix != 9 || wide) && n % radix == 0; n /= radix) out.push_back(radix);
  return out;
}

std::vector<std::int32_t> places_of(const radices& levels) {
  std::size_t n = 1;
  for (const std::size_t radix : levels) n *= radix;
  std::vector<std::int32_t> places(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t rest = k, size = n, place = 0;
    for (std::size_t level = levels.size(); level-- > 0;) {
      size /= levels[level];
      place += rest % levels[level] * size;
      rest /= levels[level];
    }
    places[k] = static_cast<std::int32_t>(place);
  }
  return places;
}

} // namespace prism::fft
