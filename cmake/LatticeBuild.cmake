# How every target is built: the standard, warnings as errors, exact floating point, hidden symbols.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(LATTICE_CCACHE ccache)
if(LATTICE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LATTICE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${LATTICE_CCACHE})
endif()

# -ffp-contract=off: a product and a sum become one fma only where the source says fma.
add_compile_options(-ffp-contract=off -ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections -Wl,--as-needed)

add_library(lattice_warnings INTERFACE)
target_compile_options(lattice_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
# With -O3 g++ 12 sees overlapping copies in std::string where there are none.
target_compile_options(lattice_warnings INTERFACE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)

if(LATTICE_SANITIZE)
  add_compile_options(-fsanitize=${LATTICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LATTICE_SANITIZE})
  if(LATTICE_SANITIZE MATCHES "undefined")
    # A null pointer shows where it is read, with AddressSanitizer. Checks of types and of object sizes see little of
    # what we do, and all three make a build much longer.
    add_compile_options(-fno-sanitize=null,vptr,object-size)
  endif()
endif()

set(sanitizer_sources "")
if(LATTICE_SANITIZE MATCHES "address")
  set(sanitizer_sources ${PROJECT_SOURCE_DIR}/tests/asan_options.c)
endif()

# lattice_library(name SOURCES ... LINK ...): one room of the project as a static library.
function(lattice_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE lattice_warnings)
endfunction()

# Sets of tests for the sanitizers. A set is a label of ctest and a target that builds what it needs and no more.
# fast: all tests of rooms and of the whole, under AddressSanitizer and UndefinedBehaviorSanitizer. Not in it: tests
# that only link, install or start programs (examples, tests/install), the lit tests, which run lattice-opt with
# all of MLIR's driver, and Python. What those call is in the set.
# threads: tests whose threads share something, under ThreadSanitizer.
set(LATTICE_TEST_SETS fast threads)
foreach(set ${LATTICE_TEST_SETS})
  add_custom_target(${set}_tests)
endforeach()

# lattice_test_sets(test SETS ...): puts a test, whose program has the same name, into sets.
function(lattice_test_sets test)
  set_tests_properties(${test} PROPERTIES LABELS "${ARGN}")
  foreach(set ${ARGN})
    add_dependencies(${set}_tests ${test})
  endforeach()
endfunction()

# lattice_test(name [THREADS] SOURCES ... LINK ...): one GoogleTest program, run by ctest. It is in the set fast,
# with THREADS in the set threads too.
function(lattice_test name)
  if(NOT LATTICE_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "THREADS" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES} ${sanitizer_sources})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gtest_main lattice_warnings)
  target_compile_definitions(${name} PRIVATE LATTICE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  add_test(NAME ${name} COMMAND ${name})
  if(arg_THREADS)
    lattice_test_sets(${name} fast threads)
  else()
    lattice_test_sets(${name} fast)
  endif()
endfunction()

# lattice_fuzz(name SOURCES ... LINK ...): LLVMFuzzerTestOneInput for libFuzzer, where LATTICE_FUZZ is on. Elsewhere a
# test gives it the files of tests/fuzz/NAME and damaged copies of them.
add_custom_target(fuzz_targets)
function(lattice_fuzz name)
  cmake_parse_arguments(arg "" "COPIES" "SOURCES;LINK" ${ARGN})
  if(LATTICE_FUZZ)
    add_executable(${name} ${arg_SOURCES} ${sanitizer_sources})
    target_link_libraries(${name} PRIVATE ${arg_LINK} lattice_warnings)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz_targets ${name})
  elseif(LATTICE_TESTS)
    add_executable(${name}_replay ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cpp ${sanitizer_sources})
    target_link_libraries(${name}_replay PRIVATE ${arg_LINK} lattice_warnings)
    add_test(NAME ${name}_replay COMMAND ${name}_replay ${PROJECT_SOURCE_DIR}/tests/fuzz/${name} ${arg_COPIES})
    lattice_test_sets(${name}_replay fast)
  endif()
endfunction()

enable_testing()
