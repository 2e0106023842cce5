// One kernel for a text test: device(name) { body }, with __prism_* functions and the captured variables of
// `capture`.
#pragma once

#include "sycl/detail/kernel_abi.hpp"

void launch(void*, const void*, std::size_t, void (*)(const void*));

template <class Name, class F>
void submit(const F& kernel) {
  launch(&sycl::detail::kernel_slot_of<Name, F>::value, &kernel, sizeof kernel,
         reinterpret_cast<void (*)(const void*)>(&sycl::detail::kernel_entry<Name, F>));
}

inline std::size_t id() { return __prism_group_id(0) * __prism_local_size(0) + __prism_local_id(0); }
