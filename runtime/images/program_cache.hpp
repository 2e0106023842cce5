// The built programs of one device, by kernel record. Each is created once: loaded from a kernel pack or the
// disk cache if possible, otherwise built. Threads that request the same kernel wait for one build; others
// continue. Throws device_error (category build for compiler errors).
#pragma once

#include "devices/api/device.hpp"
#include "runtime/images/disk_cache.hpp"
#include "runtime/images/image_choice.hpp"
#include "runtime/images/kernel_pack.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace prism::images {

struct built_kernel {
  devices::kernel* object = nullptr;
  devices::kernel_limits limits;
  image::kind image_kind{};
  std::uint64_t features = 0; // of the chosen image
  std::uint32_t spill_bytes = 0;
  std::string refusal; // not empty: there is no image for this device
};

/// Values that all launches of a specialised program have in common.
struct known_values {
  std::vector<devices::known_integer> integers;
  devices::extent3 local{0, 0, 0}; // zeros: any
  std::vector<devices::known_alignment> alignments{};
  bool empty() const { return integers.empty() && local[0] == 0 && alignments.empty(); }
  /// A unique text for each set of values, such as "24:4=5 32:8=100 local=16,16,1 40:align=64".
  std::string text() const;
  friend bool operator==(const known_values&, const known_values&) = default;
};

/// A specialised program, owned by the caller instead of program_cache.
struct known_program {
  std::unique_ptr<devices::program> program;
  built_kernel kernel;
};

class program_cache {
public:
  /// `disk` and `packs` may be null. All must outlive this object.
  program_cache(devices::device& device, disk_cache* disk, kernel_packs* packs = nullptr)
      : m_device(device), m_disk(disk), m_packs(packs) {}
  /// Whether get() would not have the driver build the kernel: this process has built it, or it is stored,
  /// by PRISM or (where a driver has a cache of its own) by the driver.
  bool is_known(const image::kernel_record& record);
  /// The reference is valid until forget(record).
  const built_kernel& get(const image::kernel_record& record);
  /// For a launch that cannot use an image of kind opencl_c_group; `why` is for the log and the refusal.
  const built_kernel& get_without_group(const image::kernel_record& record, const std::string& why);
  /// For launches that are parts of a range (devices::program_source::moves_groups).
  const built_kernel& get_for_parts(const image::kernel_record& record);
  /// Both.
  const built_kernel& get_for_parts_without_group(const image::kernel_record& record, const std::string& why);
  /// Specialises the kernel, from its image of kind `like`, for these values. The program is stored on disk;
  /// the caller owns the result. `only_stored`: returns null if neither a pack nor the disk has it. Throws
  /// device_error{build}.
  std::unique_ptr<known_program> get_known(const image::kernel_record& record, image::kind like,
                                           const known_values& values, bool only_stored);
  /// Loads text stored by store_result for the kernel and the device; empty if there is none.
  std::optional<std::string> load_result(const image::kernel_record& record, image::kind like,
                                         std::string_view what) const;
  void store_result(const image::kernel_record& record, image::kind like, std::string_view what,
                    std::string_view text);
  /// Removes and returns the programs of records in [first, first + count), whose module is unloaded, and of
  /// their copies (fixed_order.hpp). They no
  /// longer refer to the module. Destroy them when no command that uses them is in flight.
  std::vector<std::shared_ptr<void>> forget(const image::kernel_record* first, std::uint64_t count);
  /// From now on a program is stored at its first build, also where that takes a second build. For kernels
  /// built in advance.
  void store_at_once() noexcept { m_stores_at_once.store(true, std::memory_order_relaxed); }
  /// Stores every program again that has grown since it was stored, because some drivers build a kernel at
  /// its first launch.
  void store_again();

private:
  struct entry {
    std::mutex mutex;
    std::atomic<bool> ready{false};
    std::unique_ptr<devices::program> program;
    built_kernel kernel;
    std::string stored_as; // its key on disk; empty: not stored by this process
    std::size_t stored_bytes = 0;
  };
  using entry_map = std::unordered_map<const image::kernel_record*, std::shared_ptr<entry>>;
  std::shared_ptr<entry> entry_of(entry_map& entries, const image::kernel_record& record);
  const built_kernel& built(entry_map& entries, const image::kernel_record& record,
                            const excluded_kind* without);
  void build(entry& into, const image::kernel_record& record, const excluded_kind* without,
             bool moves_groups);
  program_key key_of(const image::kernel_record& record, image::kind kind,
                     std::string_view variant = {}) const;
  std::unique_ptr<devices::program> build_and_store(const devices::program_source& source,
                                                    const program_key* key, entry* stored_in);
  std::unique_ptr<devices::program> stored(const program_key& key, const devices::program_source& source);

  devices::device& m_device;
  disk_cache* m_disk;
  kernel_packs* m_packs;
  std::atomic<bool> m_stores_at_once{false};
  mutable std::shared_mutex m_mutex;
  entry_map m_entries, m_without_group, m_for_parts, m_for_parts_without_group;
  /// Ready entries of m_entries that are found without a lock. Hashed by the record's address; the first
  /// record in a slot stays. Written under m_mutex.
  struct quick_entry {
    std::atomic<const image::kernel_record*> record{nullptr};
    std::atomic<const built_kernel*> kernel{nullptr};
  };
  quick_entry& quick(const image::kernel_record& record) {
    return m_quick[reinterpret_cast<std::uintptr_t>(&record) / sizeof record % m_quick.size()];
  }
  std::array<quick_entry, 256> m_quick;
};

} // namespace prism::images
