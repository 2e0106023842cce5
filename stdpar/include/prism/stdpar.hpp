// Standard algorithms with std::execution::par_unseq on SYCL devices. `prism++ --stdpar` includes this header
// before each source (docs/standard-algorithms.md).
//
// Overloads of the standard library's functions for this policy run on one device, the default one. They take
// random-access iterators over trivially copyable elements; for others the standard library's own overload,
// which uses threads of the host, remains. A call returns when the device has finished.
//
// Errors: sycl::exception. feature_not_supported: the device shares no memory with the host; invalid: it
// cannot access the memory of an iterator. Threads may call the functions at the same time.
#pragma once

#include <algorithm>
#include <execution>
#include <numeric>

#include <prism/stdpar/element_wise.hpp>
#include <prism/stdpar/reductions.hpp>
#include <prism/stdpar/scans.hpp>
#include <prism/stdpar/sorting.hpp>

namespace {
/// Chooses the device before the program's own objects allocate memory.
[[gnu::constructor(101)]] void prism_start_standard_algorithms() { prism::stdpar::start(); }
} // namespace
