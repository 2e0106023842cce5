#include "devices/vulkan/lower/scalar_accesses.hpp"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace prism::devices::vulkan::lower {

namespace {

struct vector_type {
  id element = 0;
  word count = 0, bytes = 0; // `bytes`: of an element
};

class splitter {
public:
  explicit splitter(std::span<const word> module) : m_in(module), m_bound(module[3]) {}

  words run() {
    for_each(m_in, [&](const instruction& i) { scan(i); });
    if (m_pointers.empty()) return {m_in.begin(), m_in.end()};
    words out(m_in.begin(), m_in.begin() + header_words);
    for_each(m_in, [&](const instruction& i) {
      if (i.code == spv::OpFunction && !std::exchange(m_is_declared, true)) declare(out);
      if (!replace(out, i)) append(out, i.code, i.operands);
    });
    out[3] = m_bound;
    return out;
  }

private:
  struct place {
    id address = 0;
    const vector_type* type = nullptr;
  };

  void scan(const instruction& i) {
    const auto& o = i.operands;
    switch (i.code) {
      case spv::OpTypeInt:
      case spv::OpTypeFloat:
        m_bytes[o[0]] = o[1] / 8;
        if (i.code == spv::OpTypeInt && o[1] == 64) m_u64 = o[0];
        break;
      case spv::OpTypeVector:
        if (const auto found = m_bytes.find(o[1]); found != m_bytes.end())
          m_vectors[o[0]] = {o[1], o[2], found->second};
        break;
      case spv::OpTypePointer:
        if (const auto found = m_vectors.find(o[2]);
            found != m_vectors.end() && o[1] == spv::StorageClassPhysicalStorageBuffer) {
          m_pointers[o[0]] = &found->second;
          if (found->second.bytes != 4) m_removed.insert(o[2]);
        }
        break;
      case spv::OpConvertUToPtr:
        if (const auto found = m_pointers.find(o[0]); found != m_pointers.end())
          m_places[o[1]] = {o[2], found->second};
        break;
      case spv::OpLoad:
        if (m_places.count(o[2]) != 0) m_elements[o[1]].resize(m_places[o[2]].type->count);
        break;
      case spv::OpCompositeExtract: // the first element of that number gets its id
        if (const auto found = m_elements.find(o[2]); found != m_elements.end()) {
          if (found->second.at(o[3]) != 0) throw refused{"a vector with an element that is read twice"};
          found->second[o[3]] = o[1];
        }
        break;
      case spv::OpCompositeConstruct:
        m_made[o[1]] = {o.begin() + 2, o.end()};
        if (m_removed.count(o[0]) != 0) m_left_out.insert(o[1]);
        break;
      case spv::OpStore:
        if (m_places.count(o[0]) != 0) m_left_out.insert(o[1]);
        break;
      default: break;
    }
  }

  /// Pointers to the elements, and the distances from the first one.
  void declare(words& out) {
    if (m_u64 == 0) throw refused{"addresses that are not numbers of 64 bits"};
    for (const auto& [pointer, type] : m_pointers) {
      id& made = m_element_pointers[type->element];
      if (made != 0) continue;
      made = m_bound++;
      append(out, spv::OpTypePointer, words{made, spv::StorageClassPhysicalStorageBuffer, type->element});
    }
    for (word distance = 1; distance < 16; ++distance) {
      m_distances[distance] = m_bound++;
      append(out, spv::OpConstant, words{m_u64, m_distances[distance], distance, 0});
    }
  }

  bool replace(words& out, const instruction& i) {
    const auto& o = i.operands;
    switch (i.code) {
      case spv::OpTypeVector: return m_removed.count(o[0]) != 0;
      case spv::OpTypePointer: return m_pointers.count(o[0]) != 0;
      case spv::OpConvertUToPtr: return m_places.count(o[1]) != 0;
      case spv::OpCompositeExtract:
        if (m_left_out.count(o[2]) == 0) return m_elements.count(o[2]) != 0;
        append(out, spv::OpCopyObject, words{o[0], o[1], elements_of(o[2]).at(o[3])});
        return true;
      case spv::OpCompositeConstruct: return m_left_out.count(o[1]) != 0;
      case spv::OpLoad: return load(out, i);
      case spv::OpStore: return store(out, i);
      default: return false;
    }
  }

  bool load(words& out, const instruction& i) {
    const auto found = m_places.find(i.operands[2]);
    if (found == m_places.end()) return false;
    const auto& [address, type] = found->second;
    words& elements = m_elements[i.operands[1]];
    for (word k = 0; k < type->count; ++k) {
      if (elements[k] == 0) elements[k] = m_bound++;
      words all{type->element, elements[k], pointer(out, address, *type, k)};
      const words how = access_of(i.operands.subspan(3), *type);
      all.insert(all.end(), how.begin(), how.end());
      append(out, spv::OpLoad, all);
    }
    return true;
  }

  bool store(words& out, const instruction& i) {
    const auto found = m_places.find(i.operands[0]);
    if (found == m_places.end()) return false;
    const auto& [address, type] = found->second;
    const words& elements = elements_of(i.operands[1]);
    if (elements.size() != type->count) throw refused{"a vector that is made of vectors"};
    for (word k = 0; k < type->count; ++k) {
      words all{pointer(out, address, *type, k), elements[k]};
      const words how = access_of(i.operands.subspan(2), *type);
      all.insert(all.end(), how.begin(), how.end());
      append(out, spv::OpStore, all);
    }
    return true;
  }

  const words& elements_of(id vector) const {
    const auto made = m_made.find(vector), loaded = m_elements.find(vector);
    if (made == m_made.end() && loaded == m_elements.end()) throw refused{"a vector of unknown elements"};
    return made != m_made.end() ? made->second : loaded->second;
  }

  id pointer(words& out, id address, const vector_type& type, word index) {
    if (index != 0) {
      append(out, spv::OpIAdd, words{m_u64, m_bound, address, m_distances[index * type.bytes]});
      address = m_bound++;
    }
    append(out, spv::OpConvertUToPtr, words{m_element_pointers[type.element], m_bound, address});
    return m_bound++;
  }

  static words access_of(std::span<const word> how, const vector_type& type) {
    if (how.size() != 2 || (how[0] & spv::MemoryAccessAlignedMask) == 0)
      throw refused{"an access of a vector without an alignment"};
    return {how[0], type.bytes};
  }

  const std::span<const word> m_in;
  id m_bound, m_u64 = 0;
  std::unordered_map<id, word> m_bytes;
  std::unordered_map<id, vector_type> m_vectors;
  std::map<id, const vector_type*> m_pointers;      // by pointer type
  std::unordered_set<id> m_removed, m_left_out;     // types; constructed vectors
  std::unordered_map<id, place> m_places;           // by pointer
  std::unordered_map<id, words> m_elements, m_made; // of loaded and of constructed vectors
  std::unordered_map<id, id> m_element_pointers;    // by element type
  id m_distances[16] = {};                          // constants
  bool m_is_declared = false;
};

} // namespace

words with_scalar_accesses(std::span<const word> module) { return splitter(module).run(); }

} // namespace prism::devices::vulkan::lower
