// Calls on half and bfloat16: they are computed in float from copies of their operands, and each element of a
// result is rounded once. A copy has the elements that are apart in memory, so that strides of 0 stay.
#pragma once

#include "kernels/nn/operands.hpp"

namespace prism::nn {

using prism::detail::tensor_operand;

/// Whether the type is PRISM_F16 or PRISM_BF16.
bool is_narrow(std::int32_t type);

/// Floats for the elements of `like`, which has at most four dimensions.
tensor_operand floats_like(const tensor_operand& like);
/// to = from, in float. Submits, does not wait.
sycl::event widen(sycl::queue& queue, const tensor_operand& from, const tensor_operand& to,
                  const std::vector<sycl::event>& depends);
/// to = from, rounded. Submits, does not wait.
sycl::event narrow(sycl::queue& queue, const tensor_operand& from, const tensor_operand& to,
                   const std::vector<sycl::event>& depends);

template <typename What>
using operands_of = std::initializer_list<tensor_operand What::*>;

/// Calls run(what, depends) with floats in the places of the operands that are read and of those that are
/// written. Operands that a call leaves out have no memory and stay so.
template <typename What, typename Run>
sycl::event in_floats(sycl::queue& queue, What what, operands_of<What> read, operands_of<What> written,
                      const std::vector<sycl::event>& depends, const Run& run) {
  const auto is_there = [](const tensor_operand& t) { return t.where.pointer || t.where.buffer; };
  std::vector<sycl::event> before = depends;
  const What asked = what;
  for (const auto each : read)
    if (is_there(asked.*each)) {
      what.*each = floats_like(asked.*each);
      before.push_back(widen(queue, asked.*each, what.*each, depends));
    }
  for (const auto each : written) what.*each = floats_like(asked.*each);
  std::vector<sycl::event> done{run(what, before)};
  for (const auto each : written) done.push_back(narrow(queue, what.*each, asked.*each, {done[0]}));
  return done.size() == 2 ? done[1] : queue.ext_oneapi_submit_barrier(done);
}

} // namespace prism::nn
