#include "compiler/device_ir/element_wise.hpp"

#include "compiler/device_ir/captured.hpp"
#include "compiler/device_ir/index_form.hpp"
#include "compiler/support/math_table.hpp"
#include "compiler/device_ir/dimensions.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <algorithm>
#include <set>

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::uint32_t largest_element = 64; // bytes; up to this size it is recorded which bytes are written
constexpr std::size_t most_conditions = 16;
constexpr std::size_t most_accesses = 64, most_checks = 32, most_terms = 8; // that are listed, of one access
using conditions = std::vector<image::element_condition>;

bool same(const image::element_condition& a, const image::element_condition& b) {
  return a.what == b.what && a.extents == b.extents && a.factor == b.factor &&
         std::equal(a.offset, a.offset + 2, b.offset) && std::equal(a.bytes, a.bytes + 2, b.bytes);
}

void add(conditions& to, const image::element_condition& condition) {
  const bool is_true = condition.what == image::element_condition::step_x && condition.factor == 1 &&
                       condition.extents == 0 && condition.bytes[0] == 0;
  if (is_true) return;
  const auto known = find_if(to, [&](const auto& each) { return same(each, condition); });
  if (known == to.end()) to.push_back(condition);
  else known->narrows |= condition.narrows;
}

/// A product of words and extents that must equal `what`; empty if it has other factors.
std::optional<image::element_condition> condition_of(const std::vector<index_atom>& product,
                                                     std::uint64_t factor, std::uint32_t what) {
  image::element_condition out;
  out.what = what;
  out.factor = factor;
  unsigned words = 0;
  for (const index_atom& atom : product) {
    if (atom.kind == atom_kind::extent && (out.extents >> atom.number & 1) == 0) {
      out.extents |= 1u << atom.number;
    } else if (atom.kind == atom_kind::word && words < 2) {
      out.offset[words] = atom.number;
      out.bytes[words++] = atom.bytes;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

/// The slot that a pointer starts from, and its distance from there in bytes.
struct slot_position {
  std::uint32_t slot;
  index_form distance;
};

std::optional<index_form> distance_of(const GEPOperator& gep, index_forms& forms) {
  const DataLayout& layout = cast<Instruction>(gep).getDataLayout();
  index_form out;
  for (auto index = gep_type_begin(gep), end = gep_type_end(gep); index != end; ++index) {
    const Value* operand = index.getOperand();
    index_form part;
    if (StructType* structure = index.getStructTypeOrNull()) {
      part[{}] = layout.getStructLayout(structure)->getElementOffset(
          static_cast<unsigned>(cast<ConstantInt>(operand)->getZExtValue()));
    } else {
      if (!operand->getType()->isIntegerTy(64) && !isa<ConstantInt>(operand)) return std::nullopt;
      const auto number = forms.of(operand);
      if (!number) return std::nullopt;
      for (const auto& [product, factor] : *number)
        part[product] = factor * index.getSequentialElementStride(layout);
    }
    for (const auto& [product, factor] : part) {
      const std::uint64_t sum = out[product] += factor;
      if (sum == 0) out.erase(product);
    }
  }
  return out;
}

std::optional<std::uint32_t> slot_of(const Value* pointer, const Function& kernel,
                                     const kernel_facts& facts) {
  auto* load = dyn_cast<LoadInst>(pointer);
  const auto offset = load ? captured_offset(load->getPointerOperand(), kernel) : std::nullopt;
  for (std::uint32_t i = 0; offset && i < facts.slots.size(); ++i)
    if (facts.slots[i].offset == *offset) return i;
  return std::nullopt;
}

std::optional<slot_position> slot_position_of(const Value* pointer, const Function& kernel,
                                              const kernel_facts& facts, index_forms& forms) {
  index_form distance;
  while (auto* gep = dyn_cast<GetElementPtrInst>(pointer)) {
    const auto part = distance_of(cast<GEPOperator>(*gep), forms);
    if (!part) return std::nullopt;
    for (const auto& [product, factor] : *part) {
      const std::uint64_t sum = distance[product] += factor;
      if (sum == 0) distance.erase(product);
    }
    pointer = gep->getPointerOperand();
  }
  const auto slot = slot_of(pointer, kernel, facts);
  return slot ? std::optional(slot_position{*slot, fold_ids(std::move(distance))}) : std::nullopt;
}

/// The work-item's own element, with the conditions under which the access uses it.
struct own_element {
  std::uint32_t stride = 0, byte = 0;
  conditions needs;
};

std::optional<own_element> own_element_of(const index_form& distance, std::uint64_t bytes,
                                          unsigned dimensions) {
  own_element out;
  bool has[3] = {};
  for (const auto& [product, factor] : distance) // the stride is the factor of x
    if (product.size() == 1 && product[0] == index_atom{atom_kind::global_id, 0})
      out.stride = factor <= 0xffff ? static_cast<std::uint32_t>(factor) : 0;
  for (const auto& [product, factor] : distance)
    if (out.stride == 0 &&
        any_of(product, [](const index_atom& a) { return a == index_atom{atom_kind::global_id, 0}; }) &&
        factor <= 0xffff)
      out.stride = static_cast<std::uint32_t>(factor); // times words that must be 1
  if (out.stride == 0) return std::nullopt;
  for (const auto& [product, factor] : distance) {
    if (product.empty()) {
      if (factor >= out.stride) return std::nullopt;
      out.byte = static_cast<std::uint32_t>(factor);
      continue;
    }
    std::vector<index_atom> rest = product;
    const auto id = std::find_if(rest.begin(), rest.end(),
                                 [](const index_atom& a) { return a.kind == atom_kind::global_id; });
    std::uint32_t what = image::element_condition::zero;
    if (id != rest.end()) {
      what = id->number;
      if (has[what] || factor % out.stride != 0) return std::nullopt;
      has[what] = true;
      rest.erase(id);
    }
    const auto needed = condition_of(
        rest, id != product.end() && what != image::element_condition::zero ? factor / out.stride : 1, what);
    if (!needed) return std::nullopt;
    add(out.needs, *needed);
  }
  for (unsigned d = 0; d < dimensions; ++d)
    if (!has[d]) return std::nullopt;
  return out.byte + bytes <= out.stride ? std::optional(out) : std::nullopt;
}

/// The products of a distance; empty if they have other factors than one id and two captured words.
std::optional<std::vector<image::element_term>> terms_of(const index_form& distance) {
  std::vector<image::element_term> out;
  for (const auto& [product, factor] : distance) {
    image::element_term& term = out.emplace_back();
    term.factor = static_cast<std::int64_t>(factor);
    unsigned words = 0;
    for (const index_atom& atom : product) {
      if (atom.kind == atom_kind::global_id && term.dimension == image::element_term::no_id) {
        term.dimension = atom.number;
      } else if (atom.kind == atom_kind::word && words < 2) {
        term.offset[words] = atom.number;
        term.bytes[words++] = atom.bytes;
      } else {
        return std::nullopt;
      }
    }
  }
  return out.size() <= most_terms ? std::optional(out) : std::nullopt;
}

bool same(const image::element_term& a, const image::element_term& b) {
  return a.factor == b.factor && a.dimension == b.dimension && std::equal(a.offset, a.offset + 2, b.offset) &&
         std::equal(a.bytes, a.bytes + 2, b.bytes);
}

const Value* address_of(const Instruction& instruction) { return getLoadStorePointerOperand(&instruction); }
std::uint64_t bytes_of(const Instruction& access) {
  auto* store = dyn_cast<StoreInst>(&access);
  return access.getDataLayout().getTypeStoreSize(store ? store->getValueOperand()->getType()
                                                       : access.getType());
}

/// Blocks that every work-item of the range executes: each path from the entry to an end contains them, apart
/// from paths of work-items outside of the range.
std::set<const BasicBlock*> blocks_of_all(const Function& kernel) {
  const auto ends_without = [&](const BasicBlock* avoided) {
    std::set<const BasicBlock*> seen{avoided};
    SmallVector<const BasicBlock*> open;
    const auto visit = [&](const BasicBlock* block) {
      if (seen.insert(block).second) open.push_back(block);
    };
    visit(&kernel.getEntryBlock());
    while (!open.empty()) {
      const BasicBlock* block = open.pop_back_val();
      if (isa<ReturnInst, UnreachableInst>(block->getTerminator())) return true;
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      auto* guard = branch && branch->isConditional() ? dyn_cast<CallInst>(branch->getCondition()) : nullptr;
      if (guard && guard->getCalledFunction() && guard->getCalledFunction()->getName() == "__prism_outside") {
        visit(branch->getSuccessor(1));
        continue;
      }
      for (const BasicBlock* next : successors(block)) visit(next);
    }
    return false;
  };
  std::set<const BasicBlock*> out;
  for (const BasicBlock& block : kernel)
    if (&block == &kernel.getEntryBlock() || !ends_without(&block)) out.insert(&block);
  return out;
}

class prover {
public:
  prover(Function& kernel, const kernel_facts& facts)
      : m_kernel(kernel), m_facts(facts), m_spaces(kernel), m_forms(kernel) {
    m_found.slots.resize(facts.slots.size());
    m_always.resize(facts.slots.size());
  }

  element_facts run() {
    m_found.refusal = obstacle();
    if (!m_found.refusal.empty()) return std::move(m_found);
    m_of_all = blocks_of_all(m_kernel);
    for (Instruction& instruction : instructions(m_kernel)) {
      look(instruction);
      if (!m_found.refusal.empty()) return std::move(m_found);
    }
    for (const index_forms::step& step : m_forms.narrow_steps())
      if (auto needed = condition_of(step.product, 1, step.dimension)) {
        needed->narrows = 1;
        add(m_found.conditions, *needed);
      } else m_found.refusal = "it computes indices in 32 bits from more than ids and captured values";
    m_found.narrow = m_forms.is_narrow();
    for (std::size_t i = 0; i < m_found.slots.size(); ++i) mark_always_written(m_found.slots[i], m_always[i]);
    if (m_found.conditions.size() > most_conditions)
      m_found.refusal = "its indices depend on too many captured values";
    return std::move(m_found);
  }

private:
  std::string obstacle() const {
    if (m_facts.uses_barrier) return "it has a barrier";
    if (m_facts.uses_sub_group) return "it uses sub-groups";
    if (m_facts.uses_group_operation) return "it uses its work-group";
    if (m_facts.uses_local_memory) return "it uses local memory";
    if (m_facts.needs_addresses) return "it uses pointers that it did not capture directly";
    if (!m_facts.index_sites.empty()) return "it was compiled with checked indices";
    for (const hidden_fact& hidden : m_facts.hidden) {
      switch (hidden.what) {
        case image::hidden_kind::specialization_constant: return "it uses specialisation constants";
        case image::hidden_kind::output: return "it writes text or has assertions";
        case image::hidden_kind::device_global: return "it uses a device_global";
        case image::hidden_kind::index_faults: return "it was compiled with checked indices";
      }
    }
    if (m_facts.required_local_size[0] != 0 || m_facts.required_sub_group_size != 0)
      return "it has an attribute that fixes its group sizes";
    return {};
  }

  void refuse(const std::string& why) {
    if (m_found.refusal.empty()) m_found.refusal = why;
  }

  void look(Instruction& instruction) {
    if (instruction.isAtomic() || instruction.isVolatile())
      return refuse("it has atomic or volatile accesses");
    if (auto* call = dyn_cast<CallInst>(&instruction)) return look_at_call(*call);
    if (auto* store = dyn_cast<StoreInst>(&instruction);
        store && store->getValueOperand()->getType()->isPointerTy() &&
        m_spaces.of(store->getValueOperand()) != pointer_space::private_)
      return refuse("it stores pointers in memory");
    const Value* address = address_of(instruction);
    if (!address) return;
    switch (m_spaces.of(address)) {
      case pointer_space::none:
      case pointer_space::captured:
      case pointer_space::constant:
      case pointer_space::private_: return;
      case pointer_space::local: return refuse("it uses local memory");
      case pointer_space::mixed: return refuse("it has accesses that may go to several kinds of memory");
      case pointer_space::global: return look_at_access(instruction, address);
    }
  }

  void look_at_call(const CallInst& call) {
    const Function* callee = call.getCalledFunction();
    const StringRef name = callee ? callee->getName() : "";
    for (const char* query : {"__prism_group_id", "__prism_local_size", "__prism_local_id",
                              "__prism_group_count", "__prism_outside"})
      if (name == query) return;
    const bool is_known =
        callee && (isa<IntrinsicInst>(call) || find_math(name) || call.doesNotAccessMemory());
    if (!is_known) return refuse("it calls " + (name.empty() ? std::string("a function") : name.str()));
    for (const Value* argument : call.args())
      if (argument->getType()->isPointerTy() && m_spaces.of(argument) == pointer_space::global)
        return refuse("it passes a pointer to " + name.str());
  }

  void look_at_access(const Instruction& access, const Value* address) {
    const bool writes = isa<StoreInst>(access);
    m_forms.take_checks();
    const auto at = slot_position_of(address, m_kernel, m_facts, m_forms);
    if (!at) return look_at_roots(address, writes);
    image::element_slot& slot = m_found.slots[at->slot];
    const auto alternatives = m_forms.alternatives_of(at->distance);
    const std::vector<index_check> checks = m_forms.take_checks();
    if (!alternatives || !list_checks(checks) || !all_of(*alternatives, [&](const auto& each) {
      return list_access(at->slot, bytes_of(access), each);
    }))
      slot.flags |= image::reaches_anywhere;
    const auto own = own_element_of(at->distance, bytes_of(access), used_dimensions(m_kernel));
    if (!own || !checks.empty() || (slot.stride != 0 && slot.stride != own->stride)) {
      slot.flags |= writes ? image::others_are_written : image::others_are_read;
      return;
    }
    slot.stride = own->stride;
    slot.flags |= writes ? image::element_is_written : image::element_is_read;
    for (const image::element_condition& condition : own->needs) add(m_found.conditions, condition);
    if (writes && slot.stride <= largest_element && m_of_all.count(access.getParent()) != 0)
      m_always[at->slot] |= ones(bytes_of(access)) << own->byte;
  }

  /// Returns false if the access cannot be listed.
  bool list_access(std::uint32_t slot, std::uint64_t bytes, const index_alternative& at) {
    const auto terms = terms_of(at.form);
    if (!terms) return false;
    for (const image::element_access& known : m_found.accesses)
      if (known.slot == slot && known.bytes == bytes && known.bounds == at.bounds && are(known, *terms))
        return true;
    if (m_found.accesses.size() == most_accesses) return false;
    m_found.accesses.push_back({slot, static_cast<std::uint32_t>(bytes), list_terms(*terms),
                                static_cast<std::uint32_t>(terms->size()), at.bounds});
    return true;
  }

  bool list_checks(const std::vector<index_check>& checks) {
    for (const index_check& check : checks) {
      const auto terms = terms_of(check.form);
      if (!terms) return false;
      if (any_of(m_found.checks, [&](const auto& k) { return k.bound == check.bound && are(k, *terms); }))
        continue;
      if (m_found.checks.size() == most_checks) return false;
      m_found.checks.push_back({check.bound, list_terms(*terms), static_cast<std::uint32_t>(terms->size())});
    }
    return true;
  }

  template <typename Listed>
  bool are(const Listed& known, const std::vector<image::element_term>& terms) const {
    return known.term_count == terms.size() &&
           std::equal(terms.begin(), terms.end(), m_found.terms.begin() + known.first_term,
                      [](const auto& a, const auto& b) { return same(a, b); });
  }

  std::uint32_t list_terms(const std::vector<image::element_term>& terms) {
    const auto first = static_cast<std::uint32_t>(m_found.terms.size());
    m_found.terms.insert(m_found.terms.end(), terms.begin(), terms.end());
    return first;
  }

  static std::uint64_t ones(std::uint64_t bytes) {
    return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
  }

  /// For pointers that are selected or moved in ways that the analysis does not follow.
  void look_at_roots(const Value* address, bool writes) {
    SmallVector<const Value*> open{address};
    std::set<const Value*> seen;
    while (!open.empty()) {
      const Value* pointer = open.pop_back_val();
      if (!seen.insert(pointer).second || isa<ConstantPointerNull, UndefValue>(pointer)) continue;
      if (auto* gep = dyn_cast<GEPOperator>(pointer)) open.push_back(gep->getPointerOperand());
      else if (auto* freeze = dyn_cast<FreezeInst>(pointer)) open.push_back(freeze->getOperand(0));
      else if (auto* phi = dyn_cast<PHINode>(pointer))
        open.append(phi->value_op_begin(), phi->value_op_end());
      else if (auto* choice = dyn_cast<SelectInst>(pointer))
        open.append({choice->getTrueValue(), choice->getFalseValue()});
      else if (const auto slot = slot_of(pointer, m_kernel, m_facts))
        m_found.slots[*slot].flags |=
            (writes ? image::others_are_written : image::others_are_read) | image::reaches_anywhere;
      else return refuse("it uses pointers that it did not capture directly");
    }
  }

  static void mark_always_written(image::element_slot& slot, std::uint64_t always) {
    if (slot.stride != 0 && slot.stride <= largest_element &&
        (always & ones(slot.stride)) == ones(slot.stride))
      slot.flags |= image::element_is_written_always;
  }

  Function& m_kernel;
  const kernel_facts& m_facts;
  pointer_spaces m_spaces;
  index_forms m_forms;
  std::set<const BasicBlock*> m_of_all;
  std::vector<std::uint64_t> m_always; // the bytes of the own element that every work-item writes
  element_facts m_found;
};

template <typename T>
void append(std::string& to, const T* data, std::size_t count) {
  static_assert(std::has_unique_object_representations_v<T>, "padding would hold what was in memory before");
  to.append(reinterpret_cast<const char*>(data), sizeof(T) * count);
}

} // namespace

element_facts find_element_facts(Function& kernel, const kernel_facts& facts) {
  return prover(kernel, facts).run();
}

element_places::element_places(Function& kernel, const kernel_facts& facts, const element_facts& known)
    : m_kernel(kernel), m_facts(facts), m_known(known) {}

image::element_place element_places::of(const Instruction& access) const {
  if (!m_known.refusal.empty()) return {};
  const image::element_place own = own_place(access);
  if (own.slot != image::element_place::elsewhere) return own;
  const Value* base = address_of(access);
  while (auto* gep = dyn_cast<GetElementPtrInst>(base)) base = gep->getPointerOperand();
  const auto slot = slot_of(base, m_kernel, m_facts);
  constexpr std::uint32_t others = image::others_are_read | image::others_are_written;
  if (slot && *slot < m_known.slots.size() && (m_known.slots[*slot].flags & others) != 0)
    return {image::element_place::others, 0};
  return own;
}

image::element_place element_places::own_place(const Instruction& access) const {
  index_forms forms(m_kernel);
  const auto at = slot_position_of(address_of(access), m_kernel, m_facts, forms);
  if (!at || at->slot >= m_known.slots.size() || (forms.is_narrow() && !m_known.narrow)) return {};
  if (!forms.take_checks().empty()) return {};
  const auto own = own_element_of(at->distance, bytes_of(access), used_dimensions(m_kernel));
  if (!own || own->stride != m_known.slots[at->slot].stride) return {};
  const auto is_known = [&](const image::element_condition& c) {
    return any_of(m_known.conditions, [&](const auto& k) { return same(k, c); });
  };
  return all_of(own->needs, is_known) ? image::element_place{at->slot, own->byte} : image::element_place{};
}

std::string element_bytes(const element_facts& facts, const std::vector<image::element_place> (&places)[4]) {
  image::element_wise head;
  head.narrow_indices = facts.narrow;
  head.refusal_bytes = static_cast<std::uint32_t>(facts.refusal.size());
  std::string out;
  const bool joins = facts.refusal.empty();
  if (joins) {
    head.slot_count = static_cast<std::uint32_t>(facts.slots.size());
    head.condition_count = static_cast<std::uint32_t>(facts.conditions.size());
    for (unsigned i = 0; i < std::size(places); ++i)
      head.places[i] = static_cast<std::uint32_t>(places[i].size());
    head.access_count = static_cast<std::uint32_t>(facts.accesses.size());
    head.check_count = static_cast<std::uint32_t>(facts.checks.size());
    head.term_count = static_cast<std::uint32_t>(facts.terms.size());
  }
  append(out, &head, 1);
  append(out, facts.slots.data(), head.slot_count);
  append(out, facts.conditions.data(), head.condition_count);
  for (unsigned i = 0; i < std::size(places); ++i) append(out, places[i].data(), head.places[i]);
  append(out, facts.accesses.data(), head.access_count);
  append(out, facts.checks.data(), head.check_count);
  append(out, facts.terms.data(), head.term_count);
  return out + facts.refusal;
}

} // namespace prism::compiler
