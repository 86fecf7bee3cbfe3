"""The agent: what comes next in a run, prompts, model calls, tool calls."""
