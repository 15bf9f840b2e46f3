// Which room may see which: nothing below the plan, and no public header, mentions MLIR or LLVM.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& path) {
  for (const char* ending : {".h", ".hpp", ".cpp", ".inl", ".inc"}) {
    if (path.extension() == ending) return true;
  }
  return false;
}

TEST(Layering, NoMlirBelowThePlan) {
  const fs::path root = LATTICE_SOURCE_DIR;
  int files = 0;
  for (const char* room : {"base", "exec", "kernels", "include", "points", "tools/lattice"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      ++files;
      std::ifstream stream(entry.path());
      const std::string text((std::istreambuf_iterator<char>(stream)), {});
      for (const char* word : {"mlir/", "llvm/", "mlir::", "llvm::"}) {
        EXPECT_EQ(text.find(word), std::string::npos) << entry.path() << " mentions " << word;
      }
    }
  }
  EXPECT_GT(files, 50);
}

}  // namespace
