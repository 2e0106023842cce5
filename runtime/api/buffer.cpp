// Buffers: construction, views, destruction rules, host access, and the table of placeholder accessors.
#include "runtime/api/buffer_impl.hpp"
#include "runtime/observe/transfer_log.hpp"

#include <prism/graph.hpp>

#include <algorithm>
#include <map>
#include <limits>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

struct placeholder_entry {
  std::weak_ptr<buffer_impl> buffer;
  access_request request;
};
struct placeholder_table {
  std::mutex mutex;
  std::map<std::uint64_t, placeholder_entry> entries;
  static placeholder_table& get() {
    static auto& table = *new placeholder_table;
    return table;
  }
};

prism::buffer_options options_of(const element_box& shape, std::uint64_t element_bytes) {
  prism::buffer_options options;
  std::copy(shape.extent, shape.extent + 3, options.extent);
  options.element_bytes = element_bytes;
  return options;
}

/// The first of the three dimensions that a box or the buffer around it uses: programs write no others.
int first_dimension(const element_box& box, const element_box& whole) {
  int first = 0;
  while (first < 2 && box.extent[first] == 1 && box.offset[first] == 0 && whole.extent[first] == 1) ++first;
  return first;
}

std::string text(const std::uint64_t (&v)[3], int first) {
  std::string out = "{";
  for (int d = first; d < 3; ++d) out += (d == first ? "" : ", ") + std::to_string(v[d]);
  return out + '}';
}

/// "{10} at {95}" and "{100}": the range and offset of `part`, and the range of `whole`.
struct range_texts {
  std::string part, whole;
  range_texts(const element_box& part, const element_box& whole)
      : part(text(part.extent, first_dimension(part, whole)) + " at " +
             text(part.offset, first_dimension(part, whole))),
        whole(text(whole.extent, first_dimension(part, whole))) {}
};

bool inside(const element_box& part, const element_box& whole) {
  for (int d = 0; d < 3; ++d) {
    if (part.offset[d] > whole.extent[d] || part.extent[d] > whole.extent[d] - part.offset[d]) return false;
  }
  return true;
}

/// Whether `part` is contiguous in row-major order: after the first dimension with more than one element, all
/// dimensions must be complete.
bool contiguous(const element_box& part, const element_box& whole) {
  bool wide = false;
  for (int d = 0; d < 3; ++d) {
    if (wide && part.extent[d] != whole.extent[d]) return false;
    wide = wide || part.extent[d] != 1;
  }
  return true;
}

} // namespace

buffer_impl::buffer_impl(const buffer_start& start, const property_list& properties, call_site site)
    : m_shape(start.shape), m_element_bytes(start.element_bytes), m_properties(properties),
      m_made_line(site.line()), m_blocks(start.blocks), m_only_if_shared(start.only_if_shared),
      m_keep_alive(start.keep_alive), m_pointer(start.write_back ? start.host : nullptr) {
  if (site.file() != nullptr && prism::memory::reports_transfers()) m_made_in = site.file();
  prism::buffer_options options = options_of(start.shape, start.element_bytes);
  options.host = start.host;
  options.host_is_initial_data = start.host != nullptr;
  options.host_read_only = start.read_only && !properties.has_property<property::buffer::use_host_ptr>();
  options.promoted = properties.has_property<prism::property::promote_private>();
  m_node = guarded([&] { return prism::create_buffer(options); });
  if (!start.read_only && !properties.has_property<property::buffer::use_host_ptr>()) m_host = start.host;
}

/// Stops using the program's memory in place, unless the results are `wanted` in it (null: nowhere), so that
/// it is not overwritten. With use_host_ptr the program's memory always stays the buffer's memory.
void buffer_impl::leave_host_memory(const void* wanted, bool before_use) {
  if (m_host != nullptr && wanted != m_host) guarded([&] { prism::leave_host_memory(*m_node, before_use); });
}

buffer_impl::buffer_impl(prism::buffer_ptr node, const element_box& shape, std::uint64_t element_bytes,
                         std::function<void(const void*)> give)
    : m_shape(shape), m_element_bytes(element_bytes), m_node(std::move(node)), m_blocks(true),
      m_give(std::move(give)) {}

buffer_impl::buffer_impl(std::shared_ptr<buffer_impl> parent, prism::buffer_ptr node,
                         const element_box& shape, std::uint64_t element_bytes, std::uint64_t byte_offset,
                         bool is_part)
    : m_parent(std::move(parent)), m_shape(shape), m_element_bytes(element_bytes), m_byte_offset(byte_offset),
      m_is_part(is_part), m_node(std::move(node)) {}

buffer_impl::~buffer_impl() {
  if (!m_placeholders.empty()) {
    placeholder_table& table = placeholder_table::get();
    const std::lock_guard lock(table.mutex);
    for (const std::uint64_t token : m_placeholders) table.entries.erase(token);
  }
  if (m_parent) return; // only the root calls finish()
  try {
    guarded([&] { finish(); });
  } catch (...) {
    const std::shared_ptr<queue_impl> queue = m_last_queue.lock();
    if (queue) queue->add_failure(std::current_exception());
    else default_async_handler(exception_list({std::current_exception()}));
  }
  if (m_node) prism::end_of_buffer(*m_node);
}

void buffer_impl::finish() {
  std::shared_ptr<void> alive;
  void* to = m_pointer;
  if (m_alive) {
    alive = m_alive();
    to = alive.get();
  }
  if (m_only_if_shared && to && to == m_keep_alive.get() && m_keep_alive.use_count() < 2) to = nullptr;
  const bool written = m_write_back && (to || m_give) && prism::was_written(*m_node);
  if (written || m_blocks)
    prism::wait_for_users(*m_node); // readers too: they may use the program's memory in place
  if (!written) return;
  leave_host_memory(to, false);
  std::unique_lock<std::mutex> user_lock;
  if (m_properties.has_property<property::buffer::use_mutex>()) {
    user_lock = std::unique_lock(*m_properties.get_property<property::buffer::use_mutex>().get_mutex_ptr());
  }
  if (to) {
    prism::read_back(*m_node, to, made_at());
  } else {
    const std::unique_ptr<std::byte[]> bytes(new std::byte[m_node->bytes()]);
    prism::read_back(*m_node, bytes.get(), made_at());
    m_give(bytes.get());
  }
}

void buffer_impl::set_write_back(bool write) {
  const std::lock_guard lock(m_mutex);
  m_write_back = write;
  if (!write) leave_host_memory(nullptr, true);
}

void buffer_impl::set_final(void* pointer, std::function<std::shared_ptr<void>()> alive,
                            std::function<void(const void*)> give) {
  const std::lock_guard lock(m_mutex);
  m_pointer = pointer;
  m_alive = std::move(alive);
  m_give = std::move(give);
  m_only_if_shared = false;
  leave_host_memory(pointer, true);
}

void buffer_impl::used_by(const std::shared_ptr<queue_impl>& queue) {
  const std::lock_guard lock(m_mutex);
  m_last_queue = queue;
}

void buffer_impl::remember(std::uint64_t token) {
  const std::lock_guard lock(m_mutex);
  m_placeholders.push_back(token);
}

// ---- functions of the public header

impl_ptr<buffer_impl> make_buffer(const buffer_start& start, const property_list& properties,
                                  call_site site) {
  const std::uint64_t* e = start.shape.extent;
  std::uint64_t elements = 0, bytes = 0;
  if (__builtin_mul_overflow(e[0], e[1], &elements) || __builtin_mul_overflow(elements, e[2], &elements) ||
      __builtin_mul_overflow(elements, start.element_bytes, &bytes)) {
    throw_error(errc::invalid, "buffer: the range " + range_texts(start.shape, start.shape).whole +
                                   " has more bytes than 64 bits can count");
  }
  if (start.host != nullptr && bytes > std::uint64_t(std::numeric_limits<std::ptrdiff_t>::max())) {
    throw_error(errc::invalid, "buffer: the memory at the given pointer cannot have the " +
                                   std::to_string(bytes) + " bytes of the range " +
                                   range_texts(start.shape, start.shape).whole);
  }
  return std::make_shared<buffer_impl>(start, properties, site);
}

impl_ptr<buffer_impl> make_sub_buffer(const impl_ptr<buffer_impl>& parent, const element_box& box) {
  if (parent->is_part()) {
    throw_error(errc::invalid,
                "buffer: a sub-buffer cannot be made from a sub-buffer; make it from the whole buffer");
  }
  const auto ranges = [&] { return range_texts(box, parent->shape()); };
  if (!inside(box, parent->shape())) {
    throw_error(errc::invalid, "buffer: the sub-buffer " + ranges().part + " is not inside of the buffer " +
                                   ranges().whole + " (slowest dimension first)");
  }
  if (!contiguous(box, parent->shape())) {
    throw_error(errc::invalid,
                "buffer: the sub-buffer " + ranges().part + " of the buffer " + ranges().whole +
                    " is not contiguous; only its slowest dimension may be a part (slowest dimension first)");
  }
  const std::uint64_t* whole = parent->shape().extent;
  const std::uint64_t first = (box.offset[0] * whole[1] + box.offset[1]) * whole[2] + box.offset[2];
  const std::uint64_t bytes = first * parent->element_bytes();
  element_box shape = box;
  std::fill(shape.offset, shape.offset + 3, 0);
  auto node = guarded([&] {
    return prism::create_sub_buffer(parent->node(), bytes, options_of(shape, parent->element_bytes()));
  });
  return std::make_shared<buffer_impl>(parent, std::move(node), shape, parent->element_bytes(),
                                       parent->byte_offset() + bytes, true);
}

impl_ptr<buffer_impl> reinterpret_buffer(const impl_ptr<buffer_impl>& from, const element_box& shape,
                                         std::uint64_t element_bytes) {
  // Make the view from the root: the runtime has only one level of sub-buffers.
  const std::shared_ptr<buffer_impl> root =
      from->parent() ? from->parent() : std::shared_ptr<buffer_impl>(from);
  auto node = guarded([&] {
    return prism::create_sub_buffer(root->node(), from->byte_offset(), options_of(shape, element_bytes));
  });
  return std::make_shared<buffer_impl>(root, std::move(node), shape, element_bytes, from->byte_offset(),
                                       from->is_part());
}

bool is_sub_buffer(const buffer_impl& buffer) noexcept { return buffer.is_part(); }
const property_list& buffer_properties(const buffer_impl& buffer) noexcept { return buffer.properties(); }
void set_write_back(buffer_impl& buffer, bool write) noexcept { buffer.root().set_write_back(write); }
void set_final_data(buffer_impl& buffer, std::function<void(const void*)> give) {
  buffer.root().set_final(nullptr, {}, std::move(give));
}
void set_final_pointer(buffer_impl& buffer, void* destination, std::function<std::shared_ptr<void>()> alive) {
  buffer.root().set_final(destination, std::move(alive), {});
}

// ---- accessors

void check_access(const buffer_impl& buffer, const access_request& request) {
  if (!inside(request.region, buffer.shape())) {
    const range_texts ranges(request.region, buffer.shape());
    throw_error(errc::invalid, "accessor: the range " + ranges.part + " is not inside of the buffer " +
                                   ranges.whole + " (slowest dimension first)");
  }
  if (request.no_init && request.mode == access_mode::read) {
    throw_error(errc::invalid,
                "accessor: property::no_init contradicts access_mode::read; leave one of them out");
  }
}

prism::access_mode engine_mode(const access_request& request) {
  switch (request.mode) {
    case access_mode::read: return prism::access_mode::read;
    case access_mode::write:
      return request.no_init ? prism::access_mode::no_init_write : prism::access_mode::write;
    default: return request.no_init ? prism::access_mode::no_init_read_write : prism::access_mode::read_write;
  }
}

prism::box engine_box(const element_box& box) {
  prism::box out;
  std::copy(box.offset, box.offset + 3, out.offset);
  std::copy(box.extent, box.extent + 3, out.extent);
  return out;
}

std::uint64_t accessor_token(bool no_init, bool is_placeholder) {
  for (;;) {
    const std::uint64_t token = prism::new_token();
    if (token_says_no_init(token) == no_init && token_says_placeholder(token) == is_placeholder) return token;
  }
}

std::uint64_t place_accessor(const impl_ptr<buffer_impl>& buffer, const access_request& request) {
  check_access(*buffer, request);
  const std::uint64_t token = accessor_token(request.no_init, true);
  placeholder_table& table = placeholder_table::get();
  {
    const std::lock_guard lock(table.mutex);
    table.entries[token] = {std::shared_ptr<buffer_impl>(buffer), request};
  }
  buffer->remember(token);
  return token;
}

std::optional<placeholder> find_placeholder(std::uint64_t token) {
  placeholder_table& table = placeholder_table::get();
  const std::lock_guard lock(table.mutex);
  const auto found = table.entries.find(token);
  if (found == table.entries.end()) return std::nullopt;
  auto buffer = found->second.buffer.lock();
  if (!buffer) throw_error(errc::invalid, "accessor: the buffer of this placeholder accessor was destroyed");
  return placeholder{std::move(buffer), found->second.request};
}

host_memory acquire_host(const impl_ptr<buffer_impl>& buffer, const access_request& request, call_site site) {
  check_access(*buffer, request);
  return guarded([&] {
    auto access = prism::acquire_host_access(buffer->node(), engine_mode(request), engine_box(request.region),
                                             line_of(site));
    void* data = access->data();
    // The buffer must outlive the access, because its destructor would wait for the access.
    struct holder {
      std::shared_ptr<buffer_impl> buffer;
      std::shared_ptr<prism::host_access> access;
    };
    return host_memory{std::make_shared<holder>(holder{buffer, std::move(access)}), data};
  });
}

}
}
} // namespace sycl::_V1::detail
