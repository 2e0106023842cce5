#include "kernels/blas/choice.hpp"

#include "kernels/blas/narrow.hpp"
#include "kernels/blas/own.hpp"
#include "kernels/provider/measured.hpp"
#include "kernels/provider/operation.hpp"

#include <prism/blas.hpp>
#include <prism/blas/direct.hpp>
#include <sycl/detail/direct.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace prism::blas {
namespace {

struct memory_of_choices {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<choice>> known;
  std::map<std::string, std::string> pins;
  std::uint64_t measured = 0; // the state of the measurements by which `known` was chosen
};
thread_local std::string of_thread; // the provider that the thread's innermost scoped_provider names
memory_of_choices& all_choices() {
  static auto* const only = new memory_of_choices; // never destroyed, because commands may still fail at exit
  return *only;
}

constexpr std::size_t most_known = 4096; // when it is full, the cache starts again

/// All inputs of the choice.
std::string key_of(const sycl::device& device, const detail::request& what, bool usm) {
  const char* const setting = std::getenv("PRISM_PROVIDER");
  const std::size_t hash = std::hash<sycl::device>()(device),
                    bytes = offsetof(prism_provider_operation, operand) +
                            std::size_t(what.what.operand_count) * sizeof(prism_provider_operand);
  constexpr std::size_t window = offsetof(prism_provider_operation, window_stride);
  std::string key(reinterpret_cast<const char*>(&what.what), bytes);
  key.append(reinterpret_cast<const char*>(&what.what) + window, sizeof what.what - window);
  key.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  key += usm ? 'u' : 'b';
  if (setting) key += setting;
  key += '\0';
  key += of_thread;
  return key;
}

std::string pin_of(const std::string& operation) {
  if (!of_thread.empty()) return of_thread;
  memory_of_choices& all = all_choices();
  const std::lock_guard lock(all.mutex);
  const auto found = all.pins.find(operation);
  return found == all.pins.end() ? std::string() : found->second;
}

/// The word in PRISM_PROVIDER and in pins, in the place of an operation, that allows the own kernels to
/// replace a provider that fails.
constexpr const char* fallback_word = "fallback";

std::shared_ptr<choice> make_choice(const sycl::device& device, const prism_provider_operation& what) {
  auto made = std::make_shared<choice>();
  made->falls_back = pinned_for(fallback_word) == "prism";
  made->what = provider::text_of(what);
  made->ranking = ranking_with_own(device, what);
  made->has_own = false;
  for (provider::ranked_provider& one : made->ranking) {
    if (!one.reason.empty()) continue;
    if (one.name == "prism") {
      made->has_own = true, made->before_own = made->plans.size();
      continue;
    }
    try {
      made->plans.emplace_back(*provider::process_registry().find(one.name), device, what);
    } catch (const sycl::exception& failure) {
      one.reason = failure.what();
      warn(one.reason);
    }
  }
  if (!made->has_own) made->before_own = made->plans.size();
  if (!made->has_own && made->plans.empty())
    throw sycl::exception(sycl::make_error_code(sycl::errc::kernel_not_supported),
                          "no implementation supports " + made->what + ": " +
                              provider::explained(made->ranking));
  return made;
}

std::int32_t type_named(const std::string& name) {
  for (const std::int32_t type :
       {PRISM_F32, PRISM_F64, PRISM_C32, PRISM_C64, PRISM_F16, PRISM_BF16, PRISM_S8})
    if (provider::name_of_type(type) == name) return type;
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "there is no type '" + name + "'");
}
std::int32_t operation_named(const std::string& name) {
  for (const provider::operation_facts& facts : provider::all_operations())
    if (facts.name == name) return facts.id;
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "there is no operation '" + name + "'");
}

thread_local std::shared_ptr<choice> last_used;

} // namespace

std::string choice::name() const {
  const std::size_t first = failed.load();
  return first < before_own || (!has_own && first < plans.size()) ? plans[first].from().name : "prism";
}

void warn(const std::string& text) {
  const char* const setting = std::getenv("PRISM_LOG");
  const std::string_view asked = setting ? setting : "";
  if (asked.rfind("off", 0) == 0 || asked.rfind("error", 0) == 0) return;
  std::fprintf(stderr, "prism: warn: %s\n", text.c_str());
}

std::string pinned_for(const std::string& operation) {
  if (std::string own = pin_of(operation); !own.empty()) return own;
  const char* const setting = std::getenv("PRISM_PROVIDER");
  const provider::pinned_name pin = provider::pinned_provider(setting ? setting : "", operation);
  if (!pin.is_general) return pin.provider;
  const provider::open_provider* const named = provider::process_registry().find(pin.provider);
  const bool is_outside =
      named && std::any_of(provider::all_operations().begin(), provider::all_operations().end(),
                           [&](const provider::operation_facts& facts) {
    return facts.name == operation && !provider::has_operation(*named, facts.id);
  });
  return is_outside ? std::string() : pin.provider;
}

std::vector<provider::ranked_provider> ranking_with_own(const sycl::device& device,
                                                        const prism_provider_operation& what) {
  return provider::ranking_on(device, what, {{"prism", own_support(device, what), 0}},
                              pin_of(provider::name_of_operation(what.operation)));
}

std::shared_ptr<choice> choice_for(const sycl::device& device, const detail::request& what) {
  bool usm = false;
  for (int i = 0; i < what.what.operand_count; ++i) usm = usm || what.operands[i].pointer;
  const std::string key = key_of(device, what, usm);
  memory_of_choices& all = all_choices();
  const std::uint64_t measured = provider::measurements::of_process().changes();
  {
    const std::lock_guard lock(all.mutex);
    if (all.measured != measured) all.known.clear(), all.measured = measured;
    const auto found = all.known.find(key);
    if (found != all.known.end()) return last_used = found->second;
  }
  std::shared_ptr<choice> made = make_choice(device, what.what);
  const std::lock_guard lock(all.mutex);
  if (all.known.size() >= most_known) all.known.clear();
  return last_used = all.known.emplace(key, std::move(made)).first->second;
}

namespace {

/// Completes a call whose providers may have failed: on a thread that may wait, on a queue of its own, over
/// the addresses at which the operands lie on the host device.
sycl::event then_own(sycl::queue& queue, const sycl::event& tried,
                     const std::shared_ptr<std::atomic<bool>>& failed, const detail::request& what,
                     const own_code& own) {
  using place = sycl::accessor<std::uint8_t, 1, sycl::access_mode::read_write, sycl::target::host_task>;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(tried);
    std::vector<std::optional<place>> places;
    for (int i = 0; i < what.what.operand_count; ++i) {
      places.emplace_back();
      if (!what.operands[i].buffer) continue;
      sycl::buffer<std::uint8_t, 1> bytes = *what.operands[i].buffer;
      places.back() = place(bytes, h, sycl::read_write_host_task);
    }
    h.host_task([failed, what, own, places, device = queue.get_device()] {
      if (!failed->load()) return;
      detail::request again = what;
      for (int i = 0; i < again.what.operand_count; ++i) {
        detail::memory& m = again.operands[i];
        if (!places[std::size_t(i)]) continue;
        m.pointer = places[std::size_t(i)]->get_multi_ptr<sycl::access::decorated::no>() +
                    m.offset * provider::bytes_of_type(again.what.operand[i].type);
        m.buffer.reset(), m.offset = 0;
      }
      std::exception_ptr wrong;
      sycl::queue inner(device, [&](const sycl::exception_list& all) { wrong = *all.begin(); });
      own(inner, again, {}).wait_and_throw();
      inner.wait_and_throw();
      if (wrong) std::rethrow_exception(wrong);
    });
  });
}

} // namespace

namespace {

enum class direct_state : char { none, wanted, ran };
[[gnu::tls_model("initial-exec")]] constinit thread_local direct_state direct = direct_state::none;

/// Runs the chosen plan on this thread. False: it cannot, or it failed, as it will in a command.
bool run_at_once(sycl::queue& queue, const choice& chosen, const detail::request& what,
                 const std::vector<std::uint64_t>& offset) {
  std::array<prism::native_argument, PRISM_MAX_OPERANDS> arguments{};
  const int count = what.what.operand_count;
  for (int i = 0; i < count; ++i) {
    if (what.operands[i].buffer) return false;
    arguments[std::size_t(i)].pointer = what.operands[i].pointer;
  }
  prism::native_work now;
  now.arguments = arguments.data(), now.argument_count = std::size_t(count);
  const provider::device_plan& plan = chosen.plans[chosen.failed.load()];
  try {
    return sycl::detail::run_parts(
        queue, 1, [&](std::uint64_t, std::uint64_t) { plan.run_in(now, what.alpha, what.beta, offset); });
  } catch (const std::runtime_error&) {
    return false;
  }
}

} // namespace

detail::direct_call::direct_call() { direct = direct_state::wanted; }
detail::direct_call::~direct_call() { direct = direct_state::none; }
bool detail::direct_call::ran() const { return direct == direct_state::ran; }

sycl::event submit_plans(sycl::queue& queue, const std::shared_ptr<choice>& chosen,
                         const detail::request& what, const std::vector<sycl::event>& depends,
                         const own_code& own) {
  const provider::operation_facts& facts = *provider::facts_of(what.what.operation);
  const int count = what.what.operand_count;
  std::vector<std::uint64_t> offset;
  for (int i = 0; i < count; ++i)
    offset.push_back(what.operands[i].offset * provider::bytes_of_type(what.what.operand[i].type));
  if (direct == direct_state::wanted && depends.empty() && run_at_once(queue, *chosen, what, offset)) {
    direct = direct_state::ran;
    return {};
  }
  // Null where a failure is an error of the command.
  const bool is_host = queue.get_device().get_backend() == sycl::backend::ext_prism_host;
  const auto replaced =
      is_host && chosen->falls_back && own ? std::make_shared<std::atomic<bool>>(false) : nullptr;
  const sycl::event tried = queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    for (int i = 0; i < count; ++i) {
      const detail::memory& m = what.operands[i];
      if (!m.buffer) {
        h.set_arg(i, m.pointer);
        continue;
      }
      sycl::buffer<std::uint8_t, 1> bytes = *m.buffer;
      if ((facts.written >> i & 1u) != 0) h.set_arg(i, sycl::accessor(bytes, h, sycl::read_write));
      else h.set_arg(i, sycl::accessor(bytes, h, sycl::read_only));
    }
    const std::array<double, 4> by{what.alpha[0], what.alpha[1], what.beta[0], what.beta[1]};
    h.prism_native([chosen, by, offset, replaced](const prism::native_work& now) -> void* {
      for (std::size_t i = chosen->failed.load(); i < chosen->plans.size(); ++i) try {
          return chosen->plans[i].run_in(now, {by[0], by[1]}, {by[2], by[3]}, offset);
        } catch (const std::exception& failure) {
          std::size_t before = i;
          chosen->failed.compare_exchange_strong(before, i + 1);
          const bool next = now.queue == nullptr && i + 1 < chosen->plans.size();
          warn(std::string(failure.what()) + "; " +
               (next       ? chosen->plans[i + 1].from().name + " does it"
                : replaced ? std::string("prism does it, as fallback=prism allows")
                           : "from now on " + chosen->name() + " does it"));
          if (!next && !replaced) throw;
        }
      if (!replaced) throw std::runtime_error("every provider failed in " + chosen->what);
      replaced->store(true);
      return nullptr;
    });
  });
  return replaced ? then_own(queue, tried, replaced, what, own) : tried;
}

std::string explain(const sycl::device& device, const std::string& operation, const std::string& type,
                    std::size_t n) {
  const prism_provider_operation what =
      provider::plain_operation(operation_named(operation), type_named(type), std::int64_t(n));
  if (is_narrow_product(what) && what.operation != PRISM_GEMM)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          "of " + type + " there is only gemm, not " + operation);
  return provider::text_of(what) + ": " + provider::explained(ranking_with_own(device, what));
}

std::string last_choice() { return last_used ? last_used->what + ": " + last_used->name() : std::string(); }

scoped_provider::scoped_provider(std::string name) : m_before(std::exchange(of_thread, std::move(name))) {}
scoped_provider::~scoped_provider() { of_thread = std::move(m_before); }

std::vector<implementation> implementations() {
  constexpr std::uint32_t everywhere =
      1u << PRISM_NATIVE_HOST | 1u << PRISM_NATIVE_OPENCL | 1u << PRISM_NATIVE_VULKAN;
  std::vector<implementation> out;
  for (const provider::open_provider* one : provider::process_registry().all())
    out.push_back({one->name, one->library, one->library_version, one->table->natives});
  out.push_back({"prism", "PRISM", "", everywhere});
  return out;
}

void pin(const std::string& operation, const std::string& name) {
  if (operation != fallback_word) operation_named(operation);
  else if (!name.empty() && name != "prism")
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          "only the library's own kernels, 'prism', are a fallback, not '" + name + "'");
  memory_of_choices& all = all_choices();
  const std::lock_guard lock(all.mutex);
  if (name.empty()) all.pins.erase(operation);
  else all.pins[operation] = name;
  all.known.clear();
}

} // namespace prism::blas
