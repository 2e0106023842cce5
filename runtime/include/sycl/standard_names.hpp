// The names of SYCL 1.2.1 for classes of the standard library. SYCL 2020 does not have them, but programs for
// both versions use them.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {

template <typename T, typename Allocator = std::allocator<T>>
using vector_class = std::vector<T, Allocator>;
using string_class = std::string;
template <typename Signature>
using function_class = std::function<Signature>;
using mutex_class = std::mutex;
template <typename T, typename Deleter = std::default_delete<T>>
using unique_ptr_class = std::unique_ptr<T, Deleter>;
template <typename T>
using shared_ptr_class = std::shared_ptr<T>;
template <typename T>
using weak_ptr_class = std::weak_ptr<T>;
template <typename T>
using hash_class = std::hash<T>;
using exception_ptr_class = std::exception_ptr;

}
} // namespace sycl::_V1
