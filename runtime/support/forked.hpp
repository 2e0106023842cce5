// Whether this process is a child that fork() made of one in which PRISM was in use. Neither drivers nor
// threads exist in such a child, so calls that need them throw.
#pragma once

#include <atomic>

namespace prism::support {

inline std::atomic<bool> is_forked_child{false}; // set once, by the handler of pthread_atfork
inline constexpr const char* forked_child_error =
    "PRISM was used before fork(): drivers and threads do not survive in the child. "
    "Use SYCL only after fork, or start the child with exec.";

} // namespace prism::support
