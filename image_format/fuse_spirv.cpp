#include "image_format/fuse_spirv.hpp"

#include "image_format/spirv_words.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace prism::image_format {

namespace {

struct refusal {
  std::string text;
};

/// The functions that a kernel calls for elements: __prism_element_f32_0, with the number of the part.
constexpr std::string_view element_name = "__prism_element_";

class module_fuser {
public:
  enum class role {
    one_of_all, // called in order
    element,    // called for an element
    caller,     // of elements
  };
  explicit module_fuser(std::string_view entry) : m_entry(entry) {}

  void add(const spirv_part& part, role as = role::one_of_all) {
    const module_reader module(part.words);
    m_role = as;
    m_names.clear();
    m_is_skipped = false;
    if (!module.valid()) throw refusal{"an image is not SPIR-V"};
    m_version = std::max(m_version, module.version());
    m_ids.clear();
    m_marks.clear();
    m_constants.clear();
    m_push_constants = 0;
    m_accesses = 0;
    m_part = &part;
    m_converted.clear();
    m_blocks.clear();
    m_in_function = false;
    if (!module.read([&](const instruction& i) { gather_marks(i); })) throw refusal{"an image is damaged"};
    module.read([&](const instruction& i) { take(i); });
    if (!part.removed.empty() && m_accesses != part.places.size())
      throw refusal{"the accesses of an image differ from its record"};
  }

  words finish() {
    const word type_void = global(op_type_void, {}, {}), type = global(op_type_function, {type_void}, {});
    const word function = fresh();
    words out{magic, m_version, 0, 0, 0};
    for (const word c : m_capabilities) append(out, op_capability, {c});
    for (const words& e : m_extensions) append(out, op_extension, e);
    out.insert(out.end(), m_imports.begin(), m_imports.end());
    append(out, op_memory_model, m_memory_model);
    words entry{execution_model_compute, function};
    const words name = literal(m_entry);
    entry.insert(entry.end(), name.begin(), name.end());
    entry.insert(entry.end(), m_interface.begin(), m_interface.end());
    append(out, op_entry_point, entry);
    for (const words& mode : m_modes) {
      words all{function};
      all.insert(all.end(), mode.begin(), mode.end());
      append(out, op_execution_mode, all);
    }
    out.insert(out.end(), m_decorations.begin(), m_decorations.end());
    out.insert(out.end(), m_globals.begin(), m_globals.end());
    out.insert(out.end(), m_functions.begin(), m_functions.end());
    out.insert(out.end(), m_element_functions.begin(), m_element_functions.end());
    append(out, op_function, {type_void, function, 0, type});
    append(out, op_label, {fresh()});
    for (const word part : m_called) append(out, op_function_call, {type_void, fresh(), part});
    append(out, op_return, {});
    append(out, op_function_end, {});
    out[3] = m_last + 1;
    return out;
  }

  /// Writes the functions that compute elements: what the other parts write to the memory.
  void define_elements(const computed_element& element) {
    for (const auto& [name, function] : m_wanted) define_element(function, element);
  }

private:
  /// A function of the caller that computes part `number` of an element.
  struct element_function {
    word id = 0, type = 0, function_type = 0, number = 0;
  };
  word uint_type() { return global(op_type_int, {32, 0}, {}); }
  word uint_number(word value) { return global(op_constant, {uint_type(), value}, {}); }

  void define_element(const element_function& f, const computed_element& element) {
    words& out = m_element_functions;
    const word index = fresh(), u32 = uint_type(), bytes = m_bytes.at(f.type);
    append(out, op_function, {f.type, f.id, 0, f.function_type});
    append(out, op_function_parameter, {u32, index});
    append(out, op_label, {fresh()});
    if (m_item != 0) { // the kernels add the number of the first group of a slice
      const word from = fresh(), first = fresh(), group = fresh(), to = fresh();
      append(out, op_access_chain,
             {global(op_type_pointer, {storage_push_constant, u32}, {}), from, m_block, uint_number(4)});
      append(out, op_load, {u32, first, from});
      append(out, op_i_sub, {u32, group, index, first});
      append(out, op_access_chain,
             {global(op_type_pointer, {storage_private, u32}, {}), to, m_item, uint_number(0)});
      append(out, op_store, {to, group});
    }
    const word type_void = global(op_type_void, {}, {});
    for (const word part : m_elements) append(out, op_function_call, {type_void, fresh(), part});
    const auto stored = m_private.find({element.memory, f.number * bytes});
    if (stored == m_private.end() || m_bytes.at(stored->second.first) != bytes) refuse_pieces();
    word made = fresh();
    append(out, op_load, {stored->second.first, made, stored->second.second});
    if (stored->second.first != f.type) {
      const word bits = made;
      append(out, op_bitcast, {f.type, made = fresh(), bits});
    }
    append(out, op_return_value, {made});
    append(out, op_function_end, {});
  }

  word fresh() { return ++m_last; }
  word mapped(word id) {
    word& to = m_ids[id];
    if (to == 0) to = fresh();
    return to;
  }

  /// Collects the decorations of each id, in a first pass before ids are renumbered.
  void gather_marks(const instruction& i) {
    if (i.code == op_name) m_names[i.operands[0]] = text_of(i.operands.subspan(1));
    if (i.code != op_decorate && i.code != op_member_decorate) return;
    words mark{i.code};
    mark.insert(mark.end(), i.operands.begin() + 1, i.operands.end());
    m_marks[i.operands[0]].push_back(mark);
  }

  void take(const instruction& i) {
    if (m_in_function) return take_in_function(i);
    switch (i.code) {
      case op_capability: m_capabilities.insert(i.operands[0]); return;
      case op_extension: m_extensions.insert(words(i.operands.begin(), i.operands.end())); return;
      case op_ext_inst_import: return take_import(i);
      case op_memory_model: m_memory_model.assign(i.operands.begin(), i.operands.end()); return;
      case op_execution_mode: m_modes.insert(words(i.operands.begin() + 1, i.operands.end())); return;
      case op_entry_point:
      case op_name:
      case op_decorate:
      case op_member_decorate: return; // written anew, or together with the id that they decorate
      case op_function:
        m_in_function = true;
        m_is_skipped = m_role == role::caller && m_names[i.operands[1]].starts_with(element_name);
        return m_is_skipped ? want_element(i) : begin_function(i);
      default: return take_global(i);
    }
  }

  void take_import(const instruction& i) {
    words name(i.operands.begin() + 1, i.operands.end());
    word& id = m_import_ids[name];
    if (id == 0) {
      id = fresh();
      name.insert(name.begin(), id);
      append(m_imports, op_ext_inst_import, name);
    }
    m_ids[i.operands[0]] = id;
  }

  /// Returns the id of a type, constant or variable; equal ones share an id. `operands` lack the result; for
  /// constants and variables the first operand is the type.
  word global(word code, const words& operands, const std::vector<words>& marks) {
    const bool has_type = code >= op_constant_true;
    const bool is_own =
        code == op_variable && operands[1] != storage_input && operands[1] != storage_push_constant;
    words key{code};
    key.insert(key.end(), operands.begin(), operands.end());
    for (const words& mark : marks) {
      key.push_back(~word{0}); // separator: not a valid operand
      key.insert(key.end(), mark.begin(), mark.end());
    }
    if (!is_own)
      if (const auto known = m_known.find(key); known != m_known.end()) return known->second;
    const word id = fresh();
    m_known[key] = id;
    words all = operands;
    all.insert(all.begin() + (has_type ? 1 : 0), id);
    append(m_globals, code, all);
    for (const words& mark : marks) {
      words decoration{id};
      decoration.insert(decoration.end(), mark.begin() + 1, mark.end());
      append(m_decorations, mark[0], decoration);
    }
    if (code == op_variable) m_interface.push_back(id);
    return id;
  }

  void take_global(const instruction& i) {
    words operands(i.operands.begin(), i.operands.end());
    std::size_t result = 0;
    const auto map_from = [&](std::size_t first) {
      for (std::size_t n = first; n < operands.size(); ++n) operands[n] = mapped(operands[n]);
    };
    switch (i.code) {
      case op_type_void:
      case op_type_bool:
      case op_type_int:
      case op_type_float: break;
      case op_type_vector: operands[1] = mapped(operands[1]); break;
      case op_type_array:
      case op_type_struct:
      case op_type_function: map_from(1); break;
      case op_type_pointer: operands[2] = mapped(operands[2]); break;
      case op_constant_true:
      case op_constant_false:
      case op_constant:
      case op_constant_null:
      case op_spec_constant_true:
      case op_spec_constant_false:
      case op_spec_constant:
        operands[0] = mapped(operands[0]);
        result = 1;
        break;
      case op_constant_composite:
      case op_spec_constant_composite:
        operands[0] = mapped(operands[0]);
        map_from(2);
        result = 1;
        break;
      case op_variable:
        operands[0] = mapped(operands[0]);
        if (operands.size() > 3) operands[3] = mapped(operands[3]);
        result = 1;
        break;
      default:
        throw refusal{"an image has an instruction that cannot be fused, number " + std::to_string(i.code)};
    }
    const word old = operands[result];
    operands.erase(operands.begin() + std::ptrdiff_t(result));
    const auto marks = m_marks.find(old);
    const std::vector<words> none, &own = marks != m_marks.end() ? marks->second : none;
    if (m_role == role::element && take_place(i.code, old, operands, own)) return;
    const word made = global(i.code, operands, own);
    m_ids[old] = made;
    if (i.code == op_type_int || i.code == op_type_float) m_bytes[made] = i.operands[1] / 8;
    if (i.code == op_type_vector) m_vectors[made] = {operands[0], operands[1]};
    if (i.code == op_variable && operands[1] == storage_push_constant) m_push_constants = old, m_block = made;
    if (i.code == op_constant) m_constants[old] = words(i.operands.begin() + 2, i.operands.end());
  }

  /// Of a kernel that computes an element: its range's groups have one work-item, and the number of the group
  /// is a variable. True if the type, constant or variable is replaced.
  bool take_place(word code, word old, const words& operands, const std::vector<words>& marks) {
    const auto value_of = [&](word decoration) {
      for (const words& mark : marks)
        if (mark.size() == 3 && mark[1] == decoration) return mark[2];
      return ~word{0};
    };
    if (code == op_type_pointer && operands[0] == storage_input)
      m_ids[old] = global(op_type_pointer, {storage_private, operands[1]}, {});
    else if (code == op_spec_constant && value_of(decoration_spec_id) < 3)
      m_ids[old] = global(op_constant, {operands[0], 1}, {});
    else if (code == op_spec_constant_composite && value_of(decoration_built_in) == built_in_work_group_size)
      m_ids[old] = global(op_constant_composite, operands, {});
    else if (code == op_variable && operands[1] == storage_input) {
      const word which = value_of(decoration_built_in);
      if (which != built_in_work_group_id && which != built_in_local_invocation_id)
        throw refusal{"a kernel whose elements are computed asks for more than its work-item's place"};
      word& variable = which == built_in_work_group_id ? m_item : m_zeros;
      if (variable == 0) {
        const word vector = global(op_type_vector, {uint_type(), 3}, {});
        variable =
            global(op_variable, {operands[0], storage_private, global(op_constant_null, {vector}, {})}, {});
      }
      m_ids[old] = variable;
    } else return false;
    return true;
  }

  /// A call of the function computes an element; its own body is left out.
  void want_element(const instruction& i) {
    const std::string& name = m_names[i.operands[1]];
    element_function& wanted = m_wanted[name];
    if (wanted.id == 0) {
      const std::string number = name.substr(name.rfind('_') + 1);
      wanted = {mapped(i.operands[1]), mapped(i.operands[0]), mapped(i.operands[3]),
                word(std::stoul(number))};
    }
    m_ids[i.operands[1]] = wanted.id;
  }

  void begin_function(const instruction& i) {
    m_function = fresh();
    m_ids[i.operands[1]] = m_function;
    (m_role == role::element ? m_elements : m_called).push_back(m_function);
    append(m_functions, op_function,
           {mapped(i.operands[0]), m_function, i.operands[2], mapped(i.operands[3])});
  }

  void take_in_function(const instruction& i) {
    if (m_is_skipped) {
      m_in_function = i.code != op_function_end;
      return;
    }
    shape form;
    if (!shape_of(i.code, form) && !(m_role == role::caller && shape_of_shared(i.code, form)))
      throw refusal{"an image has an instruction that cannot be fused, number " + std::to_string(i.code)};
    words operands(i.operands.begin(), i.operands.end());
    for (std::size_t n = 0; n < operands.size() && n < form.ids_end; ++n)
      if (n != form.literal) operands[n] = mapped(operands[n]);
    if (i.code == op_load || i.code == op_store) {
      if (access_removed(i, operands)) return;
      if (load_block(i, operands)) return;
    }
    append(m_functions, i.code, operands);
    if (form.result) mark(i.operands[form.type ? 1 : 0]);
    if (i.code == op_convert_u_to_ptr) m_converted.insert(i.operands[1]);
    if (i.code == op_access_chain) record_chain(i);
    if (i.code == op_function_end) m_in_function = false;
  }

  /// Writes the decorations of a value (NoContraction).
  void mark(word old) {
    const auto marks = m_marks.find(old);
    if (marks == m_marks.end()) return;
    for (const words& each : marks->second) {
      words decoration{m_ids[old]};
      decoration.insert(decoration.end(), each.begin() + 1, each.end());
      append(m_decorations, each[0], decoration);
    }
  }

  /// Records the access chain to the captured block's address in the push constants.
  void record_chain(const instruction& i) {
    const auto index = i.operands.size() == 4 ? m_constants.find(i.operands[3]) : m_constants.end();
    if (i.operands[2] == m_push_constants && index != m_constants.end() && index->second == words{0})
      m_blocks.insert(i.operands[1]);
  }

  /// Adds the part's offset to the address of the captured block: it is after the blocks of the previous
  /// parts.
  bool load_block(const instruction& i, const words& operands) {
    if (i.code != op_load || m_blocks.count(i.operands[2]) == 0 || m_part->offset == 0) return false;
    const word whole = fresh();
    words load = operands;
    load[1] = whole;
    append(m_functions, op_load, load);
    const word offset = global(op_constant, {operands[0], m_part->offset, 0}, {});
    append(m_functions, op_i_add, {operands[0], operands[1], whole, offset});
    return true;
  }

  bool access_removed(const instruction& i, const words& operands) {
    const word pointer = i.operands[i.code == op_load ? 2 : 0];
    if (m_converted.count(pointer) == 0) return false;
    const std::size_t number = m_accesses++;
    if (number >= m_part->places.size()) return false;
    const image::element_place& place = m_part->places[number];
    const auto removed = std::find_if(m_part->removed.begin(), m_part->removed.end(),
                                      [&](const removed_slot& r) { return r.slot == place.slot; });
    if (removed == m_part->removed.end()) return false;
    i.code == op_load ? load_private(operands[0], operands[1], removed->memory, place.byte)
                      : store_private(pointee(pointer), operands[1], removed->memory, place.byte);
    return true;
  }

  /// Vectors are stored by elements: another kernel may access these one by one.
  void load_private(word type, word result, word memory, word byte) {
    const auto vector = m_vectors.find(type);
    if (vector == m_vectors.end()) {
      append(m_functions, op_load, {type, result, private_variable(memory, byte, type)});
      return;
    }
    const auto [element, count] = vector->second;
    words whole{type, result};
    for (word n = 0; n < count; ++n) {
      const word one = whole.emplace_back(fresh());
      append(m_functions, op_load,
             {element, one, private_variable(memory, byte + n * m_bytes.at(element), element)});
    }
    append(m_functions, op_composite_construct, whole);
  }

  void store_private(word type, word value, word memory, word byte) {
    const auto vector = m_vectors.find(type);
    if (vector == m_vectors.end()) {
      append(m_functions, op_store, {private_variable(memory, byte, type), value});
      return;
    }
    const auto [element, count] = vector->second;
    for (word n = 0; n < count; ++n) {
      const word one = fresh();
      append(m_functions, op_composite_extract, {element, one, value, n});
      append(m_functions, op_store, {private_variable(memory, byte + n * m_bytes.at(element), element), one});
    }
  }

  /// Returns the type to which a converted pointer points.
  word pointee(word pointer) {
    word type = 0;
    module_reader(m_part->words).read([&](const instruction& i) {
      if (i.code == op_convert_u_to_ptr && i.operands[1] == pointer) type = i.operands[0];
    });
    word to = 0;
    module_reader(m_part->words).read([&](const instruction& i) {
      if (i.code == op_type_pointer && i.operands[0] == type) to = i.operands[2];
    });
    return mapped(to);
  }

  word private_variable(word memory, word byte, word type) {
    const auto before = m_private.find({memory, byte});
    if (before == m_private.end()) {
      for (const auto& [place, variable] : m_private)
        if (place.first == memory && place.second < byte + m_bytes.at(type) &&
            byte < place.second + m_bytes.at(variable.first))
          refuse_pieces();
      const word pointer = global(op_type_pointer, {storage_private, type}, {});
      const word made = global(op_variable, {pointer, storage_private}, {});
      return m_private.emplace(std::pair(memory, byte), std::pair(type, made)).first->second.second;
    }
    if (before->second.first != type) refuse_pieces();
    return before->second.second;
  }

  [[noreturn]] static void refuse_pieces() {
    throw refusal{"the kernels access the memory between them in units of different sizes"};
  }

  std::string m_entry;
  word m_last = 0, m_version = 0;
  // State of the fused module:
  std::set<word> m_capabilities;
  std::set<words> m_extensions, m_modes;
  words m_imports, m_memory_model, m_interface, m_decorations, m_globals, m_functions;
  std::map<words, word> m_import_ids, m_known;
  std::map<word, word> m_bytes;                    // size of scalar types
  std::map<word, std::pair<word, word>> m_vectors; // vector type -> {type, number} of its elements
  std::vector<word> m_called, m_elements;
  words m_element_functions;
  std::map<std::string, element_function> m_wanted;
  word m_item = 0, m_zeros = 0;                                     // variables in place of built-ins
  word m_block = 0;                                                 // the push constants
  std::map<std::pair<word, word>, std::pair<word, word>> m_private; // {memory, byte} -> {type, variable}
  // State of the part that is being read:
  const spirv_part* m_part = nullptr;
  role m_role = role::one_of_all;
  std::map<word, std::string> m_names;
  bool m_is_skipped = false;
  std::map<word, word> m_ids;
  std::map<word, std::vector<words>> m_marks;
  std::map<word, words> m_constants;
  std::set<word> m_converted, m_blocks;
  std::size_t m_accesses = 0;
  word m_push_constants = 0, m_function = 0;
  bool m_in_function = false;
};

} // namespace

fused_module fuse_spirv(std::span<const spirv_part> parts, std::string_view entry,
                        const std::optional<computed_element>& element) {
  using role = module_fuser::role;
  fused_module out;
  try {
    module_fuser fuser(entry);
    for (const spirv_part& part : parts)
      fuser.add(part, !element ? role::one_of_all : &part == &parts.back() ? role::caller : role::element);
    if (element) fuser.define_elements(*element);
    out.words = fuser.finish();
  } catch (const refusal& why) {
    out.refusal = why.text;
  }
  return out;
}

} // namespace prism::image_format
