// Runs the work-items of one group on one thread. Items run one after the other on one fiber. An item that
// reaches a barrier suspends its fiber, and the next item gets another one. When all items of the group are
// at a barrier, they continue in order. A kernel without barriers so costs one switch a group, not one an
// item.
//
// An item at a sub-group operation waits only for its own sub-group: once all items of the sub-group have
// arrived, they may continue, independently of other sub-groups. If the others have ended, it does not wait
// for them. Items of a sub-group that wait at different places of the program's code are an error: which of
// them come first in the program is not known here, as it is to the compiler
// (compiler/workgroup/partial_points.hpp).
//
// Divergence (items finish, or wait elsewhere, while others wait for them) is device_error{invalid}. An
// exception of an item ends the group. In both cases the stacks of waiting items are dropped without running
// destructors: device code has none that matter, and no item may continue.
#pragma once

#include "devices/api/types.hpp"
#include "devices/host/fiber.hpp"
#include "devices/host/work_item.hpp"

#include <exception>
#include <memory>

namespace prism::devices::host {

struct group_job {
  void (*work_item)(const void* closure);
  const void* closure;
  extent3 local, groups, items;
  std::uint64_t local_bytes;
  std::uint32_t sub_group_size = image::default_group_sub_group_size;
  std::span<const image::hidden_argument> hidden{};
  item_order order = item_order::any; // another than `any` also fills local memory before the group begins
  bool fixes_order = false;           // of sums over the group
  bool has_frames = false;            // compiled with frame pointers, and without inlining
};

class group_runner {
public:
  /// The runner of this thread; it caches its fibers and local memory for the next group until the thread
  /// ends.
  static group_runner& of_this_thread();

  /// Throws what an item throws, or device_error.
  void run(const group_job& job, const extent3& group_id);
  /// At least `bytes` of local memory, 128-byte aligned, valid until the next call on this thread; its
  /// contents are undefined.
  void* arena(std::uint64_t bytes);
  /// The same, for values of work-group functions that live across barriers.
  void* spill_memory(std::uint64_t bytes);
  /// The same for the captured blocks and private memory of fused kernels.
  void* workspace(std::uint64_t bytes);
  /// Group scratch of that size: the same block for all items of the group, 128-byte aligned, until the
  /// thread ends. Each size has its own block, so that a pointer that an item holds stays valid when an item
  /// asks for a larger one. Blocks with different keys are different; key 0 means unnamed.
  void* scratch(std::uint64_t bytes, std::uint64_t key = 0);
  /// Whether the pointer points into the group's local memory.
  bool holds(const void* pointer) const noexcept;
  /// The end of the running item's stack frames.
  const void* frames_end() const noexcept { return m_running->frames_end; }
  /// Called by the running item.
  void barrier();
  /// Called by the running item: its queries answer as in a group of another launch until it leaves the
  /// group.
  void enter_group(const extent3& id, const extent3& groups);
  void leave_group();
  /// Called by the running item: waits for the items of its sub-group and returns the value of each, indexed
  /// by its id in the sub-group, and 0 for those that have ended; valid until the item's next call. `place`:
  /// of the call.
  std::span<const std::uint64_t> exchange(std::uint64_t value, std::uintptr_t place);
  bool has_frames() const noexcept { return m_job->has_frames; }

private:
  struct group_place { // what an item's queries answer
    extent3 id{}, groups{}, items{};
  };
  struct slot { // a fiber and the item it stands for
    group_runner* owner = nullptr;
    std::unique_ptr<fiber> stack;
    extent3 local_id{};
    group_place group;
    const void* frames_end = nullptr;
    std::uint64_t value = 0;  // that it passes to its sub-group
    std::uintptr_t place = 0; // in the program's code, where it does
    enum class waiting_at { nowhere, barrier, sub_group, ready } waits = waiting_at::nowhere;
  };
  struct sub_group {
    std::size_t members = 0, ended = 0;
    std::vector<std::uint64_t> values; // of the operation from which items have continued last
    std::vector<slot*> waiting;
  };
  struct free_deleter {
    void operator()(void* memory) const noexcept;
  };

  void show(const group_place& group);
  slot& take_slot();
  void resume(slot& which);
  void run_items(slot& self);
  void run_to_completion();
  void run_ready();
  void prepare_sub_groups();
  void fill_local_memory();
  void advance_cursor();
  std::uint64_t number_of(const slot& item) const;
  sub_group& sub_group_of(const slot& item);
  static bool is_complete(const sub_group& which);
  void release(sub_group& which);
  bool release_without_ended();
  std::size_t waiting_in_sub_groups() const;
  void drop(std::vector<slot*>& suspended);
  device_error divergence() const;

  std::vector<std::unique_ptr<slot>> m_slots;
  std::vector<slot*> m_idle, m_waiting, m_resuming; // a slot is in one of them, of a sub-group, or running
  std::vector<sub_group> m_sub_groups;
  std::vector<slot*> m_ready; // from sub-groups that are complete
  struct block {
    std::unique_ptr<void, free_deleter> memory;
    std::uint64_t bytes = 0;
    void* at_least(std::uint64_t wanted);
  };
  block m_arena, m_spill, m_workspace;
  struct scratch_block {
    std::uint64_t key, bytes;
    std::unique_ptr<void, free_deleter> memory;
  };
  std::vector<scratch_block> m_scratch;

  work_item_context m_context;
  const group_job* m_job = nullptr;
  slot* m_running = nullptr;
  std::uint64_t m_items = 0, m_started = 0;
  extent3 m_cursor{};
  group_place m_group; // the group that runs
  std::exception_ptr m_error;
};

} // namespace prism::devices::host
