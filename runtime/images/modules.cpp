#include "runtime/images/modules.hpp"

#include "runtime/include/sycl/detail/kernel_abi.hpp"

#include <atomic>
#include <cstdio>

namespace prism::images {

namespace {

constinit std::atomic_flag busy = ATOMIC_FLAG_INIT;
constinit image::module_node* first = nullptr;
constinit std::atomic<unregister_hook> hook{nullptr};
constinit std::atomic<unsigned> refused{0};

class guard {
public:
  guard() noexcept {
    while (busy.test_and_set(std::memory_order_acquire)) busy.wait(true, std::memory_order_relaxed);
  }
  ~guard() {
    busy.clear(std::memory_order_release);
    busy.notify_one();
  }
};

} // namespace

void set_unregister_hook(unregister_hook h) noexcept { hook.store(h); }
unsigned refused_modules() noexcept { return refused.load(); }

void for_each_module(void (*visit)(const image::module_node&, void*), void* context) {
  const guard lock;
  for (image::module_node* m = first; m != nullptr; m = m->next) visit(*m, context);
}

namespace {

bool add(image::module_node* node) noexcept {
  if (node == nullptr) return false;
  if (node->magic_word != image::magic || node->version != image::format_version) {
    refused.fetch_add(1);
    std::fprintf(
        stderr,
        "prism: error: a module has kernel images of format %u, this runtime reads format %u: compile it "
        "again with the prism++ of this installation. Its kernels run on the host device only.\n",
        node->version, image::format_version);
    return false;
  }
  const guard lock;
  for (image::module_node* m = first; m != nullptr; m = m->next)
    if (m == node) return false;
  for (std::uint64_t i = 0; i < node->kernel_count; ++i)
    if (node->slots[i] != nullptr && node->slots[i]->record == nullptr) // null: the linker removed its object
      node->slots[i]->record = &node->records[i];
  node->next = first;
  first = node;
  return true;
}

void remove(image::module_node* node) noexcept {
  if (unregister_hook h = hook.load()) h(*node);
  const guard lock;
  for (image::module_node** link = &first; *link != nullptr; link = &(*link)->next) {
    if (*link != node) continue;
    *link = node->next;
    node->next = nullptr;
    break;
  }
  for (std::uint64_t i = 0; i < node->kernel_count; ++i) {
    // If another file contains the same kernel, that file's record is used from now on.
    if (node->slots[i] == nullptr || node->slots[i]->record != &node->records[i]) continue;
    node->slots[i]->record = nullptr;
    for (image::module_node* m = first; m != nullptr; m = m->next)
      for (std::uint64_t j = 0; j < m->kernel_count; ++j)
        if (m->slots[j] == node->slots[i]) node->slots[i]->record = &m->records[j];
  }
}

} // namespace

} // namespace prism::images

extern "C" __attribute__((visibility("default"))) void
__prism_register_module(prism::image::module_node* node) noexcept {
  prism::images::add(node);
}

extern "C" __attribute__((visibility("default"))) void
__prism_unregister_module(prism::image::module_node* node) noexcept {
  if (node != nullptr && node->magic_word == prism::image::magic &&
      node->version == prism::image::format_version)
    prism::images::remove(node);
}
