"""Where things are kept: the relational database, its migrations, and files by hash."""
