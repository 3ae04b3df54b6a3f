# Compiles all generated sources of a kind together: most of the time is spent on common headers.
foreach(_suffix
    rosidl_generator_c
    rosidl_typesupport_c
    rosidl_typesupport_fastrtps_c
    rosidl_typesupport_introspection_c
    rosidl_generator_py)
  set_target_properties(${rosidl_generate_interfaces_TARGET}__${_suffix} PROPERTIES
    UNITY_BUILD ON
    UNITY_BUILD_BATCH_SIZE 0)
endforeach()

# These files all define the same static names.
get_target_property(_descriptions ${rosidl_generate_interfaces_TARGET}__rosidl_generator_c SOURCES)
list(FILTER _descriptions INCLUDE REGEX "__description\\.c$")
set_source_files_properties(${_descriptions} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
