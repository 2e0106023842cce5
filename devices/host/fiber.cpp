#include "devices/host/fiber.hpp"

#include "devices/api/types.hpp"
#include "devices/host/fiber_sanitizer.hpp"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace prism::devices::host {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

std::size_t page_bytes() {
  static const auto bytes = std::size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* map_stack(std::size_t stack_bytes) {
  const auto guard = page_bytes();
  void* mapping = mmap(nullptr, stack_bytes + guard, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping != MAP_FAILED && mprotect(mapping, guard, PROT_NONE) == 0) return mapping;
  const int code = errno;
  if (mapping != MAP_FAILED) munmap(mapping, stack_bytes + guard);
  throw device_error(
      error_category::out_of_memory, std::strerror(code),
      "reserve a work-item's stack on the host device: the system refused; use smaller work-groups or "
      "raise vm.max_map_count");
}

} // namespace

fiber::fiber(job run, void* owner) : m_run(run), m_owner(owner), m_mapping(map_stack(stack_bytes)) {
  m_sanitizer_fiber = sanitizer::create_fiber();
  m_inside = make_fcontext(static_cast<std::byte*>(m_mapping) + page_bytes() + stack_bytes, stack_bytes,
                           &fiber::main);
}

fiber::~fiber() {
  sanitizer::destroy_fiber(m_sanitizer_fiber);
  sanitizer::forget_stack(static_cast<std::byte*>(m_mapping) + page_bytes(), stack_bytes);
  munmap(m_mapping, stack_bytes + page_bytes());
}

void fiber::resume() {
  void* saved = nullptr;
  m_sanitizer_thread = sanitizer::current_fiber();
  sanitizer::start_switch(&saved, static_cast<std::byte*>(m_mapping) + page_bytes(), stack_bytes);
  sanitizer::switch_to(m_sanitizer_fiber);
  m_inside = jump_fcontext(m_inside, this).fctx;
  sanitizer::finish_switch(saved, nullptr, nullptr);
}

void fiber::suspend() {
  void* saved = nullptr;
  sanitizer::start_switch(&saved, m_thread_stack, m_thread_stack_bytes);
  sanitizer::switch_to(m_sanitizer_thread);
  m_outside = jump_fcontext(m_outside, nullptr).fctx;
  sanitizer::finish_switch(saved, &m_thread_stack, &m_thread_stack_bytes);
}

void fiber::abandon() {
  sanitizer::destroy_fiber(m_sanitizer_fiber);
  sanitizer::forget_stack(static_cast<std::byte*>(m_mapping) + page_bytes(), stack_bytes);
  m_sanitizer_fiber = sanitizer::create_fiber();
  m_inside = make_fcontext(static_cast<std::byte*>(m_mapping) + page_bytes() + stack_bytes, stack_bytes,
                           &fiber::main);
}

void fiber::main(transfer_t from) {
  auto* self = static_cast<fiber*>(from.data);
  self->m_outside = from.fctx;
  sanitizer::finish_switch(nullptr, &self->m_thread_stack, &self->m_thread_stack_bytes);
  for (;;) {
    self->m_run(*self, self->m_owner);
    self->suspend();
  }
}

} // namespace prism::devices::host
