#include "execute.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace remote {

namespace {

constexpr std::size_t alignment = 128;

struct free_deleter {
  void operator()(void* p) const noexcept { std::free(p); }
};
using block = std::unique_ptr<void, free_deleter>;

block allocate(std::uint64_t bytes) {
  block out(std::aligned_alloc(alignment,
                               (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment));
  if (!out) throw std::bad_alloc();
  return out;
}

struct scratch {
  block arena, spill;
};

} // namespace

bool execute(const dispatch& d) {
  const std::uint64_t total = d.groups[0] * d.groups[1] * d.groups[2];
  const std::uint64_t threads =
      std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, std::max<std::uint64_t>(total, 1));
  const std::uint64_t piece = std::max<std::uint64_t>(1, total / (threads * 16));
  const block closure = allocate(d.arguments.size());
  std::copy(d.arguments.begin(), d.arguments.end(), static_cast<std::byte*>(closure.get()));
  std::vector<scratch> scratches; // allocated here, where running out of memory can still be reported
  for (std::uint64_t i = 0; i < threads; ++i)
    scratches.push_back({allocate(d.local_bytes), allocate(d.spill_bytes)});
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> diverged{false};
  const auto work = [&](const scratch& mine) {
    prism::image::group_context context{};
    std::copy_n(d.counts, 3, context.group_count);
    std::copy_n(d.local, 3, context.local_size);
    context.local_arena = mine.arena.get();
    context.spill = mine.spill.get();
    context.exact = d.exact;
    for (std::uint64_t begin; !diverged && (begin = next.fetch_add(piece)) < total;)
      for (std::uint64_t i = begin; i < std::min(total, begin + piece) && !diverged; ++i) {
        context.group_id[0] = d.first[0] + i % d.groups[0];
        context.group_id[1] = d.first[1] + i / d.groups[0] % d.groups[1];
        context.group_id[2] = d.first[2] + i / d.groups[0] / d.groups[1];
        d.function(closure.get(), &context);
        if (context.diverged) diverged = true;
      }
  };
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < threads && total > piece; ++i)
    others.emplace_back(work, std::cref(scratches[i]));
  work(scratches[0]);
  for (std::thread& t : others) t.join();
  return !diverged;
}

} // namespace remote
