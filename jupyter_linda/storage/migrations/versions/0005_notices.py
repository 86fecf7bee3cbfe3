"""What the reader of a reply should know: which other model answered, and why.

Revision ID: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("messages", sa.Column("notice", sa.Text(), nullable=False, server_default=""))
