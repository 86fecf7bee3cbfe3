"""Runs know which terminal may answer them, and which folder their paths are relative to.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("answer_secret_hash", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("root_dir", sa.Text(), nullable=False, server_default=""))
