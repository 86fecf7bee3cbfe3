"""Alembic environment: runs on the connection it is given, inside the caller's transaction."""

from alembic import context

from jupyter_linda.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
