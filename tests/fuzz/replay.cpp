// Runs a fuzz target without libFuzzer, with any compiler: on every file of a corpus and on damaged
// copies of each, the same in every run. Looks for nothing new by itself: that is what `make fuzz`
// is for.
//   PROGRAM FOLDER COPIES
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <csignal>

extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                                     unsigned seed);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
}

namespace {

using Bytes = std::vector<uint8_t>;

uint64_t state = 0;

uint64_t below(uint64_t limit) { // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) % limit;
}

const Bytes* current = nullptr;

// The input that ended the process, for a debugger and for the corpus.
void keep_input() {
  if (current == nullptr) return;
  std::FILE* file = std::fopen("fuzz_finding", "wb");
  if (file == nullptr) return;
  (void)std::fwrite(current->data(), 1, current->size(), file);
  (void)std::fclose(file);
  (void)std::fputs("the input is in fuzz_finding\n", stderr);
  current = nullptr;
}

void on_signal(int number) {
  keep_input();
  (void)std::signal(number, SIG_DFL);
  (void)std::raise(number);
}

void play(const Bytes& bytes) {
  current = &bytes;
  // A copy of its own, so that a read past the end is seen.
  const Bytes copy(bytes);
  (void)LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

Bytes damaged(const Bytes& bytes) {
  const size_t most = bytes.size() + 4096;
  Bytes made(bytes);
  made.resize(most);
  size_t size = bytes.size();
  for (uint64_t k = 1 + below(4); k > 0; --k) {
    size = LLVMFuzzerCustomMutator != nullptr
               ? LLVMFuzzerCustomMutator(made.data(), size, most,
                                         static_cast<unsigned>(below(UINT32_MAX)))
               : LLVMFuzzerMutate(made.data(), size, most);
  }
  made.resize(size);
  return made;
}

} // namespace

// One change of a few bytes, where libFuzzer's own function is missing.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  if (size == 0) {
    if (max_size > 0) data[0] = static_cast<uint8_t>(below(256));
    return max_size > 0 ? 1 : 0;
  }
  const size_t at = below(size);
  const auto room = static_cast<ptrdiff_t>(std::min<size_t>(max_size - size, 64));
  switch (below(7)) {
  case 0: data[at] = static_cast<uint8_t>(below(256)); return size;
  case 1: data[at] = static_cast<uint8_t>(data[at] ^ 1u << below(8)); return size;
  case 2: {
    const size_t count = std::min<size_t>(1 + below(16), size - at);
    std::memmove(data + at, data + at + count, size - at - count);
    return size - count;
  }
  case 3: {
    const size_t count = std::min<size_t>({1 + below(64), size - at, static_cast<size_t>(room)});
    std::memmove(data + at + count, data + at, size - at);
    return size + count;
  }
  case 4: {
    const size_t from = below(size),
                 count = std::min<size_t>(1 + below(32), size - std::max(at, from));
    std::memmove(data + at, data + from, count);
    return size;
  }
  case 5: {
    static constexpr int64_t numbers[] = {0,          1,         -1,        127,
                                          255,        65535,     INT32_MAX, INT32_MIN,
                                          UINT32_MAX, INT64_MAX, INT64_MIN, int64_t{1} << 40};
    const int64_t number = numbers[below(std::size(numbers))];
    const size_t width = size_t{1} << below(4);
    if (at + width <= size) std::memcpy(data + at, &number, width);
    return size;
  }
  default: return below(20) == 0 ? at : size;
  }
}

int main(int count, char** words) {
  if (count != 3) {
    (void)std::fputs("usage: PROGRAM FOLDER COPIES\n", stderr);
    return 2;
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL})
    (void)std::signal(number, on_signal);

  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(words[1]))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  const int copies = std::atoi(words[2]);
  size_t runs = 0;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    play(bytes);
    state = bytes.size();
    for (int i = 0; i < copies; ++i) play(damaged(bytes));
    runs += 1 + static_cast<size_t>(copies);
  }
  (void)std::printf("%zu inputs of %zu files\n", runs, paths.size());
  return runs > 0 ? 0 : 1;
}
