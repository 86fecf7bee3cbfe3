"""Every setting, as traitlets; parts take keyword arguments and never read this themselves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir
from traitlets import Bool, Dict, Enum, Float, Int, List, TraitError, Unicode, default, validate
from traitlets.config import Configurable


class Names(List[str]):
    """A list of texts. traitlets takes a lone text for a list of one; "a, b" would be one name that fits nothing."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Unicode(), **options)

    def set(self, obj: Any, value: object) -> None:
        """Refuses what is no list."""
        if isinstance(value, (str, bytes)):
            raise TraitError(f"{self.name}: expected a list of texts, such as [{value!r}], not the text {value!r}.")
        super().set(obj, value)


class LindaSettings(Configurable):
    """Settings of one Jupyter server's Linda, `c.LindaSettings.<name>` in jupyter_server_config.py."""

    data_dir = Unicode(help="Folder of the database, results and settings. Default: <jupyter data>/linda").tag(
        config=True
    )
    database_url = Unicode(help="SQLAlchemy URL of the database. Default: SQLite in data_dir.").tag(config=True)
    default_model = Unicode(
        "",
        help="Model of new chats as litellm names it, or 'linda/demo'. Empty: the panel's choice, else the demo model.",
    ).tag(config=True)
    providers = Dict(
        help="Providers for everybody on this server, by name: {'kind', 'base_url', 'models', 'key_variable', …}; the "
        "key is in the environment variable that is named. LINDA_PROVIDERS may hold the same as JSON.",
    ).tag(config=True)
    allowed_models = Names(
        help="When not empty: the only models that may be used (exact names, or a prefix ending in '*')."
    ).tag(config=True)
    worker_idle_s = Float(600.0, min=1.0, help="Seconds without work after which the worker ends.").tag(config=True)
    worker_start_timeout_s = Float(10.0, min=1.0, help="Seconds to wait for a worker to answer.").tag(config=True)
    lease_s = Float(15.0, min=2.0, help="Seconds a worker's claim of a run lasts without renewal.").tag(config=True)
    window_tokens = Int(
        75_000,
        min=4_000,
        help="Most tokens of a prompt, never more than the model takes less a reply. At 75 % older messages become "
        "a summary.",
    ).tag(config=True)
    max_steps = Int(20, min=1, max=200, help="Most steps (model calls) of one run.").tag(config=True)
    question_expiry_h = Float(72.0, min=0.01, help="Hours after which an unanswered question means no.").tag(
        config=True
    )
    chunk_keep_h = Float(
        1.0, min=1.0, help="Hours the streamed chunks of a finished message are kept; at least 1."
    ).tag(config=True)
    run_timeout_s = Float(600.0, min=1.0, help="Seconds a cell Linda runs may take before it is interrupted.").tag(
        config=True
    )
    result_limit_chars = Int(20_000, min=1_000, help="Most characters of a tool result given to a model.").tag(
        config=True
    )
    output_limit_bytes = Int(1_000_000, min=10_000, help="Most bytes of outputs kept of one run cell.").tag(config=True)
    follow_poll_ms = Int(20, min=5, help="Milliseconds between looks at the database while somebody listens.").tag(
        config=True
    )
    delta_join_ms = Int(30, min=0, max=1000, help="Milliseconds of streamed text joined into one event.").tag(
        config=True
    )
    heartbeat_s = Float(
        20.0, min=1.0, help="Seconds between heartbeats on an idle stream (proxies cut silent ones)."
    ).tag(config=True)
    provider_connect_timeout_s = Float(10.0, min=0.1, help="Seconds to wait for a connection to a provider.").tag(
        config=True
    )
    provider_timeout_s = Float(120.0, min=0.1, help="Seconds to wait for the first piece of a model's reply.").tag(
        config=True
    )
    provider_gap_timeout_s = Float(120.0, min=0.1, help="Seconds to wait between two pieces of a reply.").tag(
        config=True
    )
    model_tries = Int(
        4, min=1, max=20, help="How often a model is asked before it counts as failed; 1 tries nothing again."
    ).tag(config=True)
    model_retry_total_s = Float(90.0, min=0.0, help="Seconds after the first try in which others may begin.").tag(
        config=True
    )
    model_wait_max_s = Float(
        30.0, min=0.0, help="Longest wait in seconds before another try; a provider that asks for more has failed."
    ).tag(config=True)
    model_wait_first_s = Float(
        1.0, min=0.01, help="Seconds before the second try, about; each further wait is twice as long."
    ).tag(config=True)
    fallback_models = Names(
        help="Models that are asked, in this order, when one cannot answer; none that runs elsewhere in place of one "
        "on this machine."
    ).tag(config=True)
    redact_names = Names(
        help="spaCy pipelines (such as en_core_web_md) that find names of people in what leaves, which are then "
        "replaced; needs the extra `names`. None: names leave."
    ).tag(config=True)
    budget_run_usd = Float(0.0, min=0.0, help="Most US dollars of one reply before Linda asks; 0 is no limit.").tag(
        config=True
    )
    budget_day_usd = Float(0.0, min=0.0, help="Most US dollars of a day before she asks; 0 is no limit.").tag(
        config=True
    )
    budget_month_usd = Float(0.0, min=0.0, help="Most US dollars of a month before she asks; 0 is no limit.").tag(
        config=True
    )
    budget_run_tokens = Int(0, min=0, help="Most tokens of one reply before she asks; 0 is no limit.").tag(config=True)
    budget_day_tokens = Int(0, min=0, help="Most tokens of a day before she asks; 0 is no limit.").tag(config=True)
    budget_month_tokens = Int(0, min=0, help="Most tokens of a month before she asks; 0 is no limit.").tag(config=True)
    rules_file = Unicode(help="JSON file of permission rules. Default: <data_dir>/rules.json").tag(config=True)
    policy_file = Unicode(
        "",
        help="JSON file of permission rules that users cannot loosen, besides linda_policy.json in the folders of "
        "Jupyter's configuration. Empty: only those.",
    ).tag(config=True)
    privacy_file = Unicode(
        help="JSON file of what may leave the machine, by path and data frame. Default: <data_dir>/privacy.json"
    ).tag(config=True)
    demo_weights = Unicode(
        "", help="Path of the embedded model's GGUF file. Default: where `jupyter linda start` put it."
    ).tag(config=True)
    mark_cells = Bool(True, help="Write into a cell's metadata which run and model wrote it, and when.").tag(
        config=True
    )
    undo_days = Float(30.0, min=0.0, help="Days after which a change cannot be undone any more.").tag(config=True)
    undo_mb = Float(500.0, min=0.0, help="Most MB kept of what was before, all changes together.").tag(config=True)
    undo_file_mb = Float(20.0, min=0.0, help="Largest file in MB that is kept as it was before a change.").tag(
        config=True
    )
    allow_hidden = Bool(False, help="Let rules apply to hidden files too. Secret files stay closed.").tag(config=True)
    log_level = Enum(["DEBUG", "INFO", "WARNING", "ERROR"], "INFO", help="Level of the worker's log.").tag(config=True)

    @default("data_dir")
    def _default_data_dir(self) -> str:
        return os.environ.get("LINDA_DATA_DIR") or str(Path(jupyter_data_dir()) / "linda")

    @default("database_url")
    def _default_database_url(self) -> str:
        return "sqlite:///" + (Path(self.data_dir) / "linda.sqlite").as_posix()

    @default("rules_file")
    def _default_rules_file(self) -> str:
        return str(Path(self.data_dir) / "rules.json")

    @default("privacy_file")
    def _default_privacy_file(self) -> str:
        return str(Path(self.data_dir) / "privacy.json")

    @validate("database_url")
    def _check_database_url(self, proposal: dict[str, str]) -> str:
        url = proposal["value"]
        if not url.startswith("sqlite:///"):
            raise TraitError(
                f"database_url: only sqlite:/// URLs work in this version, not {url.split(':', 1)[0]!r}. "
                "Leave it unset for the default."
            )
        return url

    def to_worker(self) -> dict[str, object]:
        """All values as plain JSON, for the worker's start-up message."""
        return {name: getattr(self, name) for name in self.trait_names(config=True)}
