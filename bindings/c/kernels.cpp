// Libraries of kernels, and launches by name.
#include "bindings/c/objects.hpp"

#include <cstring>
#include <dlfcn.h>

namespace prism::c_interface {

std::string signature_of(const kernel_object& object) {
  const exported::kernel& kernel = *object.what;
  const char* const shape = object.source ? " any:" : kernel.has_groups ? " groups:" : " items:";
  std::string out = std::string(kernel.name) + " " + std::to_string(kernel.dimensions) + shape;
  for (std::size_t i = 0; i < kernel.parameter_count; ++i) {
    const exported::parameter& p = kernel.parameters[i];
    out += i == 0 ? " " : ", ";
    if (p.what == exported::kind::local) out += "local " + name_of_type(p.type);
    else if (p.what == exported::kind::pointer)
      out += std::string(p.is_const ? "const " : "") + name_of_type(p.type) + "*";
    else out += name_of_type(p.type);
  }
  return out;
}

namespace {

void require_kind(const kernel_object& kernel, std::size_t number, const prism_argument& given) {
  const exported::parameter& p = kernel.what->parameters[number];
  const std::string begin = std::string(kernel.what->name) + ": argument " + std::to_string(number) + " ";
  if (given.struct_size < sizeof(prism_argument))
    throw failure(PRISM_INVALID, begin + "has a struct_size of " + std::to_string(given.struct_size) +
                                     "; set it to sizeof(prism_argument)");
  if (given.kind != static_cast<std::int32_t>(p.what))
    throw failure(PRISM_INVALID,
                  begin + "is of another kind than the kernel declares (" + signature_of(kernel) + ")");
  if (given.type != p.type)
    throw failure(PRISM_INVALID, begin + "is of " + name_of_type(given.type) + "; the kernel declares " +
                                     name_of_type(p.type));
}

/// The argument for the launch. Adds memory that the kernel uses to `memory`.
exported::argument checked_argument(const queue_object& queue, const kernel_object& kernel,
                                    std::size_t number, const prism_argument& given,
                                    std::vector<allocation_ref>& memory) {
  require_kind(kernel, number, given);
  const std::string name = std::string(kernel.what->name) + ": argument " + std::to_string(number);
  exported::argument out{given.value, static_cast<std::size_t>(given.count)};
  const std::size_t size = bytes_of_type(given.type);
  switch (kernel.what->parameters[number].what) {
    case exported::kind::value: required(given.value, (name + "'s value").c_str()); break;
    case exported::kind::local:
      if (given.count == 0 || given.count > (std::uint64_t(1) << 40))
        throw failure(PRISM_INVALID,
                      name + " has " + std::to_string(given.count) + " elements of local memory");
      break;
    case exported::kind::pointer: {
      if (given.value == nullptr && given.count == 0) break;
      std::ptrdiff_t bytes = 0;
      if (__builtin_mul_overflow(given.count, size, &bytes))
        throw failure(PRISM_BAD_POINTER, name + " has more elements than memory");
      memory.push_back(memory_for(queue, given.value, 0, bytes, alignment_of_type(given.type), name));
    }
  }
  return out;
}

void require_range(const kernel_object& object, const std::size_t* global, const std::size_t* local) {
  const exported::kernel& kernel = *object.what;
  required(global, "global");
  if (!object.source && kernel.has_groups != (local != nullptr))
    throw failure(PRISM_INVALID,
                  std::string(kernel.name) + (kernel.has_groups ? " runs in work-groups: `local` is NULL"
                                                                : " runs over items: `local` is not NULL"));
  optional(local, "local");
  for (int d = 0; local != nullptr && d < kernel.dimensions; ++d)
    if (local[d] == 0 || global[d] % local[d] != 0)
      throw failure(PRISM_INVALID, std::string(kernel.name) + ": the work-group's extent " +
                                       std::to_string(local[d]) + " does not divide " +
                                       std::to_string(global[d]));
}

/// By the launcher of the library's kernel, or of the text's.
void launch(sycl::handler& group, const kernel_object& kernel, const std::size_t* global,
            const std::size_t* local, const std::vector<exported::argument>& values) {
  if (!kernel.source) return kernel.what->launch(group, global, local, values.data());
  std::vector<source_argument> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const exported::parameter& p = kernel.what->parameters[i];
    const std::size_t size = bytes_of_type(p.type);
    if (p.what == exported::kind::pointer) arguments.push_back(source_argument::pointer(values[i].value));
    else if (p.what == exported::kind::local)
      arguments.push_back(source_argument::local(values[i].count * size));
    else arguments.push_back({source_parameter::kind::value, values[i].value, size});
  }
  const auto dimensions = static_cast<std::size_t>(kernel.what->dimensions);
  const auto extents = [dimensions](const std::size_t* from) {
    return from == nullptr ? std::vector<std::size_t>() : std::vector<std::size_t>(from, from + dimensions);
  };
  kernel.source->launch(group, extents(global), extents(local), arguments);
}

} // namespace

std::vector<exported::argument> checked_arguments(const queue_object& queue, const kernel_object& kernel,
                                                  const prism_argument* arguments, std::size_t count,
                                                  std::vector<allocation_ref>& memory) {
  const std::size_t wanted = kernel.what->parameter_count;
  if (count != wanted)
    throw failure(PRISM_INVALID, signature_of(kernel) + ": " + std::to_string(count) +
                                     " arguments, but the kernel has " + std::to_string(wanted));
  if (count != 0) required(arguments, "arguments");
  std::vector<exported::argument> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(checked_argument(queue, kernel, i, arguments[i], memory));
  return out;
}

library_object::~library_object() {
  if (opened != nullptr) ::dlclose(opened); // PRISM finishes the work of the library's kernels first
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_library_open(const char* file, prism_library** library, prism_error** error) {
  return guarded("prism_library_open", error, [&] {
    required(file, "file"), required(library, "library");
    auto made = std::make_shared<library_object>();
    made->file = file;
    made->opened = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (made->opened == nullptr) {
      const char* why = ::dlerror();
      throw failure(PRISM_NOT_FOUND, why != nullptr ? why : made->file);
    }
    using function = const void* (*)(std::size_t*);
    const auto list = reinterpret_cast<function>(::dlsym(made->opened, "prism_exported_kernels"));
    if (list == nullptr)
      throw failure(PRISM_INVALID,
                    made->file + " exports no kernels: compile it by prism++ with PRISM_EXPORT_KERNEL");
    std::size_t layout = 0;
    made->first = static_cast<const prism::exported::kernel*>(list(&layout));
    if (layout != sizeof(prism::exported::kernel))
      throw failure(PRISM_INVALID, made->file + " was compiled with another version of PRISM");
    const auto sets = reinterpret_cast<function>(::dlsym(made->opened, "prism_exported_tasks"));
    if (sets != nullptr) made->first_tasks = static_cast<const prism::exported::task_set*>(sets(&layout));
    if (sets != nullptr && layout != sizeof(prism::exported::task_set))
      throw failure(PRISM_INVALID, made->file + " was compiled with another version of PRISM");
    store(library, made);
  });
}

prism_status prism_library_kernels(const prism_library* library, char* text, size_t capacity, size_t* needed,
                                   prism_error** error) {
  return guarded("prism_library_kernels", error, [&] {
    std::string out;
    const auto from = find<library_object>(library, "library");
    for (const auto* k = from->first; k != nullptr; k = k->next) out = std::string(k->name) + "\n" + out;
    give_text(out, text, capacity, needed);
  });
}

prism_status prism_kernel_get(const prism_library* library, const char* name, prism_kernel** kernel,
                              prism_error** error) {
  return guarded("prism_kernel_get", error, [&] {
    auto made = std::make_shared<kernel_object>();
    made->library = find<library_object>(library, "library");
    required(name, "name"), required(kernel, "kernel");
    for (made->what = made->library->first; made->what != nullptr; made->what = made->what->next)
      if (std::strcmp(made->what->name, name) == 0) return store(kernel, made);
    throw failure(PRISM_NOT_FOUND, made->library->file + " exports no kernel \"" + name + "\"");
  });
}

prism_status prism_kernel_text(const prism_kernel* kernel, char* text, size_t capacity, size_t* needed,
                               prism_error** error) {
  return guarded("prism_kernel_text", error, [&] {
    give_text(signature_of(*find<kernel_object>(kernel, "kernel")), text, capacity, needed);
  });
}

prism_status prism_launch(const prism_queue* queue, const prism_kernel* kernel, const size_t* global,
                          const size_t* local, const prism_argument* arguments, size_t argument_count,
                          prism_event* const* waits, size_t wait_count, prism_event** event,
                          prism_error** error) {
  return guarded("prism_launch", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    const auto what = find<kernel_object>(kernel, "kernel");
    optional(event, "event"), require_range(*what, global, local);
    std::vector<allocation_ref> memory;
    const std::vector<prism::exported::argument> values =
        checked_arguments(*on, *what, arguments, argument_count, memory);
    const std::vector<sycl::event> before = events_of(waits, wait_count);
    const sycl::event done = on->queue.submit([&](sycl::handler& h) {
      h.depends_on(before);
      launch(h, *what, global, local, values);
    });
    on->submitted(done, memory);
    give_event(event, *on, done);
  });
}
}
