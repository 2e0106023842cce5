#include "kernels/provider/measured.hpp"

#include "devices/api/private_folder.hpp"
#include "kernels/provider/operation.hpp"

#include <prism/blas/measured.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <sys/stat.h>

namespace prism::provider {

std::string measured_name(const prism_provider_operation& what) {
  if (batch_of(what) != 1 || what.operation >> 8 == 5) return {};
  std::int64_t least = 0, most = 0;
  for (int i = 0; i < what.operand_count; ++i)
    for (int d = 0; d < what.operand[i].rank; ++d) {
      if (what.operand[i].rank == 1) continue;
      const std::int64_t extent = what.operand[i].extent[d];
      least = most == 0 ? extent : std::min(least, extent);
      most = std::max(most, extent);
    }
  if (most > 4 * least) return {};
  const std::string type = name_of_type(what.operand[0].type);
  return name_of_operation(what.operation) + (type == "float" ? "" : " " + type);
}

struct measurements::state {
  std::mutex mutex;
  std::filesystem::path file;
  ino_t inode = 0; // of the open file, which may have been replaced under its name
  std::chrono::steady_clock::time_point looked;
  std::unique_ptr<tuning_database> database;
  std::uint64_t changes = 0; // the databases that were opened, in the high bits
  detail::measured_memo memo;

  /// Null without one. Looks for a new file ten times a second at most.
  tuning_database* open() {
    constexpr std::chrono::milliseconds patience(100);
    const auto now = std::chrono::steady_clock::now();
    if (now - looked < patience) return database.get();
    looked = now;
    std::filesystem::path found = user_cache_folder();
    if (!found.empty()) found = found / "tuning" / "tuning.db";
    struct stat info{};
    if (found.empty() || ::stat(found.c_str(), &info) != 0) found.clear(), info = {};
    if (found == file && info.st_ino == inode) return database.get();
    file = found, inode = info.st_ino;
    database.reset();
    changes += std::uint64_t(1) << 32;
    if (!file.empty()) try {
        database = std::make_unique<tuning_database>();
      } catch (const sycl::exception& error) {
        std::fprintf(stderr, "prism: warn: measured times are not used: %s\n", error.what());
      }
    return database.get();
  }
};

measurements::measurements() : m_state(std::make_unique<state>()) {}

measurements& measurements::of_process() {
  static auto* const only = new measurements; // never destroyed: threads may still choose at exit
  return *only;
}

std::uint64_t measurements::changes() {
  const std::lock_guard lock(m_state->mutex);
  const tuning_database* const database = m_state->open();
  return m_state->changes + (database ? database->changes() : 0);
}

std::vector<measured_variant> measurements::of(const std::string& operation, const sycl::device& device,
                                               double items) {
  const std::lock_guard lock(m_state->mutex);
  const tuning_database* const database = m_state->open();
  if (!database || operation.empty()) return {};
  return m_state->memo(*database, key_for(operation, device, blas::measured_version, items), items);
}

configuration measurements::parameters(const std::string& operation, const sycl::device& device, double items,
                                       const parameter_space& space, const configuration& initial) {
  const std::lock_guard lock(m_state->mutex);
  const tuning_database* const database = m_state->open();
  if (!database) return initial;
  return tuned(*database, key_for(operation + " parameters", device, blas::measured_version, items), space,
               initial);
}

} // namespace prism::provider
