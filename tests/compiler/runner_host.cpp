// Defines the reserved functions for one thread per work-item, and the registration functions of libprism.
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "tests/compiler/runner_parts.hpp"

namespace {

struct item_state {
  std::uint64_t local_id = 0, group_id = 0, local_size = 1, group_count = 1;
  void* arena = nullptr;
  std::barrier<>* barrier = nullptr;
};
thread_local item_state current;
const prism::test::launch* running = nullptr;
void* output_block = nullptr;
prism::image::module_node* modules = nullptr;

} // namespace

extern "C" {
std::uint64_t __prism_local_id(std::uint32_t dimension) noexcept {
  return dimension == 0 ? current.local_id : 0;
}
std::uint64_t __prism_group_id(std::uint32_t dimension) noexcept {
  return dimension == 0 ? current.group_id : 0;
}
std::uint64_t __prism_local_size(std::uint32_t dimension) noexcept {
  return dimension == 0 ? current.local_size : 1;
}
std::uint64_t __prism_group_count(std::uint32_t dimension) noexcept {
  return dimension == 0 ? current.group_count : 1;
}
bool __prism_outside(std::uint64_t index, std::uint64_t extent) noexcept { return index >= extent; }
int __prism_host_isa = 0; // selects the baseline copies
void* __prism_local_arena() noexcept { return current.arena; }
void* __prism_group_scratch(std::uint64_t) noexcept { return current.arena; }
void __prism_barrier(std::uint32_t) noexcept { current.barrier->arrive_and_wait(); }
void __prism_fence(std::uint32_t, std::uint32_t) noexcept { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
const void* __prism_specialization_constant(const void* id, std::uint64_t) noexcept {
  for (const auto& constant : running->constants)
    if (constant.id == id) return constant.value;
  std::abort();
}
void* __prism_output() noexcept { return output_block; }
void __prism_register_module(prism::image::module_node* node) noexcept {
  node->next = modules;
  modules = node;
  for (std::uint64_t i = 0; i < node->kernel_count; ++i) node->slots[i]->record = &node->records[i];
}
void __prism_unregister_module(prism::image::module_node*) noexcept {}
}

namespace prism::test {

const image::module_node* registered_modules() { return modules; }

std::vector<std::uint32_t> empty_output() {
  std::vector<std::uint32_t> block((sizeof(image::output_header) + output_capacity) / 4);
  block[0] = output_capacity;
  return block;
}

void run_on_host(const void* closure, work_item body, const launch& how, std::size_t scratch_bytes,
                 void* output) {
  running = &how;
  output_block = output;
  for (std::size_t group = 0; group < how.groups; ++group) {
    std::vector<std::uint64_t> arena((how.local_bytes + scratch_bytes) / 8 + 1);
    std::barrier<> barrier(static_cast<std::ptrdiff_t>(how.group_size));
    std::vector<std::jthread> threads;
    for (std::size_t item = 0; item < how.group_size; ++item)
      threads.emplace_back([&, item] {
        current = {item, group, how.group_size, how.groups, arena.data(), &barrier};
        body(closure);
        barrier.arrive_and_drop();
      });
  }
}

} // namespace prism::test
