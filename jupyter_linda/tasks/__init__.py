"""The task list: what is to be done, by whom and until when."""
