#include "tests/random/harness.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace prism_random {
namespace {

/// Reports the first element that differs; elements must be equal bit for bit.
template <typename T>
bool same(const kernel& k, const char* what, const std::vector<T>& found, const std::vector<T>& expected,
          const char* of, const char* against) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) == 0) continue;
    std::printf("DIFFERS %s: %s[%zu]: %s has %s, %s has %s\n", k.name, what, i, of,
                std::to_string(found[i]).c_str(), against, std::to_string(expected[i]).c_str());
    return false;
  }
  return true;
}

bool same(const kernel& k, const data& found, const data& expected, const char* of, const char* against) {
  return same(k, "words", found.words, expected.words, of, against) &&
         same(k, "shorts", found.shorts, expected.shorts, of, against) &&
         same(k, "reals", found.reals, expected.reals, of, against) &&
         same(k, "counters", found.counters, expected.counters, of, against);
}

enum class outcome { equal, refused, failed };

outcome run_on(sycl::queue& q, const kernel& k, data& d, const char* where) {
  try {
    k.on_device(q, d);
    return outcome::equal;
  } catch (const sycl::exception& e) {
    // Only a missing feature of the device is a skip. A kernel that the compiler cannot express is a failure.
    const bool lacks = std::strstr(e.what(), "which the device lacks") ||
                       std::strstr(e.what(), "which the device does not offer");
    const bool refused = (e.code() == sycl::errc::kernel_not_supported && lacks) ||
                         (e.code() == sycl::errc::feature_not_supported &&
                          !q.get_device().has(sycl::aspect::usm_device_allocations));
    std::printf("%s %s on %s: %s\n", refused ? "SKIPPED" : "FAILED", k.name, where, e.what());
    return refused ? outcome::refused : outcome::failed;
  }
}

} // namespace

data::data(u64 seed)
    : in(input_count), words(item_count), shorts(item_count), reals(item_count), counters(counter_count) {
  for (u32& v : in) v = static_cast<u32>((seed = mixed(seed, 0x5851F42D4C957F2Du)) >> (seed & 31));
}

int compare_all(const std::vector<kernel>& kernels) {
  std::vector<sycl::device> devices;
  try {
    devices = sycl::device::get_devices();
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.what());
  }
  // The selector of a test lists the device, then the host device. Without the driver only the latter exists.
  const char* wanted = std::getenv("PRISM_RANDOM_DEVICE");
  std::vector<sycl::device> chosen;
  for (const sycl::device& d : devices) {
    const std::string name = d.get_platform().get_info<sycl::info::platform::name>() + " " +
                             d.get_info<sycl::info::device::name>();
    if (wanted && chosen.empty() && name.find(wanted) == std::string::npos) continue;
    chosen.push_back(d);
  }
  if (chosen.empty()) {
    std::printf("no device '%s' here\n", wanted ? wanted : "at all");
    return 77;
  }
  int failures = 0, refusals = 0;
  std::vector<sycl::queue> queues;
  for (const sycl::device& d : chosen) queues.emplace_back(d);
  for (const kernel& k : kernels) {
    data plain(k.seed);
    k.as_plain_code(plain);
    for (sycl::queue& q : queues) {
      const std::string where = q.get_device().get_info<sycl::info::device::name>();
      data d(k.seed);
      const outcome o = run_on(q, k, d, where.c_str());
      refusals += o == outcome::refused;
      const bool right = o != outcome::equal || same(k, d, plain, where.c_str(), "plain code");
      failures += o == outcome::failed || !right;
    }
  }
  std::string names;
  for (const sycl::device& d : chosen)
    names += (names.empty() ? "" : ", ") + d.get_info<sycl::info::device::name>();
  std::printf("%zu kernels on %s: %d failures, %d skipped\n", kernels.size(), names.c_str(), failures,
              refusals);
  return failures == 0 ? 0 : 1;
}

} // namespace prism_random
