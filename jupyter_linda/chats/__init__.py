"""Chats and their messages."""
