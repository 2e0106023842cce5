// Finds the 64-bit numbers of a kernel that have no high word, so that 32 bits compute them.
//
// An id is a group's number times the group's size plus a local id, in 64 bits, because a launch may have
// more than 2^32 work-items. Few have. What the launch must meet for a number to be small is a limit.
// llvmpipe computes 64-bit numbers in two vectors and stores each before it reads an element: a transpose
// with `if (k < n)` took 2.5 times as long.
//
// For one module; one thread. Cost: linear in the module.
#pragma once

#include "devices/vulkan/lower/instructions.hpp"

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace prism::devices::vulkan::lower {

inline constexpr std::uint32_t no_dimension = 3;

/// The work-items of `dimension`, `plus` and the 64-bit numbers at `words` in the argument block have a sum
/// below 2^32.
struct number_limit {
  std::uint32_t dimension = no_dimension;
  std::uint64_t plus = 0;
  std::vector<std::uint32_t> words;
  bool operator==(const number_limit&) const = default;
};

/// What a caller knows of a module.
struct module_facts {
  std::function<const instruction*(id)> defined; // null: none
  /// The place in the argument block of a number that a 64-bit load reads.
  std::function<std::optional<std::uint32_t>(const instruction& load)> word_of_arguments;
  /// The offset of a member of the push constants.
  std::function<std::optional<std::uint32_t>(id pointer)> push_constant;
};

class small_numbers {
public:
  /// The limits are those for which the operands of comparisons, right shifts, divisions and conversions to
  /// floats are small.
  small_numbers(const std::vector<instruction>& all, module_facts facts);

  /// Whether the 64-bit number is below 2^32 in launches that meet the limits.
  bool is_small(id value);
  /// Whether `i` is such an instruction and its operands are small, so that it may compute with their low
  /// words, as numbers without a sign.
  bool has_small_operands(const instruction& i);
  const std::vector<number_limit>& limits() const { return m_limits; }

private:
  struct bound { // valid where the limits are met
    std::uint64_t most;
    std::vector<number_limit> limits;
  };
  using maybe = std::optional<bound>;
  struct sum {
    number_limit limit;
    std::vector<number_limit> others; // of its terms
    unsigned terms = 0;
    bool has_group = false, has_local = false; // a group's first work-item, a local id
  };
  void scan(const instruction& i);
  const maybe& bound_of(id value, unsigned depth = 0);
  maybe derive(const instruction& i, unsigned depth);
  maybe bound_of_sum(id value, unsigned depth);
  bool add_terms(id value, sum& to, unsigned depth);
  static bool add_dimension(std::uint32_t dimension, bool& has, sum& to);
  maybe bound_of_operand(id value);
  std::optional<std::uint32_t> argument(id value) const;
  std::optional<std::uint32_t> work_items(const instruction& product) const;
  std::optional<std::uint32_t> element_of(id value, word built_in) const;
  bool is_group_number(id value, std::uint32_t dimension) const;
  std::optional<std::uint64_t> known(id value) const;
  unsigned width(id value) const;
  std::vector<id> narrowed_operands(const instruction& i) const;
  void take_limits_of(const std::vector<id>& operands);

  module_facts m_facts;
  std::unordered_map<id, word> m_built_ins, m_spec_ids;
  std::unordered_map<id, unsigned> m_widths; // of integer types
  std::unordered_map<id, maybe> m_bounds;
  std::vector<number_limit> m_limits;
};

} // namespace prism::devices::vulkan::lower
