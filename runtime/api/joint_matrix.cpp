#include "runtime/api/joint_matrix.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

bool emulates_joint_matrix() {
  static const bool asked =
      prism::support::to_lower(prism::support::value_of(prism::support::variables::joint_matrix)) ==
      "emulate";
  return asked;
}

std::string joint_matrix_refusal() {
  return "it uses a joint_matrix, and the device has no matrix instructions that PRISM uses "
         "(aspect::ext_intel_matrix); PRISM_JOINT_MATRIX=emulate computes the same values without them";
}

}
}
} // namespace sycl::_V1::detail
