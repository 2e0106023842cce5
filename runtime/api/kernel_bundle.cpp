// Kernel bundles: lists of images with the values of specialisation constants. An image is "built" when the
// device's driver has compiled it, so build errors are thrown here and not at submission.
#include "runtime/api/kernel_impl.hpp"

#include <algorithm>
#include <cstring>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

using device_list = std::vector<std::shared_ptr<device_impl>>;

/// Returns the requested devices without duplicates. Throws errc::invalid for an empty list and for a device
/// of another context.
device_list checked_devices(const context_impl& in, const std::vector<device>* on, const char* asked) {
  if (!on) return in.devices();
  if (on->empty())
    throw_error(errc::invalid, std::string(asked) + ": the list of devices is empty; name at least one");
  device_list out;
  for (const device& d : *on) {
    const auto& impl = access_impl::get(d);
    in.require(impl, asked);
    if (std::find(out.begin(), out.end(), impl) == out.end()) out.push_back(impl);
  }
  return out;
}

/// Returns those of `devices` that can run the kernel.
device_list compatible(const kernel_id_impl& kernel, const device_list& devices) {
  device_list out;
  for (const auto& d : devices) {
    if (kernel.refusal(*d).empty()) out.push_back(d);
  }
  return out;
}

image_list make_images(const device_list& devices, const std::vector<kernel_id>& kernels) {
  image_list out;
  for (const kernel_id& id : kernels) {
    const auto& impl = access_impl::get(id);
    if (std::any_of(out.begin(), out.end(), [&](const auto& image) { return image->kernel() == impl; }))
      continue;
    device_list on = compatible(*impl, devices);
    if (!on.empty()) out.push_back(std::make_shared<device_image_impl>(impl, std::move(on)));
  }
  return out;
}

bool same_set(const device_list& a, const device_list& b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

/// Merges the values of several bundles. Later values take precedence.
constant_values merged_values(const std::vector<impl_ptr<kernel_bundle_impl>>& all) {
  constant_values out;
  for (const auto& bundle : all) {
    for (auto& [id, value] : bundle->values()) out[id] = value;
  }
  return out;
}

/// Builds the kernel. Throws errc::build if the driver rejects it.
void translate(const kernel_id_impl& kernel, const device_impl& on) {
  try {
    (void)prism::kernel_limits_on(on.node(), kernel.record());
  } catch (const std::exception& e) {
    throw_error(errc::build, "kernel " + kernel.name() + " on " + describe(on) + ": " + e.what());
  }
}

} // namespace

bool device_image_impl::reads_constant(const void* id) const {
  const auto* record = m_kernel->record();
  if (!record) return false;
  for (std::uint32_t i = 0; i < record->hidden_count; ++i) {
    const auto& hidden = record->hidden[i];
    if (hidden.what == prism::image::hidden_kind::specialization_constant && (!id || hidden.key == id))
      return true;
  }
  return false;
}

std::shared_ptr<device_image_impl> kernel_bundle_impl::find(const kernel_slot* slot,
                                                            const device_impl* on) const {
  for (const auto& image : m_images) {
    if (image->kernel()->slot() != slot) continue;
    const auto& where = image->devices();
    if (!on || std::any_of(where.begin(), where.end(), [&](const auto& d) { return d.get() == on; }))
      return image;
  }
  return nullptr;
}
constant_values kernel_bundle_impl::values() const {
  const std::lock_guard lock(m_mutex);
  return m_values;
}
void kernel_bundle_impl::set_value(const void* id, const void* value, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(value);
  const std::lock_guard lock(m_mutex);
  m_values[id].assign(first, first + bytes);
}
void kernel_bundle_impl::get_value(const void* id, void* value, std::size_t bytes) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_values.find(id);
  std::memcpy(value, found == m_values.end() ? id : found->second.data(), bytes);
}

impl_ptr<kernel_bundle_impl> get_bundle(const context& in, const std::vector<device>* on, bundle_state state,
                                        const std::vector<kernel_id>* kernels) {
  const auto& where = access_impl::get(in);
  device_list devices = checked_devices(*where, on, "get_kernel_bundle");
  image_list images = make_images(devices, kernels ? *kernels : get_kernel_ids());
  for (const kernel_id& id : kernels ? *kernels : std::vector<kernel_id>()) {
    const auto& impl = access_impl::get(id);
    if (compatible(*impl, devices).empty()) {
      throw_error(errc::invalid, "get_kernel_bundle: none of the devices can run the kernel " + impl->name() +
                                     ": " + impl->refusal(*devices.front()));
    }
  }
  return std::make_shared<kernel_bundle_impl>(where, std::move(devices), state, std::move(images));
}

impl_ptr<kernel_bundle_impl> get_bundle(const context& in, const std::vector<device>* on, bundle_state state,
                                        const kernel_id& kernel) {
  const std::vector<kernel_id> one{kernel};
  return get_bundle(in, on, state, &one);
}

impl_ptr<kernel_bundle_impl>
get_bundle(const context& in, const std::vector<device>* on, bundle_state state,
           const std::function<bool(const impl_ptr<device_image_impl>&)>& wanted) {
  const auto all = get_bundle(in, on, state, static_cast<const std::vector<kernel_id>*>(nullptr));
  image_list images;
  std::copy_if(all->images().begin(), all->images().end(), std::back_inserter(images), wanted);
  return std::make_shared<kernel_bundle_impl>(all->context(), all->devices(), state, std::move(images));
}

bool has_bundle(const context& in, const std::vector<device>* on, bundle_state,
                const std::vector<kernel_id>* kernels) {
  const device_list devices = checked_devices(*access_impl::get(in), on, "has_kernel_bundle");
  const auto runs = [&](const kernel_id& id) { return !compatible(*access_impl::get(id), devices).empty(); };
  if (kernels) return std::all_of(kernels->begin(), kernels->end(), runs);
  const std::vector<kernel_id> all = get_kernel_ids();
  return std::any_of(all.begin(), all.end(), runs);
}

bool has_bundle(const context& in, const std::vector<device>* on, bundle_state state,
                const kernel_id& kernel) {
  const std::vector<kernel_id> one{kernel};
  return has_bundle(in, on, state, &one);
}

impl_ptr<kernel_bundle_impl> join_bundles(const std::vector<impl_ptr<kernel_bundle_impl>>& all,
                                          bundle_state state) {
  if (all.empty()) { // no context is known: use that of the default device
    const auto device = default_device();
    return std::make_shared<kernel_bundle_impl>(device->platform()->default_context(), device_list{device},
                                                state, image_list());
  }
  image_list images;
  for (const auto& bundle : all) {
    if (bundle->context() != all.front()->context() || !same_set(bundle->devices(), all.front()->devices())) {
      throw_error(errc::invalid, "join: the bundles have different contexts or devices");
    }
    for (const auto& image : bundle->images()) {
      const bool known = std::any_of(images.begin(), images.end(),
                                     [&](const auto& i) { return i->kernel() == image->kernel(); });
      if (!known) images.push_back(image);
    }
  }
  return std::make_shared<kernel_bundle_impl>(all.front()->context(), all.front()->devices(), state,
                                              std::move(images), merged_values(all));
}

impl_ptr<kernel_bundle_impl> advance_bundle(const std::vector<impl_ptr<kernel_bundle_impl>>& all,
                                            const std::vector<device>* on, bundle_state to) {
  const char* const asked = to == bundle_state::object ? "compile" : "link or build";
  if (all.empty()) throw_error(errc::invalid, std::string(asked) + ": the list of bundles is empty");
  device_list devices = on ? checked_devices(*all.front()->context(), on, asked) : all.front()->devices();
  for (const auto& bundle : all) {
    if (bundle->context() != all.front()->context()) {
      throw_error(errc::invalid, std::string(asked) + ": the bundles have different contexts");
    }
    const auto lacks = [&](const auto& d) {
      return std::find(bundle->devices().begin(), bundle->devices().end(), d) == bundle->devices().end();
    };
    if (on && std::any_of(devices.begin(), devices.end(), lacks)) {
      throw_error(errc::invalid, std::string(asked) + ": a device of the list does not belong to the bundle");
    }
    devices.erase(std::remove_if(devices.begin(), devices.end(), lacks), devices.end());
  }
  if (devices.empty())
    throw_error(errc::invalid, std::string(asked) + ": the bundles have no device in common");
  image_list images;
  for (const auto& bundle : all) {
    for (const auto& image : bundle->images()) {
      device_list where = compatible(*image->kernel(), devices); // devices that cannot run it are left out
      const bool known = std::any_of(images.begin(), images.end(),
                                     [&](const auto& i) { return i->kernel() == image->kernel(); });
      if (where.empty() || known) continue;
      if (to == bundle_state::executable) {
        for (const auto& d : where) translate(*image->kernel(), *d);
      }
      images.push_back(std::make_shared<device_image_impl>(image->kernel(), std::move(where)));
    }
  }
  return std::make_shared<kernel_bundle_impl>(all.front()->context(), std::move(devices), to,
                                              std::move(images), merged_values(all));
}

bool any_bundle::empty() const noexcept { return m_impl->images().empty(); }
backend any_bundle::get_backend() const noexcept { return get_context().get_backend(); }
context any_bundle::get_context() const noexcept { return access_impl::make<context>(m_impl->context()); }
std::vector<device> any_bundle::get_devices() const noexcept {
  std::vector<device> out;
  for (const auto& d : m_impl->devices()) out.push_back(access_impl::make<device>(d));
  return out;
}
bool any_bundle::has_kernel(const kernel_id& kernel) const noexcept {
  return m_impl->find(access_impl::get(kernel)->slot(), nullptr) != nullptr;
}
bool any_bundle::has_kernel(const kernel_id& kernel, const device& on) const noexcept {
  return m_impl->find(access_impl::get(kernel)->slot(), access_impl::get(on).get()) != nullptr;
}
std::vector<kernel_id> any_bundle::get_kernel_ids() const {
  std::vector<kernel_id> out;
  for (const auto& image : m_impl->images()) out.push_back(access_impl::make<kernel_id>(image->kernel()));
  return out;
}
bool any_bundle::contains_specialization_constants() const noexcept {
  return bundle_has_constant(*m_impl, nullptr);
}

kernel bundle_kernel(const impl_ptr<kernel_bundle_impl>& bundle, const kernel_id& kernel) {
  const auto& id = access_impl::get(kernel);
  if (!bundle->find(id->slot(), nullptr)) {
    throw_error(errc::invalid,
                "kernel_bundle::get_kernel: the bundle does not have the kernel " + id->name());
  }
  return access_impl::make<sycl::kernel>(std::make_shared<kernel_impl>(bundle, id));
}
std::size_t count_images(const kernel_bundle_impl& bundle) { return bundle.images().size(); }
impl_ptr<device_image_impl> bundle_image(const kernel_bundle_impl& bundle, std::size_t number) {
  return bundle.images()[number];
}
bool bundle_has_constant(const kernel_bundle_impl& bundle, const void* id) {
  return std::any_of(bundle.images().begin(), bundle.images().end(),
                     [&](const auto& i) { return i->reads_constant(id); });
}
void set_bundle_constant(kernel_bundle_impl& bundle, const void* id, const void* value, std::size_t bytes) {
  bundle.set_value(id, value, bytes);
}
void get_bundle_constant(const kernel_bundle_impl& bundle, const void* id, void* value, std::size_t bytes) {
  bundle.get_value(id, value, bytes);
}
bool image_has(const device_image_impl& image, const kernel_id& kernel, const device* on) {
  const auto& where = image.devices();
  return image.kernel() == access_impl::get(kernel) &&
         (!on || std::find(where.begin(), where.end(), access_impl::get(*on)) != where.end());
}

} // namespace detail

bool is_compatible(const std::vector<kernel_id>& kernels, const device& on) {
  const auto& where = detail::access_impl::get(on);
  return std::all_of(kernels.begin(), kernels.end(), [&](const kernel_id& id) {
    return detail::access_impl::get(id)->refusal(*where).empty();
  });
}

// ---- kernel

backend kernel::get_backend() const noexcept {
  return m_impl->bundle()->context()->devices().front()->where();
}
context kernel::get_context() const {
  return detail::access_impl::make<context>(m_impl->bundle()->context());
}
kernel_bundle<bundle_state::executable> kernel::get_kernel_bundle() const {
  return detail::access_impl::make<kernel_bundle<bundle_state::executable>>(m_impl->bundle());
}

// ---- combining and building

namespace {
using input_bundle = kernel_bundle<bundle_state::input>;
using object_bundle = kernel_bundle<bundle_state::object>;
using executable_bundle = kernel_bundle<bundle_state::executable>;

template <bundle_state From, bundle_state To>
kernel_bundle<To> advanced(const std::vector<kernel_bundle<From>>& from, const std::vector<device>* on) {
  return detail::access_impl::make<kernel_bundle<To>>(
      detail::advance_bundle(detail::implementations(from), on, To));
}
template <bundle_state From, bundle_state To>
kernel_bundle<To> advanced(const kernel_bundle<From>& from, const std::vector<device>* on) {
  return detail::access_impl::make<kernel_bundle<To>>(
      detail::advance_bundle({detail::access_impl::get(from)}, on, To));
}
constexpr bundle_state in = bundle_state::input, object = bundle_state::object,
                       done = bundle_state::executable;
} // namespace

object_bundle compile(const input_bundle& input, const std::vector<device>& on, const property_list&) {
  return advanced<in, object>(input, &on);
}
object_bundle compile(const input_bundle& input, const property_list&) {
  return advanced<in, object>(input, nullptr);
}
executable_bundle link(const std::vector<object_bundle>& objects, const std::vector<device>& on,
                       const property_list&) {
  return advanced<object, done>(objects, &on);
}
executable_bundle link(const std::vector<object_bundle>& objects, const property_list&) {
  return advanced<object, done>(objects, nullptr);
}
executable_bundle link(const object_bundle& one, const std::vector<device>& on, const property_list&) {
  return advanced<object, done>(one, &on);
}
executable_bundle link(const object_bundle& one, const property_list&) {
  return advanced<object, done>(one, nullptr);
}
executable_bundle build(const input_bundle& input, const std::vector<device>& on, const property_list&) {
  return advanced<in, done>(input, &on);
}
executable_bundle build(const input_bundle& input, const property_list&) {
  return advanced<in, done>(input, nullptr);
}

}
} // namespace sycl::_V1
