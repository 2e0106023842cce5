// The steps of a call: checks, choice, submission.
#include "kernels/blas/choice.hpp"
#include "kernels/blas/narrow.hpp"
#include "kernels/blas/own.hpp"
#include "kernels/provider/operation.hpp"

#include <algorithm>
#include <utility>

namespace prism::blas {
namespace {

bool is_double(std::int32_t type) { return type == PRISM_F64 || type == PRISM_C64; }

bool has_elements(const prism_provider_operand& o) {
  for (int d = 0; d < o.rank; ++d)
    if (o.extent[d] == 0) return false;
  return true;
}

/// Of an operand where the first one has `type`.
std::int32_t type_of(provider::operand_kind kind, std::int32_t operation, std::int32_t type) {
  if (kind == provider::operand_kind::index) return PRISM_S64;
  const bool is_norm = operation == PRISM_NRM2 || operation == PRISM_ASUM;
  if (kind != provider::operand_kind::scalar || !is_norm) return type;
  return type == PRISM_C32 ? std::int32_t(PRISM_F32) : type == PRISM_C64 ? std::int32_t(PRISM_F64) : type;
}

/// The same operation on matrices stored in full. The matrices have no elements.
detail::request in_full(detail::request what) {
  for (int i = 0; i < what.what.operand_count; ++i) {
    prism_provider_operand& a = what.what.operand[i];
    if (a.storage == PRISM_STORED_FULL) continue;
    if ((a.flags & PRISM_TRANSPOSED) != 0) std::swap(a.extent[0], a.extent[1]);
    a.storage = PRISM_STORED_FULL, a.flags &= ~std::uint32_t(PRISM_TRANSPOSED);
    a.lower = a.upper = 0, a.stride[0] = 1, a.stride[1] = std::max<std::int64_t>(1, a.extent[0]);
  }
  return what;
}

[[noreturn]] void refuse(const prism_provider_operation& what, const std::string& why) {
  prism::detail::refuse_view(provider::text_of(what) + ": " + why);
}

void require_narrow_types(const prism_provider_operation& what) {
  const std::int32_t type = what.operand[0].type;
  if (what.operation != PRISM_GEMM)
    refuse(what, "of " + provider::name_of_type(type) + " there is only gemm");
  const std::int32_t out = what.operand[2].type, own = type == PRISM_S8 ? std::int32_t(PRISM_S32) : type;
  if (what.operand[1].type != type || (out != PRISM_F32 && out != own))
    refuse(what, "no product of " + provider::name_of_type(type) + " and " +
                     provider::name_of_type(what.operand[1].type) + " to " + provider::name_of_type(out));
}

/// Requests of the headers have types that fit by construction, those of other languages need not.
void require_types(const prism_provider_operation& what, const provider::operation_facts& facts) {
  if (what.operation >> 8 > 3) refuse(what, "not an operation of the BLAS");
  if (is_narrow_product(what)) return require_narrow_types(what);
  const std::int32_t type = what.operand[0].type;
  if (type != PRISM_F32 && type != PRISM_F64 && type != PRISM_C32 && type != PRISM_C64)
    refuse(what, "not for elements of " + provider::name_of_type(type));
  for (int i = 1; i < what.operand_count; ++i) {
    const std::int32_t needed = type_of(facts.operands[std::size_t(i)], what.operation, type);
    if (what.operand[i].type != needed)
      refuse(what, "operand " + std::to_string(i) + " has elements of " +
                       provider::name_of_type(what.operand[i].type) + " instead of " +
                       provider::name_of_type(needed));
  }
}

} // namespace

void refuse_aliases(const detail::request& what, const provider::operation_facts& facts) {
  if (what.what.operation >> 8 == 1) return;
  for (int i = 0; i < what.what.operand_count; ++i)
    for (int j = 0; j < what.what.operand_count; ++j)
      if (i != j && (facts.written >> j & 1u) != 0 && has_elements(what.what.operand[i]) &&
          has_elements(what.what.operand[j]) && coincide(what.operands[i], what.operands[j]))
        prism::detail::refuse_view(provider::text_of(what.what) + ": operand " + std::to_string(j) +
                                   " is written and begins where operand " + std::to_string(i) + " does");
}

void require_type(const sycl::device& device, const prism_provider_operation& what, const std::string& name) {
  if (is_double(what.operand[0].type) && !device.has(sycl::aspect::fp64))
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          name + ": " + device.get_info<sycl::info::device::name>() +
                              " has no double precision (aspect fp64)");
}

std::optional<sycl::event> run_by_provider(sycl::queue& queue, const detail::request& what,
                                           const std::vector<sycl::event>& depends, const own_code& own) {
  const std::shared_ptr<choice> chosen = choice_for(queue.get_device(), what);
  for (std::size_t failed = chosen->failed.load(); failed < chosen->before_own;
       failed = chosen->failed.load())
    try {
      return submit_plans(queue, chosen, what, depends, own);
    } catch (const sycl::exception&) {
      if (chosen->failed.load() == failed) throw; // not a failure of the provider
    } catch (const std::runtime_error&) {
      if (chosen->failed.load() == failed) throw;
    }
  if (!chosen->has_own && !(chosen->falls_back && own))
    throw sycl::exception(sycl::make_error_code(sycl::errc::kernel_not_supported),
                          "every provider that may do " + chosen->what + " failed before");
  return {};
}

sycl::event detail::run(sycl::queue& queue, const request& what, const std::vector<sycl::event>& depends) {
  if (const std::string wrong = provider::contradiction_in(what.what); !wrong.empty())
    prism::detail::refuse_view(wrong);
  const provider::operation_facts& facts = *provider::facts_of(what.what.operation);
  require_types(what.what, facts);
  refuse_aliases(what, facts);
  if (is_double(what.what.operand[0].type)) {
    const sycl::device device = queue.get_device();
    if (!device.has(sycl::aspect::fp64)) require_type(device, what.what, provider::text_of(what.what));
  }
  const bool is_full = provider::is_stored_in_full(what.what);
  const auto own = is_narrow_product(what.what) ? run_narrow : run_own;
  for (int i = 0; i < what.what.operand_count; ++i)
    if (!has_elements(what.what.operand[i])) return own(queue, is_full ? what : in_full(what), depends);
  if (!is_full) return run_by_provider(queue, what, depends).value(); // the choice has no own kernels
  if (std::optional<sycl::event> done = run_by_provider(queue, what, depends, own)) return *done;
  return own(queue, what, depends);
}

} // namespace prism::blas
