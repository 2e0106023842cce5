// joint_matrix on devices whose matrix instructions PRISM does not use: whether the user asks for it.
#pragma once

#include <string>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// PRISM_JOINT_MATRIX=emulate, read once.
bool emulates_joint_matrix();

/// Why a kernel with a joint_matrix does not run on a device without aspect::ext_intel_matrix, and what to
/// do.
std::string joint_matrix_refusal();

}
}
} // namespace sycl::_V1::detail
