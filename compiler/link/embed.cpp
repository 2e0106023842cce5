#include "compiler/link/embed.hpp"

#include "compiler/support/diagnose.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr int registration_priority = 101; // runs before every constructor of the user

class table_writer {
public:
  explicit table_writer(Module& host) : m_host(host), m_context(host.getContext()) {}

  Constant* record(const built_kernel& kernel) {
    const kernel_facts& facts = kernel.facts;
    Constant* required[3];
    for (int i = 0; i < 3; ++i) required[i] = word(facts.required_local_size[i]);
    Constant* hash = ConstantInt::get(Type::getInt64Ty(m_context), content_hash(kernel));
    return ConstantStruct::getAnon(
        m_context,
        {text(facts.entry), text(facts.display_name), word(facts.argument_bytes), word(facts.closure_bytes),
         word(kernel.flags), word(facts.static_local_bytes), word(kernel.local_element_bytes),
         ConstantArray::get(ArrayType::get(Type::getInt32Ty(m_context), 3), required),
         word(facts.required_sub_group_size), hash, slots(facts), images(kernel), hidden(facts),
         word(facts.slots.size()), word(kernel.images.size()), word(facts.hidden.size()), word(0),
         ConstantInt::get(Type::getInt64Ty(m_context), facts.required_aspects)});
  }

  Constant* array(ArrayRef<Constant*> entries, const char* name) {
    if (entries.empty()) return null();
    Constant* data = ConstantArray::get(ArrayType::get(entries[0]->getType(), entries.size()), entries);
    return variable(data, name, true, Align(8));
  }

  GlobalVariable* variable(Constant* data, const char* name, bool constant, Align align) {
    auto* global =
        new GlobalVariable(m_host, data->getType(), constant, GlobalValue::PrivateLinkage, data, name);
    global->setAlignment(align);
    return global;
  }

  Constant* word(std::uint64_t value) { return ConstantInt::get(Type::getInt32Ty(m_context), value); }
  Constant* null() { return ConstantPointerNull::get(PointerType::getUnqual(m_context)); }

private:
  Constant* text(StringRef value) {
    return variable(ConstantDataArray::getString(m_context, value), "prism.text", true, Align(1));
  }

  static std::string words(const refusal& found) {
    const std::string place = source_location(found.at);
    return place.empty() ? found.why : place + ": " + found.why;
  }

  Constant* slots(const kernel_facts& facts) {
    SmallVector<Constant*> entries;
    for (const image::pointer_slot& slot : facts.slots)
      entries.push_back(ConstantStruct::getAnon(m_context, {word(slot.offset), word(slot.flags)}));
    return array(entries, "prism.slots");
  }

  Constant* hidden(const kernel_facts& facts) {
    SmallVector<Constant*> entries;
    for (const hidden_fact& h : facts.hidden)
      if (h.what == image::hidden_kind::index_faults)
        entries.push_back(ConstantStruct::getAnon(
            m_context, {word(static_cast<std::uint32_t>(h.what)), word(h.offset), word(h.size),
                        word(facts.index_sites.size()), index_checks(facts)}));
      else
        entries.push_back(
            ConstantStruct::getAnon(m_context, {word(static_cast<std::uint32_t>(h.what)), word(h.offset),
                                                word(h.size), word(0), h.key ? h.key : null()}));
    return array(entries, "prism.hidden");
  }

  Constant* index_checks(const kernel_facts& facts) {
    SmallVector<Constant*> entries;
    for (const index_site& site : facts.index_sites)
      entries.push_back(
          ConstantStruct::getAnon(m_context, {word(site.offset), word(site.what), text(site.location)}));
    return array(entries, "prism.index_checks");
  }

  Constant* images(const built_kernel& kernel) {
    SmallVector<Constant*> entries;
    Type* wide = Type::getInt64Ty(m_context);
    for (const built_image& image : kernel.images) {
      const bool present = image.refusal.empty();
      Constant* data = null();
      if (!image.function.empty()) data = m_host.getFunction(image.function);
      else if (present)
        data = variable(
            ConstantDataArray::getString(m_context, image.bytes, image.kind == image::kind::opencl_c),
            "prism.image", true, Align(16));
      entries.push_back(ConstantStruct::getAnon(
          m_context, {word(static_cast<std::uint32_t>(image.kind)), word(image.sub_group_size),
                      ConstantInt::get(wide, image.features), data,
                      ConstantInt::get(wide, present ? image.bytes.size() : 0),
                      present ? null() : text(words(image.refusal)), word(image.spill_bytes), word(0)}));
    }
    return array(entries, "prism.images");
  }

  /// Covers what a device compiles and how it is called, but not names and addresses of this build.
  static std::uint64_t content_hash(const built_kernel& kernel) {
    std::string all = kernel.facts.entry;
    auto add = [&](std::uint64_t value) { all.append(reinterpret_cast<const char*>(&value), sizeof value); };
    add(image::format_version);
    add(kernel.facts.argument_bytes);
    add(kernel.facts.closure_bytes);
    add(kernel.flags);
    add(kernel.facts.static_local_bytes);
    add(kernel.local_element_bytes);
    for (const image::pointer_slot& slot : kernel.facts.slots)
      add((std::uint64_t(slot.offset) << 32) | slot.flags);
    for (const hidden_fact& h : kernel.facts.hidden)
      add((std::uint64_t(h.what) << 56) | (std::uint64_t(h.size) << 28) | h.offset);
    add(kernel.facts.required_sub_group_size);
    for (std::uint32_t size : kernel.facts.required_local_size) add(size);
    for (const built_image& image : kernel.images) {
      if (image.kind == image::source_places_kind) continue;
      add(static_cast<std::uint64_t>(image.kind));
      add(image.features);
      add((std::uint64_t(image.sub_group_size) << 32) | image.spill_bytes);
      add(image.bytes.size());
      all += image.bytes;
    }
    return xxh3_64bits(arrayRefFromStringRef(all));
  }

  Module& m_host;
  LLVMContext& m_context;
};

Function* registration(Module& host, const char* name, const char* callee, GlobalVariable* node) {
  LLVMContext& context = host.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context), false);
  Function* function = Function::Create(type, GlobalValue::InternalLinkage, name, host);
  function->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> build(BasicBlock::Create(context, "entry", function));
  build.CreateCall(host.getOrInsertFunction(callee, build.getVoidTy(), build.getPtrTy()), {node});
  build.CreateRetVoid();
  return function;
}

} // namespace

void embed_kernels(Module& host, const std::vector<built_kernel>& kernels) {
  if (kernels.empty()) return;
  table_writer writer(host);
  SmallVector<Constant*> slots, records;
  for (const built_kernel& kernel : kernels) {
    slots.push_back(kernel.slot);
    records.push_back(writer.record(kernel));
  }
  Type* wide = Type::getInt64Ty(host.getContext());
  Constant* node = ConstantStruct::getAnon(
      host.getContext(),
      {writer.word(image::magic), writer.word(image::format_version), ConstantInt::get(wide, kernels.size()),
       writer.array(slots, "prism.keys"), writer.array(records, "prism.records"), writer.null()});
  GlobalVariable* variable = writer.variable(node, "prism.module", false, Align(8));
  appendToGlobalCtors(host, registration(host, "prism.register", "__prism_register_module", variable),
                      registration_priority);
  appendToGlobalDtors(host, registration(host, "prism.unregister", "__prism_unregister_module", variable),
                      registration_priority);
}

} // namespace prism::compiler
