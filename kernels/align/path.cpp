// One read on the host.
#include "kernels/align/traceback.hpp"

#include <prism/align/path.hpp>

namespace prism::align {
namespace {

path with_gaps(const detail::window& of, std::uint32_t first_cell) {
  const detail::cell end{int(first_cell % longest_read), int(first_cell / longest_read)};
  const detail::band in = detail::band_to(of);
  std::vector<std::uint32_t> steps(std::size_t(end.row + 1) * std::size_t(in.words));
  detail::fill_band(of, end, in, steps.data());
  std::vector<std::pair<char, std::size_t>> backwards;
  const detail::cell begin = detail::walk(end, in, steps.data(), [&](detail::step how) {
    const char operation = detail::letter_of(how);
    if (backwards.empty() || backwards.back().first != operation) backwards.emplace_back(operation, 0);
    ++backwards.back().second;
  });
  return {std::size_t(begin.column), std::size_t(begin.row), {backwards.rbegin(), backwards.rend()}};
}

path path_in(const detail::window& of) {
  path out;
  const auto in_blocks = [&](int least, const auto& visit) {
    for (int first = 1 - of.length; first < of.width; first += detail::diagonals_of_block)
      if (detail::visit_diagonals(of, least, first, visit)) return true;
    return false;
  };
  if (in_blocks(of.matches(), [&](int diagonal) {
    const detail::gapless found = detail::on_diagonal(of, diagonal);
    if (found.end == 0) return false;
    out = {std::size_t(diagonal + found.begin),
           std::size_t(found.begin),
           {{'M', std::size_t(found.end - found.begin)}}};
    return true;
  }))
    return out;
  int lowest = of.width, highest = -of.length;
  in_blocks(of.matches_of_part(), [&](int diagonal) {
    if (detail::has_run(of, diagonal))
      lowest = std::min(lowest, diagonal), highest = std::max(highest, diagonal);
    return false;
  });
  constexpr std::uint32_t none = ~std::uint32_t(0);
  const std::uint32_t end =
      detail::first_cell<1>(of, of.length, detail::columns_around(of, lowest, highest), none);
  return end == none ? path{} : with_gaps(of, end);
}

} // namespace

path path_of(const std::vector<std::uint8_t>& read, const std::uint8_t* genome, const alignment& found) {
  if (read.empty() || found.count == 0) return {};
  if (read.size() > longest_read)
    prism::detail::refuse_view("align: a read of " + std::to_string(read.size()) + " bases; at most " +
                               std::to_string(longest_read) + " are supported");
  const auto known = std::count_if(read.begin(), read.end(), [](std::uint8_t base) { return base < 4; });
  const detail::window of{read.data(),      genome + found.first, int(read.size()),
                          int(found.count), int(known),           found.score};
  if (!of.possible()) return {};
  path out = path_in(of);
  if (!out.operations.empty()) out.position += found.first;
  return out;
}

} // namespace prism::align
