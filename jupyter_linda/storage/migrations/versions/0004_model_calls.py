"""Model calls with their traces, summaries of older messages, pins, consents and placeholders.

Revision ID: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_calls",
        sa.Column("model_call_id", sa.Text(), primary_key=True),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("asked_model", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("is_local", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False, server_default=""),
        sa.Column("input_tokens", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("output_tokens", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("cached_tokens", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("is_estimated", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("cost_usd_micros", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False, server_default=""),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
    )
    op.create_index("model_calls_by_owner", "model_calls", ["owner_id", "begun_at"])
    op.create_index("model_calls_by_run", "model_calls", ["run_id", "begun_at"])
    op.create_table(
        "traces",
        sa.Column("model_call_id", sa.Text(), primary_key=True),
        sa.Column("chat_id", sa.Text(), sa.ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
    )
    op.create_index("traces_by_chat", "traces", ["chat_id"])
    op.create_table(
        "summaries",
        sa.Column("summary_id", sa.Text(), primary_key=True),
        sa.Column("chat_id", sa.Text(), sa.ForeignKey("chats.chat_id", ondelete="CASCADE"), nullable=False),
        sa.Column("upto_message_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("tokens_before", sa.Integer(), nullable=False),
        sa.Column("tokens_after", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_index("summaries_by_chat", "summaries", ["chat_id", "at"])
    op.create_table(
        "consents",
        sa.Column("consent_id", sa.Text(), primary_key=True),
        sa.Column("owner_id", sa.Text(), nullable=False),
        sa.Column("root_dir", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("levels", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
    )
    op.create_index("consents_by_owner", "consents", ["owner_id", "root_dir"])
    op.create_table(
        "placeholders",
        sa.Column("chat_id", sa.Text(), sa.ForeignKey("chats.chat_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("placeholder", sa.Text(), primary_key=True),
        sa.Column("value", sa.Text(), nullable=False),
    )
    op.create_index("placeholders_by_value", "placeholders", ["chat_id", "value"], unique=True)
    op.add_column("messages", sa.Column("is_pinned", sa.Boolean(), nullable=False, server_default=sa.false()))
