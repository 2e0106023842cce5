// A vector that stores its first N elements without an allocation, and allocates more from the pools. For the
// few buffers, boxes and dependencies of a command on the submission path. Boost.Container's, header-only.
#pragma once

#include "devices/api/pool.hpp"

#include <boost/container/small_vector.hpp>

namespace prism {

template <typename T, std::size_t N>
using small_vector = boost::container::small_vector<T, N, pool::allocator<T>>;

} // namespace prism
