// The list of the program's kernels, by name. Constructors add kernels before main, so adding neither
// allocates nor throws.
#include "runtime/api/joint_matrix.hpp"
#include "runtime/api/kernel_impl.hpp"

#include <cstring>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

std::mutex& list_mutex() {
  static constinit std::mutex mutex;
  return mutex;
}
constinit kernel_node* first_node = nullptr;

/// Returns the kernel's id, which is never destroyed, so that equal kernels have equal ids. The caller holds
/// list_mutex.
std::shared_ptr<kernel_id_impl> id_of(const kernel_node& node) {
  static auto& ids = *new std::map<const kernel_slot*, std::shared_ptr<kernel_id_impl>>;
  std::shared_ptr<kernel_id_impl>& id = ids[node.slot];
  if (!id) id = std::make_shared<kernel_id_impl>(node);
  return id;
}

} // namespace

void list_kernel(kernel_node& node) noexcept {
  const std::lock_guard lock(list_mutex());
  node.next = first_node;
  first_node = &node;
}

void unlist_kernel(kernel_node& node) noexcept {
  const std::lock_guard lock(list_mutex());
  for (kernel_node** link = &first_node; *link; link = &(*link)->next) {
    if (*link != &node) continue;
    *link = node.next;
    return;
  }
}

std::string kernel_name_in(const char* pretty) {
  std::string name = pretty;
  const std::size_t start = name.find("Name = ");
  if (start != std::string::npos) name = name.substr(start + 7);
  if (!name.empty() && name.back() == ']') name.pop_back();
  return name;
}

kernel_id_impl::kernel_id_impl(const kernel_node& node)
    : m_name(kernel_name_in(node.pretty)), m_slot(node.slot), m_function(node.function) {}

const prism::image::kernel_record* kernel_id_impl::record() const noexcept {
  return reinterpret_cast<const prism::image::kernel_slot*>(m_slot)->record;
}

std::string attribute_refusal(const device_impl& on, const prism::image::kernel_record& record) {
  constexpr const char* names[] = {
#define __SYCL_ASPECT(name, number) #name,
#include <sycl/info/aspects.def>
#undef __SYCL_ASPECT
  };
  for (std::uint64_t number = 0; number < 64; ++number) {
    if ((record.required_aspects >> number & 1) == 0 || on.has(static_cast<aspect>(number))) continue;
    if (static_cast<aspect>(number) == aspect::ext_intel_matrix) return joint_matrix_refusal();
    return "it has the attribute device_has(aspect::" +
           (number < std::size(names) ? std::string(names[number]) : std::to_string(number)) +
           "), which the device lacks";
  }
  constexpr auto matrix = std::uint64_t{1} << static_cast<unsigned>(aspect::ext_intel_matrix);
  if ((record.required_aspects & matrix) != 0 && !emulates_joint_matrix())
    if (std::string why = prism::matrix_refusal(on.node(), record); !why.empty())
      return why + "; PRISM_JOINT_MATRIX=emulate computes the same values without them";
  return prism::group_size_refusal(on.node(), record);
}

std::string kernel_id_impl::refusal(const device_impl& on) const {
  if (record() != nullptr)
    if (std::string why = attribute_refusal(on, *record()); !why.empty()) return why;
  return guarded([&] { return prism::kernel_refusal(on.node(), record()); });
}

kernel_id find_kernel_id(const void* tag, const char* pretty) {
  const std::lock_guard lock(list_mutex());
  const kernel_node* found = nullptr;
  for (const kernel_node* node = first_node; node; node = node->next) {
    if (node->tag == tag) return access_impl::make<kernel_id>(id_of(*node));
    if (std::strcmp(node->pretty, pretty) == 0) found = node; // in another library
  }
  if (found) return access_impl::make<kernel_id>(id_of(*found));
  throw_error(errc::invalid, std::string("get_kernel_id: no kernel of this program has the name ") +
                                 kernel_name_in(pretty) + "; give the name to single_task or parallel_for");
}

} // namespace detail

const char* kernel_id::get_name() const noexcept { return m_impl->name().c_str(); }

std::vector<kernel_id> get_kernel_ids() {
  const std::lock_guard lock(detail::list_mutex());
  std::vector<kernel_id> out;
  for (const detail::kernel_node* node = detail::first_node; node; node = node->next) {
    const kernel_id id = detail::access_impl::make<kernel_id>(detail::id_of(*node));
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  }
  return out;
}

}
} // namespace sycl::_V1
