# SPDX-License-Identifier: MIT
# Runs its arguments as a command: tests/guest/run exec ngbench ... /dev/ng0n1
exec "$@"
