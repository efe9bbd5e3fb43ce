# SPDX-License-Identifier: MIT
# Takes the kernel down in the middle of a test, for the runner's own tests.
echo c >/proc/sysrq-trigger
