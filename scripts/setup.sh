#!/usr/bin/env bash
# Sets up what "make demo" and "make test" need: .venv (Python packages) and install/ (colcon).
# Quick if nothing has changed; continues an interrupted run.
#   scripts/setup.sh          what the nodes need
#   scripts/setup.sh test     also what the tests need
#   scripts/setup.sh docs     also what the manual needs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
purpose=${1:-}
# Without bytecode, each of the hundred Python programs run here compiles its imports.
unset PYTHONDONTWRITEBYTECODE

say() { printf '[setup, %3d s] %s\n' "$SECONDS" "$*"; }
fail() { printf '[setup] error: %s\n' "$*" >&2; exit 1; }

# Neither colcon's local_setup.bash nor the first line of a script allows a space.
case $(pwd -P) in
  *[[:space:]]*) fail "the path $(pwd -P) has a space: move the folder to a path without spaces" ;;
esac

# A step is done when its stamp holds the checksum of all that it depends on.
is_done() { [ "$(cat ".venv/stamps/$1" 2>/dev/null)" = "$2" ]; }
mark_done() { mkdir -p .venv/stamps && printf '%s' "$2" >".venv/stamps/$1"; }
checksum() { sha256sum "$@" | sha256sum | cut -c1-64; }
# Filter a list of files: what Python writes next to sources is not a source.
sorted_sources() { grep -v '/__pycache__/' | LC_ALL=C sort; }

usable_python() {
  "$1" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null
}

find_python() {
  # A sourced ROS 2 works with the system's own python3 only.
  local candidates=(python3 python3.12 python3.13 python3.14 python3.11 python3.10)
  [ -n "${ROS_DISTRO:-}" ] && candidates=(python3)
  local candidate
  for candidate in "${candidates[@]}"; do
    if command -v "$candidate" >/dev/null && usable_python "$candidate"; then
      printf '%s' "$candidate"
      return
    fi
  done
  fail "no Python 3.10 to 3.14 found; on Debian or Ubuntu: sudo apt install python3 python3-venv python3-dev"
}

check_prerequisites() {
  local python=$1 version
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "Python $version has no venv module; on Debian or Ubuntu: sudo apt install python$version-venv"
  "$python" -c 'import os, sys, sysconfig as s; sys.exit(not os.path.exists(os.path.join(s.get_path("include"), "Python.h")))' ||
    fail "the C headers of Python $version are missing; on Debian or Ubuntu: sudo apt install python$version-dev"
  command -v c++ >/dev/null || command -v g++ >/dev/null ||
    fail "no C++ compiler found; on Debian or Ubuntu: sudo apt install g++"
  if [ -z "${ROS_DISTRO:-}" ] && [ "$(uname -sm)" != "Linux x86_64" ]; then
    fail "PyPI has ROS 2 for x86-64 Linux only, this is $(uname -sm); install ROS 2 and source its setup.bash first"
  fi
}

make_virtual_environment() {
  local python=$1 key options=()
  key="$("$python" -c 'import sys; print(sys.version, sys.base_prefix)') ${ROS_DISTRO:-pip only} $PWD"
  if is_done environment "$key" && .venv/bin/python -m pip --version >/dev/null 2>&1; then return; fi
  say "creating the virtual environment .venv with $("$python" --version)"
  rm -rf .venv build install
  # With ROS 2 installed, its own Python packages and rosdep's come from the system.
  [ -n "${ROS_DISTRO:-}" ] && options=(--system-site-packages)
  "$python" -m venv "${options[@]}" .venv
  mark_done environment "$key"
}

install_packages() {
  local stamp=$1 what=$2 key
  shift 2
  key=$(checksum "$@")
  if is_done "$stamp" "$key"; then return; fi
  say "installing $what from PyPI (a minute on a slow line)"
  local arguments=() file
  for file in "$@"; do arguments+=(-r "$file"); done
  pip_install "${arguments[@]}"
  rm -rf .venv/lib/python3*/site-packages/cmeel.prefix/include # coal's and Boost's for C++: 200 MB
  mark_done "$stamp" "$key"
}

pip_install() {
  # uv takes a tenth of pip's time, but knows neither pip's settings (mirrors) nor system packages.
  if [ -z "${ROS_DISTRO:-}" ]; then
    [ -x .venv/bin/uv ] || .venv/bin/python -m pip install "uv>=0.13" >.venv/pip.txt 2>&1 || true
    # Trust the machine's certificates, as pip does, for proxies that replace certificates.
    if .venv/bin/uv pip install --system-certs --python .venv/bin/python "$@" \
        >.venv/uv.txt 2>&1; then return; fi
    say "uv failed (see .venv/uv.txt); using pip, which takes longer"
  fi
  if ! .venv/bin/python -m pip install --disable-pip-version-check "$@" >.venv/pip.txt 2>&1; then
    grep -v '^WARNING: Location' .venv/pip.txt | tail -n 20 >&2
    fail "pip install failed (full output: .venv/pip.txt); fix this, then run the command again"
  fi
}

install_build_tools() {
  if [ -n "${ROS_DISTRO:-}" ]; then
    .venv/bin/python -c 'import colcon_ros' 2>/dev/null || [ -e .venv/bin/colcon ] || {
      say "installing colcon from PyPI"
      pip_install "colcon-common-extensions>=0.3" "setuptools<80"
    }
    return
  fi
  local tool
  for tool in cmake ninja; do
    command -v "$tool" >/dev/null || [ -e ".venv/bin/$tool" ] || {
      say "installing $tool from PyPI"
      pip_install "$tool"
    }
  done
}

install_stand_ins() {
  local key
  key=$(checksum standalone/python/pyproject.toml)
  if is_done stand-ins "$key"; then return; fi
  say "installing the stand-ins for launch, tf2_ros and the ros2 command"
  pip_install --no-deps --no-build-isolation -e standalone/python
  mark_done stand-ins "$key"
}

build_workspace() {
  local key
  # Python sources are symlinked and need no build; a new file in launch/ and the like does.
  key=$( { find packages/*_interfaces standalone/interfaces standalone/rosidl -type f |
           sorted_sources | xargs sha256sum
           sha256sum build_kernels.py setup.cfg {.,packages/*}/setup.py {.,packages/*}/package.xml
           find robots scenes {.,packages/*}/{launch,config,examples} -type f 2>/dev/null |
             sorted_sources
           cat .venv/stamps/environment; } | checksum -)
  if [ -f install/local_setup.bash ] && is_done build "$key"; then return; fi
  say "building the ROS packages with colcon"
  local interfaces=(packages/*_interfaces)
  # Otherwise colcon adds a limit of the load (-l), which on a busy machine leaves one compiler.
  local jobs
  jobs=$(nproc)
  export MAKEFLAGS=-j$jobs CMAKE_BUILD_PARALLEL_LEVEL=$jobs
  if [ -z "${ROS_DISTRO:-}" ]; then
    .venv/bin/python standalone/repair_paths.py >/dev/null
    find_python_for_cmake
    # Copied, not linked: a generated file is never edited, and links take a third of the time.
    colcon_build --base-paths packages/*_interfaces standalone/interfaces \
      --cmake-args "-Drosidl_default_generators_DIR=$PWD/standalone/rosidl" -C "$PWD/build/python.cmake"
  else
    colcon_build --base-paths packages/*_interfaces
  fi
  # Its build needs the kernels, which the background job compiles.
  wait "$kernels" || fail_kernels
  colcon_build --base-paths . packages --symlink-install --packages-skip "${interfaces[@]#packages/}"
  write_bytecode
  mark_done build "$key"
}

# CMake's search for Python is a third of each package's configuration: it runs once for all.
find_python_for_cmake() {
  cmake -S standalone/rosidl/find_python -B build/find_python >>log/setup.txt 2>&1 ||
    fail "CMake does not find Python; the whole output is in log/setup.txt"
  sed -nE 's|^(_Python3_[A-Za-z_]+):INTERNAL=(.*)|set(\1 "\2" CACHE INTERNAL "")|p' \
    build/find_python/CMakeCache.txt >build/python.cmake
}

colcon_build() {
  # Kernels come first: otherwise the longest of them ends last, alone on its core.
  if ! nice -n 5 .venv/bin/python -m colcon --log-base log build \
      --event-handlers console_cohesion- "$@" >>log/setup.txt 2>&1; then
    tail -n 40 log/setup.txt >&2
    fail "colcon build failed; the whole output is in log/setup.txt"
  fi
}

# Depends on the sources, the installed compiler, and the existing kernel modules.
kernels_key() {
  { find rigid_tree_kinematics -name '*.py' -o -name call.c | sort | xargs sha256sum
    cat .venv/stamps/environment .venv/stamps/ros .venv/stamps/library 2>/dev/null || true
    find "${NUMBA_CACHE_DIR:-rigid_tree_kinematics/kernels}" -name '_kernels-*.so' 2>/dev/null | sort
  } | checksum -
}

compile_kernels() {
  if is_done kernels "$(kernels_key)"; then return; fi
  say "compiling the kernels: about two minutes on two cores, once (progress: log/kernels.txt)"
  .venv/bin/python -m rigid_tree_kinematics.compile_kernels >log/kernels.txt 2>&1
  mark_done kernels "$(kernels_key)"
}

# With PYTHONDONTWRITEBYTECODE, every start of a node would otherwise compile its imports.
write_bytecode() {
  # shellcheck disable=SC1091
  (set +u; . standalone/setup.bash; python -) <<'END' || true
from contextlib import suppress
from importlib import import_module

from rigid_tree_kinematics.nodes import programs

modules = [point.module for point in programs().values()]
modules += ["rigid_tree_moveit.move_group.node", "rigid_tree_moveit.servo.node"]
modules += ["rigid_tree_kinematics.launching"]
for module in (*modules, "ros2cli.launch", "viser", "scipy.spatial"):
    with suppress(ImportError):
        import_module(module)
END
}

fail_kernels() {
  tail -n 20 log/kernels.txt >&2
  fail "the kernels could not be compiled; the whole output is in log/kernels.txt"
}

# Runs until it is killed.
show_progress() {
  local packages kernels
  packages=$(find . -name package.xml -not -path './.venv/*' -not -path './install/*' | wc -l)
  kernels=$(grep -rh --include='*.py' '^@kernel(' rigid_tree_kinematics | wc -l)
  while sleep 1; do
    printf '\r\033[K[setup, %3d s] packages: %d of %d, kernels: %d of %d' "$SECONDS" \
      "$(grep -c '^Finished <<<' log/setup.txt)" "$packages" \
      "$(grep -c '^kernel ' log/kernels.txt)" "$kernels"
  done
}

python=$(find_python)
check_prerequisites "$python"
make_virtual_environment "$python"
if [ -z "${ROS_DISTRO:-}" ]; then
  install_packages ros "ROS 2 and the library's needs" \
    standalone/requirements.txt requirements.txt requirements-extensions.txt
  export VIRTUAL_ENV=$PWD/.venv PATH=$PWD/.venv/bin:$PATH
  export AMENT_PREFIX_PATH=$VIRTUAL_ENV CMAKE_PREFIX_PATH=$VIRTUAL_ENV CMAKE_GENERATOR=Ninja
  install_build_tools
  install_stand_ins
else
  export VIRTUAL_ENV=$PWD/.venv PATH=$PWD/.venv/bin:$PATH
  install_packages library "the library's needs" requirements.txt requirements-extensions.txt
  install_build_tools
fi
case $purpose in
  test) install_packages test "what the tests need" requirements-test.txt requirements-docs.txt ;;
  docs) install_packages docs "what the manual needs" requirements-docs.txt ;;
esac
mkdir -p log
: >log/setup.txt >log/kernels.txt
# In parallel with the build: neither keeps all cores busy all the time.
set -m # in a process group, which ends as a whole if this script is interrupted
compile_kernels &
kernels=$!
set +m
progress=
[ -t 1 ] && { show_progress & progress=$!; }
trap 'kill -- "-$kernels" $progress 2>/dev/null || true' EXIT
build_workspace
wait "$kernels" || fail_kernels
[ -z "$progress" ] || { kill "$progress"; printf '\r\033[K'; }
say "ready${ROS_DISTRO:+ on ROS 2 $ROS_DISTRO}"
