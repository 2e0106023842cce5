// Semaphores shared by file descriptors: <sycl/ext/oneapi/experimental/external_semaphore.hpp>. The handle of
// a semaphore is a number, so that a released one is an error and not a dangling pointer.
#include "runtime/api/external_semaphore.hpp"
#include "runtime/api/command_group.hpp"
#include "runtime/engine/external.hpp"

#include <prism/export_memory.hpp>

#include <unistd.h>

#include <map>
#include <mutex>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

using sycl::detail::access_impl;

namespace {

class semaphore_list {
public:
  static semaphore_list& get() {
    static auto& all = *new semaphore_list; // never destroyed: host tasks may run until the process ends
    return all;
  }
  std::uint64_t add(shared_semaphore what) {
    const std::lock_guard lock(m_mutex);
    m_all.emplace(++m_last, std::move(what));
    return m_last;
  }
  shared_semaphore find(external_semaphore what, bool removes) {
    const std::lock_guard lock(m_mutex);
    const auto at = m_all.find(what.raw_handle);
    if (at == m_all.end())
      sycl::detail::throw_error(errc::invalid, "an external semaphore that was released, or never imported");
    shared_semaphore out = at->second;
    if (removes) m_all.erase(at);
    return out;
  }

private:
  std::mutex m_mutex;
  std::map<std::uint64_t, shared_semaphore> m_all;
  std::uint64_t m_last = 0;
};

} // namespace

external_semaphore prism_listed_semaphore(shared_semaphore what, external_semaphore_handle_type type) {
  return {semaphore_list::get().add(std::move(what)), type};
}

namespace {

external_semaphore shared(external_semaphore_handle_type type, int descriptor, const device& on,
                          const context& in) {
  const auto& impl = access_impl::get(on);
  const auto& where = access_impl::get(in);
  where->require(impl, "external semaphores");
  const auto kind = type == external_semaphore_handle_type::timeline_fd
                        ? prism::devices::semaphore_kind::timeline
                        : prism::devices::semaphore_kind::binary;
  shared_semaphore made = sycl::detail::guarded(
      [&] { return prism::share_semaphore(where->working(impl)->node(), kind, descriptor); }, where);
  return prism_listed_semaphore(std::move(made), type);
}

} // namespace

external_semaphore import_external_semaphore(external_semaphore_descriptor<resource_fd> from,
                                             const device& on, const context& in) {
  const int descriptor = from.external_resource.file_descriptor;
  if (descriptor < 0)
    sycl::detail::throw_error(errc::invalid, "import_external_semaphore: the file descriptor is " +
                                                 std::to_string(descriptor));
  const external_semaphore made = shared(from.handle_type, descriptor, on, in);
  close(descriptor);
  return made;
}

void release_external_semaphore(external_semaphore what, const device&, const context&) {
  semaphore_list::get().find(what, true);
}

void prism_use_semaphore(handler& group, external_semaphore what, bool waits, bool has_value,
                         std::uint64_t value) {
  if (has_value != (what.handle_type == external_semaphore_handle_type::timeline_fd))
    sycl::detail::throw_error(errc::invalid, has_value ? "a binary external semaphore has no value"
                                                       : "a timeline needs the value to wait for or to set");
  auto& impl = sycl::detail::handler_impl::of(group);
  const shared_semaphore held = semaphore_list::get().find(what, false);
  const bool is_of_queue = &held->owner() == &impl.queue().device()->node().raw();
  if (!is_of_queue && !has_value)
    sycl::detail::throw_error(errc::invalid, "a binary external semaphore of " + held->owner().info().name +
                                                 " on a queue of " +
                                                 sycl::detail::describe(*impl.queue().device()));
  if (auto made = is_of_queue ? held->command(waits, value) : nullptr) {
    // The command keeps the semaphore.
    const auto both = std::make_shared<std::pair<shared_semaphore, std::shared_ptr<prism::devices::kernel>>>(
        held, std::move(made));
    prism::native_kernel_request request;
    request.kernel = {both, both->second.get()};
    return impl.set(std::move(request), "a use of an external semaphore");
  }
  group.host_task([held, waits, value] { waits ? held->wait(value) : held->signal(value); });
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

namespace prism {

namespace syclexp = sycl::ext::oneapi::experimental;

syclexp::external_semaphore make_exportable_semaphore(syclexp::external_semaphore_handle_type type,
                                                      const sycl::queue& on) {
  return syclexp::shared(type, -1, on.get_device(), on.get_context());
}

int export_semaphore(syclexp::external_semaphore what, const sycl::queue& on) {
  const auto held = syclexp::semaphore_list::get().find(what, false);
  return sycl::detail::guarded([&] { return export_semaphore(*held); },
                               sycl::detail::access_impl::get(on)->context());
}

} // namespace prism
