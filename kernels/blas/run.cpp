// The steps of a call: checks, choice, submission.
#include "kernels/blas/choice.hpp"
#include "kernels/blas/narrow.hpp"
#include "kernels/blas/own.hpp"
#include "kernels/provider/operation.hpp"

namespace prism::blas {
namespace {

bool is_double(std::int32_t type) { return type == PRISM_F64 || type == PRISM_C64; }

bool has_elements(const prism_provider_operand& o) {
  for (int d = 0; d < o.rank; ++d)
    if (o.extent[d] == 0) return false;
  return true;
}

} // namespace

bool coincide(const detail::memory& a, const detail::memory& b) {
  if (a.buffer && b.buffer) return a.buffer_hash == b.buffer_hash && a.offset == b.offset;
  return a.pointer != nullptr && a.pointer == b.pointer;
}

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
  refuse_aliases(what, facts);
  const sycl::device device = queue.get_device();
  if (is_double(what.what.operand[0].type)) require_type(device, what.what, provider::text_of(what.what));
  const auto own = is_narrow_product(what.what) ? run_narrow : run_own;
  for (int i = 0; i < what.what.operand_count; ++i)
    if (!has_elements(what.what.operand[i])) return own(queue, what, depends);
  if (std::optional<sycl::event> done = run_by_provider(queue, what, depends, own)) return *done;
  return own(queue, what, depends);
}

} // namespace prism::blas
