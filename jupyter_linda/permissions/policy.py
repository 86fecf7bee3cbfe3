"""Policy files: rules of whoever runs the machine, which users can read and cannot loosen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_core.paths import ENV_CONFIG_PATH, SYSTEM_CONFIG_PATH, jupyter_config_path

from ..errors import InvalidRules
from ..schemas import Problem
from .rules import ASK_ALL
from .watch import RuleFile

if TYPE_CHECKING:
    from .rules import RuleSet

NAME = "linda_policy.json"
"""Its name in each folder of Jupyter's configuration path; all that are there hold."""


def policy_paths(configured: str) -> tuple[str, ...]:
    """Where policies may lie: the one that the settings name, then every folder of Jupyter's configuration."""
    # Named besides: JUPYTER_NO_CONFIG and JUPYTER_CONFIG_PATH change the list, and a user can set both.
    folders = [*SYSTEM_CONFIG_PATH, *ENV_CONFIG_PATH, *jupyter_config_path()]
    places = [str(Path(folder) / NAME) for folder in folders]
    return tuple(dict.fromkeys([configured, *places] if configured else places))


class PolicyFile(RuleFile):
    """One policy: if it is not there it says nothing, unless the settings name it; if it is broken everything asks."""

    def __init__(self, path: str, *, is_required: bool = False) -> None:
        super().__init__(path, absent=ASK_ALL)
        self._is_required = is_required

    def current(self) -> RuleSet:
        """What the policy said when it could last be read; `problem` when it cannot be read now."""
        try:
            Path(self.path).stat()
        except (FileNotFoundError, NotADirectoryError):
            if self._is_required and not self._was_read:
                self._fail("The policy file is not there.", "Whoever runs this machine can put it there.")
        except OSError as error:
            self._signature, self._hash = None, ""
            self._fail(f"The policy file cannot be read: {error.strerror}.", "Mend the permissions of its folder.")
            return self._rules
        return super().current()

    def _accept(self, rules: RuleSet) -> None:
        if rules.profiles:
            raise InvalidRules(f"{Path(self.path).name}: a policy has no profiles.", remedy="Take them out.")

    def _fail(self, message: str, remedy: str) -> None:
        words = f"{message.removesuffix(' The rules read last still hold.')} Until it is mended, everything asks."
        self.problem = Problem(kind=InvalidRules.__name__, message=f"Policy {self.path}: {words}", remedy=remedy)


class Policies:
    """Every policy of this machine."""

    def __init__(self, paths: tuple[str, ...] = (), *, required: str = "") -> None:
        self.files = tuple(PolicyFile(path, is_required=path == required) for path in paths)

    def current(self) -> tuple[tuple[str, RuleSet], ...]:
        """What each says, with its path; those that say nothing are left out."""
        return tuple((file.path, rules) for file in self.files if (rules := file.current()).rules)

    @property
    def problem(self) -> Problem | None:
        """What is wrong with the first that cannot be read, as of the last look."""
        return next((file.problem for file in self.files if file.problem is not None), None)

    @property
    def there(self) -> tuple[PolicyFile, ...]:
        """Those that exist, or should."""
        return tuple(file for file in self.files if file.problem is not None or Path(file.path).exists())


def find_policies(configured: str) -> Policies:
    """The policies of this machine, the configured one among them."""
    return Policies(policy_paths(configured), required=configured)
