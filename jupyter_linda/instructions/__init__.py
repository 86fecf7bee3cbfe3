"""Instructions, skills and commands in files: found, allowed by a person, and given to prompts."""
