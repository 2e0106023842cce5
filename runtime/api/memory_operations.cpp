// The handler's explicit memory operations: validates them and creates the runtime's requests.
#include "runtime/api/command_group.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace sycl {
inline namespace _V1 {

namespace {

std::uint64_t count_of(const detail::element_box& box) {
  return box.extent[0] * box.extent[1] * box.extent[2];
}

/// Whether the commands of the queue can use memory that was allocated for `owner`: a device of the platform
/// of the queue, in any context. Programs make a context for each queue and expect that.
bool is_within_reach(const detail::queue_impl& queue, const prism::device_node* owner) {
  const auto& devices = queue.device()->platform()->devices();
  return owner == nullptr || owner == &queue.device()->node() ||
         std::any_of(devices.begin(), devices.end(),
                     [&](const auto& each) { return &each->node() == owner; });
}

/// Checks a pointer operand. Throws errc::invalid if it is null or near it, if the bytes exceed its USM
/// allocation, or if it belongs to another platform. Ordinary host memory is allowed and cannot be checked.
void check_pointer(const detail::queue_impl& queue, const void* pointer, std::size_t bytes,
                   const char* asked) {
  if (!pointer) detail::throw_error(errc::invalid, std::string(asked) + ": the pointer is null");
  constexpr std::uintptr_t first_page = 4096; // no program has memory there
  if (const auto address = reinterpret_cast<std::uintptr_t>(pointer); address < first_page) {
    detail::throw_error(errc::invalid, std::string(asked) + ": the pointer is " + std::to_string(address) +
                                           ", which is no address; a null pointer with an offset?");
  }
  if (bytes > std::size_t(std::numeric_limits<std::ptrdiff_t>::max())) {
    detail::throw_error(errc::invalid, std::string(asked) + ": " + std::to_string(bytes) +
                                           " bytes are more than any memory has");
  }
  const auto found = prism::usm_find(pointer);
  if (!found) {
    if (prism::usm_was_freed(pointer)) {
      detail::throw_error(errc::invalid, std::string(asked) + ": the USM pointer was freed before");
    }
    return;
  }
  if (found->context && found->context != queue.context().get() && !is_within_reach(queue, found->device)) {
    detail::throw_error(errc::invalid,
                        std::string(asked) + ": the USM pointer belongs to another platform than the queue");
  }
  const auto left = found->bytes - static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) -
                                                              static_cast<const std::byte*>(found->base));
  if (bytes > left) {
    detail::throw_error(errc::invalid, std::string(asked) + ": uses " + std::to_string(bytes) +
                                           " bytes, the allocation has " + std::to_string(left) +
                                           " from there on");
  }
}

/// A copy between a buffer's region and a pointer. `fills`: into the buffer.
void set_copy(detail::handler_impl& group, const detail::accessor_side& region, detail::pointer_side memory,
              bool fills) {
  prism::copy_request request;
  request.bytes = count_of(region.region) * region.element_bytes;
  (fills ? request.to : request.from) = group.side_of(region);
  if (request.bytes == 0) return group.set(prism::empty_request{}, "a copy");
  check_pointer(group.queue(), memory.pointer, request.bytes, "handler::copy");
  prism::copy_side& other = fills ? request.from : request.to;
  other.pointer = memory.pointer;
  other.keep_alive = std::move(memory.keep_alive);
  group.set(std::move(request), "a copy");
}

} // namespace

void handler::copy_out(const detail::accessor_side& from, detail::pointer_side to, detail::call_site site) {
  m_impl.called_at(site);
  set_copy(m_impl, from, std::move(to), false);
}

void handler::copy_in(detail::pointer_side from, const detail::accessor_side& to, detail::call_site site) {
  m_impl.called_at(site);
  set_copy(m_impl, to, std::move(from), true);
}

void handler::copy_global(const void* object, std::size_t whole, std::size_t start, std::size_t count,
                          std::size_t unit, void* memory, bool into, detail::call_site site) {
  m_impl.called_at(site);
  const std::uint64_t places = whole / unit;
  if (start > places || count > places - start) {
    detail::throw_error(errc::invalid, "handler::copy or memcpy of a device_global: " +
                                           std::to_string(count) + " elements from " + std::to_string(start) +
                                           " on exceed it, it has " + std::to_string(places));
  }
  const std::uint64_t bytes = count * unit;
  if (bytes) check_pointer(m_impl.queue(), memory, bytes, "handler::copy or memcpy of a device_global");
  prism::copy_request request;
  prism::copy_side& there = into ? request.to : request.from;
  there.buffer = detail::guarded(
      [&] { return prism::device_global_on(m_impl.queue().device()->node(), object, whole); });
  there.region.offset[2] = start * unit;
  there.region.extent[2] = bytes;
  (into ? request.from : request.to).pointer = memory;
  request.bytes = bytes;
  m_impl.set(bytes ? prism::request(std::move(request)) : prism::empty_request{}, "a copy");
}

void handler::copy_across(const detail::accessor_side& from, const detail::accessor_side& to,
                          detail::call_site site) {
  m_impl.called_at(site);
  const std::uint64_t bytes = count_of(from.region) * from.element_bytes;
  const std::uint64_t room = count_of(to.region) * to.element_bytes;
  if (room < bytes) {
    detail::throw_error(errc::invalid, "handler::copy: the source accessor has " + std::to_string(bytes) +
                                           " bytes, the destination only " + std::to_string(room));
  }
  prism::copy_request request;
  request.bytes = bytes;
  request.from = m_impl.side_of(from);
  request.to = m_impl.side_of(to);
  m_impl.set(bytes ? prism::request(std::move(request)) : prism::empty_request{}, "a copy");
}

void handler::update(const detail::accessor_side& what, detail::call_site site) {
  m_impl.called_at(site);
  prism::copy_side side = m_impl.side_of(what);
  m_impl.set(prism::update_host_request{std::move(side.buffer), side.region}, "an update_host");
}

void handler::fill_accessor(const detail::accessor_side& to, const void* value, detail::call_site site) {
  m_impl.called_at(site);
  prism::fill_request request;
  request.to = m_impl.side_of(to);
  request.bytes = count_of(to.region) * to.element_bytes;
  const auto* bytes = static_cast<const std::byte*>(value);
  request.pattern.assign(bytes, bytes + to.element_bytes);
  m_impl.set(request.bytes ? prism::request(std::move(request)) : prism::empty_request{}, "a fill");
}

void handler::fill_pointer(void* to, const void* value, std::size_t bytes, std::size_t count,
                           detail::call_site site) {
  m_impl.called_at(site);
  prism::fill_request request;
  if (__builtin_mul_overflow(bytes, count, &request.bytes)) {
    detail::throw_error(errc::invalid,
                        "fill: " + std::to_string(count) + " elements are more bytes than can be counted");
  }
  if (count) check_pointer(m_impl.queue(), to, request.bytes, "fill");
  request.to.pointer = to;
  const auto* first = static_cast<const std::byte*>(value);
  request.pattern.assign(first, first + bytes);
  m_impl.set(count ? prism::request(std::move(request)) : prism::empty_request{}, "a fill");
}

void handler::memcpy(void* to, const void* from, std::size_t bytes, detail::call_site site) {
  m_impl.called_at(site);
  if (bytes == detail::uncountable) {
    detail::throw_error(errc::invalid, "memcpy: that many elements are more bytes than can be counted");
  }
  if (bytes) {
    check_pointer(m_impl.queue(), to, bytes, "memcpy, destination");
    check_pointer(m_impl.queue(), from, bytes, "memcpy, source");
  }
  prism::copy_request request;
  request.from.pointer = const_cast<void*>(from);
  request.to.pointer = to;
  request.bytes = bytes;
  m_impl.set(bytes ? prism::request(std::move(request)) : prism::empty_request{}, "a memcpy");
}

namespace {

/// Returns the size of a pitched area in bytes, from its first to its last byte. Throws errc::invalid if rows
/// overlap or there are too many.
std::uint64_t area(std::size_t pitch, std::size_t width, std::size_t height, const char* asked) {
  std::uint64_t bytes = 0;
  if (width > pitch) {
    detail::throw_error(errc::invalid, std::string(asked) + ": rows of " + std::to_string(width) +
                                           " bytes do not fit into a pitch of " + std::to_string(pitch));
  }
  if (pitch == detail::uncountable || __builtin_mul_overflow(pitch, height, &bytes)) {
    detail::throw_error(errc::invalid, std::string(asked) + ": the area has more bytes than can be counted");
  }
  return bytes - (pitch - width);
}

} // namespace

void handler::ext_oneapi_memcpy2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                  std::size_t width, std::size_t height, detail::call_site site) {
  m_impl.called_at(site);
  if (width == 0 || height == 0) return m_impl.set(prism::empty_request{}, "a memcpy2d");
  check_pointer(m_impl.queue(), to, area(to_pitch, width, height, "memcpy2d, destination"),
                "memcpy2d, destination");
  check_pointer(m_impl.queue(), from, area(from_pitch, width, height, "memcpy2d, source"),
                "memcpy2d, source");
  prism::copy_request request;
  request.from.pointer = const_cast<void*>(from);
  request.to.pointer = to;
  request.bytes = width;
  request.rows = height;
  request.from_pitch = from_pitch;
  request.to_pitch = to_pitch;
  m_impl.set(std::move(request), "a memcpy2d");
}

void handler::fill_pitched(void* to, std::size_t pitch, const void* value, std::size_t bytes,
                           std::size_t width, std::size_t height, detail::call_site site) {
  m_impl.called_at(site);
  if (width == 0 || height == 0) return m_impl.set(prism::empty_request{}, "a fill2d");
  check_pointer(m_impl.queue(), to, area(pitch, width, height, "fill2d"), "fill2d");
  prism::fill_request request;
  request.to.pointer = to;
  request.bytes = width;
  request.rows = height;
  request.pitch = pitch;
  const auto* first = static_cast<const std::byte*>(value);
  request.pattern.assign(first, first + bytes);
  m_impl.set(std::move(request), "a fill2d");
}

void handler::memset(void* to, int value, std::size_t bytes, detail::call_site site) {
  m_impl.called_at(site);
  if (bytes) check_pointer(m_impl.queue(), to, bytes, "memset");
  prism::fill_request request;
  request.to.pointer = to;
  request.bytes = bytes;
  request.pattern.assign(1, static_cast<std::byte>(value));
  m_impl.set(bytes ? prism::request(std::move(request)) : prism::empty_request{}, "a memset");
}

void handler::prefetch(const void* from, std::size_t bytes, detail::call_site site) {
  m_impl.called_at(site);
  if (bytes) check_pointer(m_impl.queue(), from, bytes, "prefetch");
  m_impl.set(prism::empty_request{}, "a prefetch");
}

void handler::mem_advise(const void* from, std::size_t bytes, int, detail::call_site site) {
  m_impl.called_at(site);
  if (bytes) check_pointer(m_impl.queue(), from, bytes, "mem_advise");
  m_impl.set(prism::empty_request{}, "a mem_advise");
}

}
} // namespace sycl::_V1
