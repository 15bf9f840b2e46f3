# Makes liblattice.a of one object: the parts are linked into it, with only what the exports of the shared library
# reach, and every symbol but those exports becomes local. Run by cmake -P; see LatticeInstall.cmake.
cmake_minimum_required(VERSION 3.20)
get_filename_component(folder ${OUT} DIRECTORY)
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${SHARED} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${table}")
set(symbols "")
set(roots "")
foreach(line ${lines})
  # "name@@VERSION kind address size"; the version itself is listed with kind A.
  if(line MATCHES "^([^ @]+)[^ ]* [^A] ")
    string(APPEND symbols "${CMAKE_MATCH_1}\n")
    string(APPEND roots "--undefined=${CMAKE_MATCH_1}\n")
  endif()
endforeach()
if(NOT symbols)
  message(FATAL_ERROR "no exported symbols in ${SHARED}")
endif()
file(WRITE ${folder}/static_symbols.txt "${symbols}")
file(WRITE ${folder}/static_roots.txt "${roots}")

# Groups are resolved here: a local symbol in a group that another object's copy replaces would dangle.
run(${LD} -r --gc-sections --force-group-allocation --strip-debug @${folder}/static_roots.txt @${PARTS}
  -o ${folder}/lattice_all.o)

# objcopy makes local only what is global or weak; the unique symbols of g++ are made weak first.
execute_process(COMMAND ${NM} --defined-only --format=posix ${folder}/lattice_all.o OUTPUT_VARIABLE table
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+ u [^\n]+" lines "${table}")
set(unique "")
foreach(line ${lines})
  string(REGEX REPLACE " .*" "\n" name "${line}")
  string(APPEND unique "${name}")
endforeach()
file(WRITE ${folder}/static_unique.txt "${unique}")
run(${OBJCOPY} --weaken-symbols=${folder}/static_unique.txt ${folder}/lattice_all.o)
run(${OBJCOPY} --keep-global-symbols=${folder}/static_symbols.txt --strip-unneeded
  ${folder}/lattice_all.o ${folder}/lattice.o)
file(REMOVE ${OUT} ${folder}/lattice_all.o)
run(${AR} rcs ${OUT} ${folder}/lattice.o)
file(REMOVE ${folder}/lattice.o)
