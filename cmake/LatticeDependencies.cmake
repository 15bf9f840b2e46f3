# Every package the project needs, found once.
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
if(LATTICE_SANITIZE MATCHES "thread")
  # See tests/tsan/README.md.
  add_library(TBB::tbb INTERFACE IMPORTED GLOBAL)
  target_include_directories(TBB::tbb INTERFACE ${PROJECT_SOURCE_DIR}/tests/tsan)
else()
  find_package(TBB REQUIRED)
endif()
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
if(LATTICE_TESTS)
  find_package(GTest REQUIRED)
endif()

# fmt's definitions are compiled once, not in every file that formats: that is half the time of a build. Other
# versions than 9 want other instantiations; they are used as headers.
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(lattice_fmt STATIC ${PROJECT_SOURCE_DIR}/base/fmt_definitions.cpp)
  target_include_directories(lattice_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  add_library(lattice_fmt INTERFACE)
  target_link_libraries(lattice_fmt INTERFACE fmt::fmt-header-only)
endif()

# MLIR is linked from its static archives by path: the imported CMake targets would pull in the shared
# libLLVM. Version 19 is the one supported; LATTICE_LLVM_CONFIG names another llvm-config.
find_program(LATTICE_LLVM_CONFIG NAMES llvm-config-19 REQUIRED)
execute_process(COMMAND ${LATTICE_LLVM_CONFIG} --libdir OUTPUT_VARIABLE LATTICE_LLVM_LIBDIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${LATTICE_LLVM_CONFIG} --includedir OUTPUT_VARIABLE LATTICE_LLVM_INCLUDEDIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${LATTICE_LLVM_CONFIG} --bindir OUTPUT_VARIABLE LATTICE_LLVM_BINDIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_program(LATTICE_MLIR_TBLGEN NAMES mlir-tblgen mlir-tblgen-19 HINTS ${LATTICE_LLVM_BINDIR} REQUIRED)

# lattice_mlir_archives(target LIBS ...): link the named MLIR and LLVM archives as one group.
function(lattice_mlir_archives target)
  set(paths "")
  foreach(lib ${ARGN})
    list(APPEND paths ${LATTICE_LLVM_LIBDIR}/lib${lib}.a)
  endforeach()
  find_library(LATTICE_ZSTD zstd REQUIRED)
  target_link_libraries(${target} INTERFACE -Wl,--start-group ${paths} -Wl,--end-group ZLIB::ZLIB ${LATTICE_ZSTD} Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# The parser and what it needs: about 2 MB in a stripped binary.
add_library(lattice_mlir INTERFACE)
target_include_directories(lattice_mlir SYSTEM INTERFACE ${LATTICE_LLVM_INCLUDEDIR})
lattice_mlir_archives(lattice_mlir
  MLIRParser MLIRAsmParser MLIRBytecodeReader MLIRBytecodeOpInterface MLIRFuncDialect MLIRCallInterfaces
  MLIRControlFlowInterfaces MLIRFunctionInterfaces MLIRInferTypeOpInterface MLIRSideEffectInterfaces MLIRIR
  MLIRSupport LLVMSupport LLVMDemangle)
