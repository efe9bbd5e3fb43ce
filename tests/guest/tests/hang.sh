# SPDX-License-Identifier: MIT
# A test without an end, for the runner's own tests.
echo hanging
while :; do sleep 1; done
