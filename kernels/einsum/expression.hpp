// Expressions of <prism/einsum.hpp> as data, and the order of their contractions. Pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace prism::einsum {

/// The name of a dimension: a letter, or -1, -2, ... for those of "...", from the last one on.
using label = int;
using labels = std::vector<label>;

struct expression {
  std::vector<labels> in;
  labels out;
  std::map<label, std::size_t> extent;
};

/// Reads the text for operands of these extents. Throws errc::invalid.
expression parsed(const std::string& text, const std::vector<std::vector<std::size_t>>& extents);

/// "ij": labels of "..." are digits.
std::string text_of(const labels& names);

bool has(const labels& of, label which);
/// Those of a, then those of b that a lacks.
labels joined(const labels& a, const labels& b);

/// Positions in a list of operands: both are taken out, and the result of the pair is appended.
using contraction = std::pair<std::size_t, std::size_t>;
/// In which order pairs are contracted. `operands` have no label twice.
///
/// Up to 8 operands: the fewest multiplications, by dynamic programming over subsets (Pfeifer, Haegeman &
/// Verstraete 2014, "Faster identification of optimal contraction sequences for tensor networks"). More: the
/// pair whose result is smallest in relation to its operands first (Smith & Gray 2018, "opt_einsum").
std::vector<contraction> path_of(const std::vector<labels>& operands, const expression& whole);

/// Labels of a pair by their role. Batch: both have them and they remain; summed: both have them.
struct roles {
  labels batch, left, right, summed, only_left, only_right; // only_...: summed over before
  std::size_t batches = 1, rows = 1, columns = 1, terms = 1;
  bool is_product() const { return terms > 1 && (rows > 1 || columns > 1); }
};
roles roles_of(const labels& a, const labels& b, const labels& kept,
               const std::map<label, std::size_t>& extent);
/// The labels that operands other than positions i and j, and the result, have.
labels needed_by_others(const std::vector<labels>& operands, std::size_t i, std::size_t j, const labels& out);

} // namespace prism::einsum
