#include "compiler/device_ir/wide_accesses.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {

using namespace llvm;

namespace {

constexpr std::uint32_t widest_access = 16; // bytes
constexpr std::size_t most_in_run = 64;     // each access is compared with those of its run
constexpr unsigned deepest_address = 8;     // address computations above each other

/// A base, and what is added to it that is not constant: numbers and their factors.
using address_base = std::pair<const Value*, std::vector<std::pair<const Value*, std::int64_t>>>;

struct part {
  const Instruction* access;
  std::uint64_t align;
  std::int64_t offset; // from the base
  std::uint32_t bytes;
};
using run = std::vector<part>; // of one base, in the order of the block

bool overlaps(const run& accesses, const part& one) {
  return any_of(accesses, [&](const part& each) {
    return each.offset < one.offset + one.bytes && one.offset < each.offset + each.bytes;
  });
}

} // namespace

class joiner {
public:
  joiner(wide_accesses& into, function_ref<bool(const Value*)> is_joined, const DataLayout& layout)
      : m_into(into), m_is_joined(is_joined), m_layout(layout) {}

  void take(const Instruction& instruction) {
    const auto* load = dyn_cast<LoadInst>(&instruction);
    const auto* store = dyn_cast<StoreInst>(&instruction);
    const bool is_simple = (load != nullptr && load->isSimple()) || (store != nullptr && store->isSimple());
    if (!is_simple) {
      if (instruction.mayReadOrWriteMemory()) end_all();
      return;
    }
    if (instruction.hasMetadata(LLVMContext::MD_invariant_load)) return; // nothing writes the captured block
    const Value* const pointer = getLoadStorePointerOperand(&instruction);
    if (!m_is_joined(pointer)) return;
    const auto [base, offset] = offset_in(pointer);
    Type* const type = getLoadStoreType(const_cast<Instruction*>(&instruction));
    const part here{&instruction, getLoadStoreAlignment(const_cast<Instruction*>(&instruction)).value(),
                    offset, static_cast<std::uint32_t>(m_layout.getTypeStoreSize(type))};
    load != nullptr ? take_load(base, here) : take_store(base, here);
  }

  void end_all() {
    end_stores();
    for (auto& [base, open] : m_loads) join(open.parts);
    m_loads.clear();
  }

private:
  struct loads {
    run parts, written; // `written`: stores since the first part, to other bytes
  };

  std::pair<unsigned, std::int64_t> offset_in(const Value* pointer) {
    APInt fixed(64, 0);
    address_base base;
    for (unsigned depth = 0; depth < deepest_address && isa<GEPOperator>(pointer); ++depth) {
      const auto& address = *cast<GEPOperator>(pointer);
      MapVector<Value*, APInt> steps;
      APInt constant_part(64, 0);
      if (!address.collectOffset(m_layout, 64, steps, constant_part)) break;
      fixed += constant_part;
      for (const auto& [number, factor] : steps) base.second.emplace_back(number, factor.getSExtValue());
      pointer = address.getPointerOperand();
    }
    base.first = pointer;
    std::sort(base.second.begin(), base.second.end());
    return {m_bases.try_emplace(base, static_cast<unsigned>(m_bases.size())).first->second,
            fixed.getSExtValue()};
  }

  void take_load(unsigned base, const part& here) {
    if (base != m_stored_base || overlaps(m_stores, here)) end_stores();
    loads& open = m_loads[base];
    if (open.parts.size() + open.written.size() >= most_in_run || overlaps(open.written, here)) {
      join(open.parts);
      open = {};
    }
    open.parts.push_back(here);
  }

  void take_store(unsigned base, const part& here) {
    if (base != m_stored_base || m_stores.size() >= most_in_run || overlaps(m_stores, here)) end_stores();
    for (auto open = m_loads.begin(); open != m_loads.end();) {
      const bool is_full = open->second.parts.size() + open->second.written.size() >= most_in_run;
      if (open->first == base && !is_full) {
        open->second.written.push_back(here);
        ++open;
        continue;
      }
      join(open->second.parts);
      open = m_loads.erase(open);
    }
    m_stored_base = base;
    m_stores.push_back(here);
  }

  void end_stores() {
    join(m_stores);
    m_stores.clear();
  }

  /// Joins what lies side by side in a run of loads or of stores.
  void join(run& parts) {
    if (parts.size() < 2) return;
    std::vector<std::size_t> order(parts.size()); // by address
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(parts[a].offset, parts[a].bytes, a) < std::tuple(parts[b].offset, parts[b].bytes, b);
    });
    order.erase(std::unique(order.begin(), order.end(), // loads of the same bytes
                            [&](std::size_t a, std::size_t b) {
      return parts[a].offset == parts[b].offset && parts[a].bytes == parts[b].bytes;
    }),
                order.end());
    const part& known = *std::max_element(parts.begin(), parts.end(),
                                          [](const part& a, const part& b) { return a.align < b.align; });
    for (std::size_t i = 0; i < order.size();) i += join_at(parts, order, i, known);
  }

  /// How many parts were joined, or 1.
  std::size_t join_at(const run& parts, const std::vector<std::size_t>& order, std::size_t from,
                      const part& known) {
    const part& first = parts[order[from]];
    for (const std::uint32_t count : {4u, 2u}) {
      const std::uint32_t all = count * first.bytes;
      const bool is_aligned = all <= widest_access && known.align >= all &&
                              (first.offset - known.offset) % std::int64_t{all} == 0;
      if (!is_aligned || from + count > order.size()) continue;
      bool are_adjacent = true;
      for (std::uint32_t k = 0; k < count; ++k) {
        const part& each = parts[order[from + k]];
        are_adjacent &= each.bytes == first.bytes &&
                        each.offset == first.offset + std::int64_t{k} * first.bytes &&
                        !getLoadStoreType(const_cast<Instruction*>(each.access))->isPointerTy();
      }
      if (!are_adjacent) continue;
      const auto begin = order.begin() + std::ptrdiff_t(from), end = begin + count;
      const bool is_load = isa<LoadInst>(first.access);
      wide_access& made = m_into.m_all.emplace_back();
      made.bytes = first.bytes;
      made.place = parts[is_load ? *std::min_element(begin, end) : *std::max_element(begin, end)].access;
      for (auto each = begin; each != end; ++each) {
        made.parts.push_back(parts[*each].access);
        m_into.m_of[parts[*each].access] = &made;
      }
      return count;
    }
    return 1;
  }

  wide_accesses& m_into;
  function_ref<bool(const Value*)> m_is_joined;
  const DataLayout& m_layout;
  std::map<address_base, unsigned> m_bases;
  std::map<unsigned, loads> m_loads;
  run m_stores; // of the base that the last store had, since another base or an overlap
  unsigned m_stored_base = 0;
};

wide_accesses::wide_accesses(const Function& kernel, function_ref<bool(const Value*)> is_joined,
                             const DataLayout& layout, wide_numbers numbers) {
  joiner joins(*this, is_joined, layout);
  for (const BasicBlock& block : kernel) {
    for (const Instruction& each : block) joins.take(each);
    joins.end_all();
  }
  find_moves();
  if (numbers == wide_numbers::copied) leave_wide_numbers();
}

void wide_accesses::find_moves() {
  for (wide_access& store : m_all) {
    const auto stored = [&](std::size_t part) {
      return dyn_cast<Instruction>(cast<StoreInst>(store.parts[part])->getValueOperand());
    };
    if (!isa<StoreInst>(store.place) || stored(0) == nullptr) continue;
    const wide_access* const load = of(*stored(0));
    if (load == nullptr || load->bytes != store.bytes || load->parts.size() != store.parts.size()) continue;
    bool is_move = true;
    for (std::size_t k = 0; k < store.parts.size(); ++k) is_move &= stored(k) == load->parts[k];
    if (is_move) store.moved = load;
  }
  for (wide_access& load : m_all)
    load.is_moved = isa<LoadInst>(load.place) && all_of(load.parts, [&](const Instruction* part) {
      return all_of(part->users(), [&](const User* user) {
        const wide_access* const store = of(*cast<Instruction>(user));
        return store != nullptr && store->moved == &load;
      });
    });
  for (wide_access& store : m_all)
    if (store.moved != nullptr && !store.moved->is_moved) store.moved = nullptr;
}

void wide_accesses::leave_wide_numbers() {
  for (const wide_access& each : m_all)
    if (each.bytes == 8 && !each.is_moved && each.moved == nullptr)
      for (const Instruction* part : each.parts) m_of.erase(part);
}

const wide_access* wide_accesses::of(const Instruction& access) const { return m_of.lookup(&access); }

} // namespace prism::compiler
