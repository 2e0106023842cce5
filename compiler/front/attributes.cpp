#include "compiler/front/attributes.hpp"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef work_group = "__prism_reqd_work_group_size";
constexpr StringRef sub_group = "__prism_reqd_sub_group_size";
constexpr StringRef device_has = "__prism_device_has";
constexpr StringRef dimensions = "__prism_dimensions";
constexpr StringRef order_varies = "__prism_order_varies";
constexpr std::uint64_t largest_size = 0x7fff'ffff;

class attribute_taker {
public:
  attribute_taker(kernel_facts& facts, reporter& report) : m_facts(facts), m_report(report) {}

  void take(const CallInst& call, StringRef name) {
    SmallVector<std::uint64_t, 3> values;
    for (const Value* argument : call.args()) {
      auto* known = dyn_cast<ConstantInt>(argument);
      if (!known)
        return m_report.error(call, "an argument of the attribute " +
                                        name.drop_front(StringRef("__prism_").size()).str() +
                                        " is not a constant");
      values.push_back(known->getZExtValue());
    }
    if (name == work_group) take_work_group(call, values);
    else if (name == sub_group) take_sub_group(call, values[0]);
    else if (name == order_varies)
      m_facts.order_flags |= values[0] == 1 ? image::sums_by_sub_group : image::sums_atomically;
    else if (name == device_has)
      m_facts.required_aspects |= std::uint64_t{1} << std::min<std::uint64_t>(values[0], 63);
  }

private:
  /// `values`: the arguments in SYCL's order, the fastest dimension last; ~0 for one that was not given.
  void take_work_group(const CallInst& call, SmallVector<std::uint64_t, 3> values) {
    values.erase(std::find(values.begin() + 1, values.end(), ~std::uint64_t{0}), values.end());
    std::reverse(values.begin(), values.end());
    values.resize(3, 1);
    for (std::uint64_t& size : values) {
      if (size == 0) return m_report.error(call, "reqd_work_group_size needs sizes of at least 1, not 0");
      size =
          std::min(size, largest_size); // no device has groups as large as this; the launch will be refused
    }
    std::uint32_t* required = m_facts.required_local_size;
    if (required[0] != 0 && !std::equal(values.begin(), values.end(), required))
      return m_report.error(call, "one kernel has different values of reqd_work_group_size");
    std::copy(values.begin(), values.end(), required);
  }

  void take_sub_group(const CallInst& call, std::uint64_t size) {
    if (size == 0 || size > largest_size)
      return m_report.error(call, "reqd_sub_group_size needs a size from 1 to 2147483647, not " +
                                      std::to_string(size));
    std::uint32_t& required = m_facts.required_sub_group_size;
    if (required != 0 && required != size)
      return m_report.error(call, "one kernel has different values of reqd_sub_group_size");
    required = static_cast<std::uint32_t>(size);
  }

  kernel_facts& m_facts;
  reporter& m_report;
};

bool is_attribute(const Function* function) {
  return function && (function->getName() == work_group || function->getName() == sub_group ||
                      function->getName() == device_has || function->getName() == dimensions ||
                      function->getName() == order_varies);
}

} // namespace

void take_attributes(Function& kernel, kernel_facts& facts, reporter& report) {
  attribute_taker taker(facts, report);
  for (Instruction& instruction : make_early_inc_range(instructions(kernel)))
    if (auto* call = dyn_cast<CallInst>(&instruction); call && is_attribute(call->getCalledFunction())) {
      taker.take(*call, call->getCalledFunction()->getName());
      call->eraseFromParent();
    }
}

void erase_attributes(Module& host) {
  for (Function& function : make_early_inc_range(host)) {
    if (!is_attribute(&function)) continue;
    for (User* user : make_early_inc_range(function.users()))
      if (auto* call = dyn_cast<CallBase>(user)) {
        if (auto* invoke = dyn_cast<InvokeInst>(call))
          BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
        call->eraseFromParent();
      }
    if (function.use_empty()) function.eraseFromParent();
  }
}

} // namespace prism::compiler
