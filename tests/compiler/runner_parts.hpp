// Declarations for the runner's two files.
#pragma once

#include "tests/compiler/runner.hpp"

namespace prism::test {

constexpr std::size_t output_capacity = 16384;

/// `output_block`: the result of __prism_output().
void run_on_host(const void* closure, work_item body, const launch& how, std::size_t scratch_bytes,
                 void* output_block);

/// An empty output block (image::output_header and its bytes), as words.
std::vector<std::uint32_t> empty_output();

} // namespace prism::test
