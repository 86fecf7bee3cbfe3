"""The command line, run as people run it: processes, terminals, exit codes."""
