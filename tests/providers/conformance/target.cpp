#include "tests/providers/conformance/target.hpp"

#include <thread>

namespace provider_test {
namespace {

class host_target final : public target {
public:
  host_target() {
    m_device.struct_size = sizeof m_device;
    m_device.native = PRISM_NATIVE_HOST;
    m_device.is_cpu = 1;
    m_device.name = "host";
    m_device.threads = std::max(1u, std::thread::hardware_concurrency());
  }
  const prism_provider_device& device() const override { return m_device; }
  std::string name() const override { return "host"; }
  prism_status run(const prism_provider_plan* plan, const job& what, std::uint32_t threads,
                   std::vector<operand>& after, std::string& why) override {
    after = what.operands;
    std::vector<prism_provider_memory> memory;
    for (operand& each : after)
      memory.push_back({each.bytes.data(), nullptr, 0,
                        std::uint64_t(each.first) * prism::provider::bytes_of_type(each.description.type)});
    if (what.in_place) memory[1] = memory[0];
    std::vector<std::byte> room(query(*this, what.what).workspace_bytes + 128);
    const prism_provider_memory workspace{
        room.data() + (128 - reinterpret_cast<std::uintptr_t>(room.data()) % 128), nullptr, 0, 0};
    prism_provider_run run{};
    run.struct_size = sizeof run;
    run.native = PRISM_NATIVE_HOST;
    run.threads = threads;
    std::copy(what.alpha, what.alpha + 2, run.alpha);
    std::copy(what.beta, what.beta + 2, run.beta);
    run.memory = memory.data();
    run.workspace = &workspace;
    prism_message text{sizeof text, {}};
    const prism_status status = the_subject().table->run(plan, &run, &text);
    why = text.text;
    if (what.in_place) after[1].bytes = after[0].bytes;
    return status;
  }

private:
  prism_provider_device m_device{};
};

std::vector<std::string>& missing() {
  static std::vector<std::string> all;
  return all;
}

} // namespace

subject& the_subject() {
  static subject only;
  return only;
}

const std::vector<std::unique_ptr<target>>& all_targets() {
  static const auto all = [] {
    std::vector<std::unique_ptr<target>> out;
    const std::uint32_t natives = the_subject().table->natives;
    if ((natives >> PRISM_NATIVE_HOST & 1u) != 0) out.push_back(std::make_unique<host_target>());
    if ((natives >> PRISM_NATIVE_OPENCL & 1u) != 0) {
      std::string why;
      if (auto made = make_opencl_target(why)) out.push_back(std::move(made));
      else missing().push_back("OpenCL: " + why);
    }
    if ((natives >> PRISM_NATIVE_VULKAN & 1u) != 0)
      missing().push_back("Vulkan: the kit has no Vulkan target");
    return out;
  }();
  return all;
}
const std::vector<std::string>& missing_targets() { return all_targets(), missing(); }

prism_provider_support query(const target& on, const prism_provider_operation& what) {
  prism_provider_support answer{};
  answer.struct_size = sizeof answer;
  the_subject().table->query(the_subject().state, &on.device(), &what, &answer);
  answer.reason[sizeof answer.reason - 1] = 0;
  return answer;
}

plan_ptr plan(const target& on, const prism_provider_operation& what, std::string* why,
              prism_status* status) {
  prism_provider_plan* made = nullptr;
  prism_message text{sizeof text, {}};
  const prism_status ended =
      the_subject().table->plan(the_subject().state, &on.device(), &what, &made, &text);
  if (why) *why = text.text;
  if (status) *status = ended;
  return plan_ptr(ended == PRISM_OK ? made : nullptr);
}

std::string wrong_result(target& on, const job& what, std::uint32_t threads) {
  std::string why;
  const plan_ptr made = plan(on, what.what, &why);
  if (!made)
    return prism::provider::text_of(what.what) + ": query says that it is supported, plan refuses: " + why;
  std::vector<operand> after;
  if (const prism_status status = on.run(made.get(), what, threads, after, why); status != PRISM_OK)
    return prism::provider::text_of(what.what) + ": run ended with status " + std::to_string(status) + ": " +
           why;
  return difference(what, after);
}

} // namespace provider_test
