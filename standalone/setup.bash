# Activates the environment that "make setup" built:  . standalone/setup.bash
# If the clone was built with a ROS 2 installation, source its setup.bash first.
_rigid_tree_root=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/.." && pwd)
if [ ! -f "$_rigid_tree_root/install/local_setup.bash" ]; then
  echo "$_rigid_tree_root is not built yet: run 'make setup' there first" >&2
  unset _rigid_tree_root
  return 1 2>/dev/null || exit 1
fi
export VIRTUAL_ENV=$_rigid_tree_root/.venv
case ":$PATH:" in *":$VIRTUAL_ENV/bin:"*) ;; *) export PATH=$VIRTUAL_ENV/bin:$PATH ;; esac
if [ -z "${ROS_DISTRO:-}" ]; then
  export AMENT_PREFIX_PATH=$VIRTUAL_ENV CMAKE_PREFIX_PATH=$VIRTUAL_ENV CMAKE_GENERATOR=Ninja
  # With shared memory, or UDP's small default buffers, processes that start together lose
  # discovery messages.
  if [ -z "${FASTDDS_BUILTIN_TRANSPORTS:-}${FASTDDS_DEFAULT_PROFILES_FILE:-}" ]; then
    export FASTDDS_DEFAULT_PROFILES_FILE=$_rigid_tree_root/standalone/fastdds.xml
  fi
fi
. "$_rigid_tree_root/install/local_setup.bash"
unset _rigid_tree_root
