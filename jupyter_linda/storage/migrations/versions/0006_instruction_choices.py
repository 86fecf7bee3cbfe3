"""Which files of instructions a person lets count, and where they switched one off.

Revision ID: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "instruction_choices",
        sa.Column("choice_id", sa.Text(), primary_key=True),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("root_dir", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False, server_default=""),
        sa.Column("chat_id", sa.Text(), sa.ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=True),
        sa.Column("is_used", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_index("instruction_choices_by_owner", "instruction_choices", ["owner_id", "root_dir"])
