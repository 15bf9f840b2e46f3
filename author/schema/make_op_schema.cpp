// Build tool: llvm-tblgen's JSON of the dialect in, op_schema.inc out. Run by CMake, never shipped.
// Stops with a message when the .td holds a kind of operand or attribute it does not know.
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

bool is_a(const json& record, const std::string& base) {
  for (const json& parent : record.at("!superclasses"))
    if (parent == base) return true;
  return false;
}

// "a conv3d weight" -> "conv3d"
std::string family_of(const json& record) {
  const std::string summary = record.at("summary");
  const size_t begin = summary.find(' ') + 1;
  return summary.substr(begin, summary.find(' ', begin) - begin);
}

std::string operand_text(const json& all, const std::string& name, const json* record,
                         bool optional) {
  if (is_a(*record, "Optional"))
    return operand_text(all, name, &all.at(record->at("baseType").at("def")), true);
  std::string kind, family, expected = record->at("summary");
  if (is_a(*record, "Lattice_Type")) {
    kind = "sparse";
    expected = "a " + expected;
  } else if (is_a(*record, "Lattice_WeightOf")) {
    kind = "weight";
    family = family_of(*record);
  } else if (is_a(*record, "Lattice_TensorOf")) {
    kind = "tensor";
  } else {
    throw std::runtime_error("operand " + name + " is of an unknown kind");
  }
  return fmt::format("{{\"{}\", ValueKind::{}, \"{}\", \"{}\", {}}}", name, kind, family, expected,
                     optional);
}

// `#lattice.pool_mode<sum|max|avg>` -> sum, max, avg
std::vector<std::string> words_of(const json& record) {
  const std::string text = record.at("description");
  const size_t open = text.find('<'), close = text.find('>');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    throw std::runtime_error("description without a list of words: " + text);
  }
  std::vector<std::string> words{""};
  for (const char c : text.substr(open + 1, close - open - 1)) {
    if (c == '|') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

struct Kind {
  std::string_view def, text;
};
constexpr Kind attribute_kinds[] = {
    {"SymbolNameAttr", "symbol"},    {"StrAttr", "string"},
    {"I64Attr", "integer"},          {"Real", "real"},
    {"DenseI64ArrayAttr", "triple"}, {"DenseF64ArrayAttr", "real_triple"},
    {"Lattice_Packing", "packing"},
};

std::string attribute_text(const std::string& op, const std::string& name, const std::string& def,
                           const json& record, std::string& lists) {
  if (is_a(record, "Lattice_Choice")) {
    const std::string words = fmt::format("words_{}_{}", op, name);
    lists += fmt::format("constexpr std::string_view {}[] = {{\"{}\"}};\n", words,
                         fmt::join(words_of(record), "\", \""));
    return fmt::format("{{\"{}\", AttributeKind::choice, \"{}\", {}}}", name,
                       record.at("mnemonic").get<std::string>(), words);
  }
  for (const Kind& kind : attribute_kinds)
    if (kind.def == def)
      return fmt::format("{{\"{}\", AttributeKind::{}, \"\", {{}}}}", name, kind.text);
  throw std::runtime_error("attribute " + name + " is of an unknown kind: " + def);
}

// "constexpr TYPE NAME[] = {...};", or nothing for an empty list. Gives what to write where it is
// used.
std::string array(std::string& out, const char* type, const std::string& name,
                  const std::vector<std::string>& items) {
  if (items.empty()) return "{}";
  out += fmt::format("constexpr {} {}[] = {{{}}};\n", type, name, fmt::join(items, ",\n    "));
  return name;
}

std::string table_of(const json& all) {
  std::string out = "// Made from dialect/LatticeOps.td at build time.\n", rows;
  for (const json& op_name : all.at("!instanceof").at("Lattice_Op")) {
    const json& op = all.at(op_name.get<std::string>());
    const std::string name = op.at("opName");
    std::string id = name;
    for (char& c : id)
      if (c == '.') c = '_';
    std::vector<std::string> operands, attributes, results;
    for (const json& argument : op.at("arguments").at("args")) {
      const std::string def = argument.at(0).at("def");
      const json& record = all.at(def);
      const std::string argument_name = argument.at(1);
      if (is_a(record, "Attr")) {
        attributes.push_back(attribute_text(id, argument_name, def, record, out));
      } else {
        operands.push_back(operand_text(all, argument_name, &record, false));
      }
    }
    for (const json& result : op.at("results").at("args")) {
      results.push_back("\"" + result.at(1).get<std::string>() + "\"");
    }
    const std::string operand_list = array(out, "OperandSchema", "operands_" + id, operands);
    const std::string attribute_list =
        array(out, "AttributeSchema", "attributes_" + id, attributes);
    const std::string result_list = array(out, "std::string_view", "results_" + id, results);
    rows += fmt::format("    {{\"{}\", {}, {}, {}}},\n", name, operand_list, attribute_list,
                        result_list);
  }
  return out + "constexpr OpSchema operations[] = {\n" + rows + "};\n";
}

} // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: make_op_schema DIALECT.json OUT.inc\n", stderr);
    return 64;
  }
  try {
    std::ifstream in(arguments[1]);
    const std::string text = table_of(json::parse(in));
    std::ofstream out(arguments[2]);
    out << text;
    if (!out.flush()) throw std::runtime_error("cannot write " + std::string(arguments[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_op_schema: %s\n", error.what());
    return 1;
  }
  return 0;
}
