"""Why a turn or the CLI failed, as an error that says what to do."""

from __future__ import annotations

import re
import signal
from datetime import datetime

from anyide.errors import (
    BudgetReached,
    ClaudeError,
    ClaudeExited,
    ClaudeKilled,
    ClaudeTooOld,
    LoginNeeded,
    NoResult,
    RateLimited,
    TurnFailed,
    TurnLimitReached,
)
from anyide.headless.messages import Result
from anyide.headless.reply import Reply
from anyide.headless.report import RateLimitInfo

_LOGIN = ("authentication_failed", "oauth_org_not_allowed", "account_on_hold", "billing_error")
_UNKNOWN_OPTION = re.compile(r"unknown option '?(--[\w-]+)")


def of_result(
    result: Result, reply: Reply, *, cause: str | None, limit: RateLimitInfo | None
) -> TurnFailed | None:
    """The error that a result stands for, if it does; an interrupted turn is none.

    `cause` is the error that the assistant's last message named, `limit` the last known rate limit.
    """
    if not result.is_error or reply.interrupted:
        return None
    said = "; ".join(result.errors or ()) or result.result or result.subtype or "no reason given"
    if result.subtype == "error_max_budget_usd" or result.terminal_reason == "budget_exhausted":
        return BudgetReached(
            f"the budget is used up after ${reply.total_cost_usd:.4f}: raise max_budget_usd",
            result=result,
            reply=reply,
        )
    if result.subtype == "error_max_turns" or result.terminal_reason == "max_turns":
        steps = "" if result.num_turns is None else f"{result.num_turns} "
        return TurnLimitReached(
            f"the turn took {steps}steps, as many as it may: raise max_turns",
            result=result,
            reply=reply,
        )
    if cause == "rate_limit" or result.api_error_status == 429:
        return _rate_limited(said, result, reply, limit)
    if cause in _LOGIN or result.api_error_status in (401, 403):
        advice = "run `claude` and /login, or set ANTHROPIC_API_KEY"
        return LoginNeeded(
            f"the API refused who asks ({said}): {advice}", result=result, reply=reply
        )
    return TurnFailed(f"the turn failed: {said}", result=result, reply=reply)


def _rate_limited(
    said: str, result: Result, reply: Reply, limit: RateLimitInfo | None
) -> RateLimited:
    resets_at = float(limit.resets_at) if limit is not None and limit.resets_at else None
    when = "" if resets_at is None else _when(resets_at)
    return RateLimited(
        f"a rate limit is reached ({said}){when}", resets_at=resets_at, result=result, reply=reply
    )


def _when(resets_at: float) -> str:
    try:
        return f", try again after {datetime.fromtimestamp(resets_at).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):  # no time that a calendar has
        return ""


def of_exit(
    code: int | None, stderr: str, *, reason: str, result: Result | None = None
) -> ClaudeError:
    """The error for what waited when the CLI ended; `result` is one that belongs to no turn.

    `reason` is why nothing more comes, for an end that has no exit code.
    """
    said = "; ".join((result.errors if result else None) or ())
    stderr = "\n".join(filter(None, (said, stderr)))
    if result is not None and result.startup_failure_reason == "cli_version_too_old":
        return ClaudeTooOld(
            f"this Claude Code is too old{said and f' ({said})'}: run `claude update`"
        )
    unknown = _UNKNOWN_OPTION.search(stderr)
    if unknown:
        return ClaudeTooOld(
            f"this Claude Code does not know {unknown[1]}: run `claude update`, or leave it out"
        )
    if code is None:
        return ClaudeExited(f"the session ended: {reason}", stderr=stderr)
    if code < 0:
        name = _signal_name(-code)
        return ClaudeKilled(
            f"Claude Code was killed by {name}", exit_code=code, signal=name, stderr=stderr
        )
    if code == 0:
        return NoResult("Claude Code ended by itself, without a result", exit_code=0, stderr=stderr)
    return ClaudeExited(f"Claude Code ended with exit code {code}", exit_code=code, stderr=stderr)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
