# SPDX-License-Identifier: MIT
# Puts its argument into the kernel's log as a warning, and succeeds: for the runner's own tests.
echo "<4>${1:-WARNING: made up}" >/dev/kmsg
