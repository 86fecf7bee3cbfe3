"""The command line: jupyter linda start, ask, doctor, support."""
