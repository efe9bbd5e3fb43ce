# SPDX-License-Identifier: MIT
# A failing test, for the runner's own tests. Its argument is the exit status.
exit "${1:-7}"
