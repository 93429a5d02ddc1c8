from __future__ import annotations

import signal
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyide.errors import (
    BudgetReached,
    ClaudeExited,
    ClaudeKilled,
    ClaudeTooOld,
    LoginNeeded,
    NoResult,
    RateLimited,
    TurnFailed,
    TurnLimitReached,
)
from anyide.headless.failure import of_exit, of_result
from anyide.headless.messages import Result
from anyide.headless.reply import INTERRUPTED, Notes, Reply
from anyide.headless.report import RateLimitInfo


def failure(
    cause: str | None = None, limit: RateLimitInfo | None = None, **fields: Any
) -> TurnFailed:
    result = Result(is_error=True, **fields)
    reply = Notes().reply(result)
    error = of_result(result, reply, cause=cause, limit=limit)
    assert error is not None
    assert (error.result, error.reply) == (result, reply)
    return error


def test_a_result_that_is_no_error_is_no_failure() -> None:
    result = Result(subtype="success", errors=["a warning"], api_error_status=429)
    assert of_result(result, Reply(), cause="rate_limit", limit=None) is None


@pytest.mark.parametrize("reason", INTERRUPTED)
def test_an_interrupted_turn_is_no_failure(reason: str) -> None:
    result = Result(is_error=True, subtype="error_during_execution", terminal_reason=reason)
    assert of_result(result, Notes().reply(result), cause=None, limit=None) is None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"errors": ["one", "two"], "result": "r", "subtype": "s"}, "one; two"),
        ({"errors": [], "result": "r", "subtype": "s"}, "r"),
        ({"result": "", "subtype": "s"}, "s"),
        ({}, "no reason given"),
    ],
)
def test_the_sentence_has_the_best_reason_there_is(fields: dict[str, Any], said: str) -> None:
    error = failure(**fields)
    assert type(error) is TurnFailed
    assert str(error) == f"the turn failed: {said}"


@pytest.mark.parametrize(
    "fields", [{"subtype": "error_max_budget_usd"}, {"terminal_reason": "budget_exhausted"}]
)
def test_a_budget_that_is_used_up_says_what_was_spent(fields: dict[str, Any]) -> None:
    error = failure(total_cost_usd=1.25, **fields)
    assert type(error) is BudgetReached
    assert str(error) == "the budget is used up after $1.2500: raise max_budget_usd"


@pytest.mark.parametrize(
    "fields", [{"subtype": "error_max_turns"}, {"terminal_reason": "max_turns"}]
)
def test_a_turn_limit_says_how_many_steps_were_taken(fields: dict[str, Any]) -> None:
    error = failure(num_turns=3, **fields)
    assert type(error) is TurnLimitReached
    assert str(error) == "the turn took 3 steps, as many as it may: raise max_turns"
    assert "None" not in str(failure(**fields))


@pytest.mark.parametrize(
    ("cause", "status"), [("rate_limit", None), (None, 429), ("authentication_failed", 429)]
)
def test_a_rate_limit_without_a_time_names_none(cause: str | None, status: int | None) -> None:
    for limit in (None, RateLimitInfo(status="rejected"), RateLimitInfo(resets_at=0)):
        error = failure(cause, limit, api_error_status=status, result="slow down")
        assert isinstance(error, RateLimited)
        assert error.resets_at is None
        assert str(error) == "a rate limit is reached (slow down)"


def test_a_rate_limit_says_when_to_try_again_in_local_time() -> None:
    error = failure("rate_limit", RateLimitInfo(resets_at=2_000_000_000), result="slow down")
    assert isinstance(error, RateLimited)
    assert error.resets_at == 2_000_000_000
    when = datetime.fromtimestamp(2_000_000_000).strftime("%Y-%m-%d %H:%M")
    assert str(error) == f"a rate limit is reached (slow down), try again after {when}"


@settings(deadline=None, max_examples=50)
@given(st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False))
def test_no_time_that_the_cli_may_name_breaks_the_sentence(resets_at: float) -> None:
    error = failure("rate_limit", RateLimitInfo(resets_at=resets_at), result="slow down")
    assert isinstance(error, RateLimited)
    assert error.resets_at == (float(resets_at) if resets_at else None)


@pytest.mark.parametrize(
    ("cause", "status"),
    [
        ("authentication_failed", None),
        ("oauth_org_not_allowed", None),
        ("account_on_hold", None),
        ("billing_error", None),
        (None, 401),
        (None, 403),
    ],
)
def test_a_refused_login_says_how_to_log_in(cause: str | None, status: int | None) -> None:
    error = failure(cause, api_error_status=status, result="Invalid API key")
    assert type(error) is LoginNeeded
    assert str(error) == (
        "the API refused who asks (Invalid API key):"
        " run `claude` and /login, or set ANTHROPIC_API_KEY"
    )


@pytest.mark.parametrize("cause", ["server_error", "overloaded", "a_new_one", ""])
def test_any_other_cause_is_a_turn_that_failed(cause: str) -> None:
    assert type(failure(cause, api_error_status=500, result="r")) is TurnFailed


def test_the_budget_counts_before_what_the_api_said() -> None:
    error = failure("rate_limit", subtype="error_max_budget_usd", api_error_status=429)
    assert type(error) is BudgetReached


def test_a_signal_is_named() -> None:
    error = of_exit(-signal.SIGTERM, "", reason="gone")
    assert isinstance(error, ClaudeKilled)
    assert (error.signal, error.exit_code) == ("SIGTERM", -15)
    assert str(error) == "Claude Code was killed by SIGTERM"


def test_a_signal_without_a_name_has_its_number() -> None:
    assert str(of_exit(-999, "", reason="gone")) == "Claude Code was killed by signal 999"


def test_an_end_without_an_error_is_still_no_result() -> None:
    error = of_exit(0, "", reason="gone")
    assert type(error) is NoResult
    assert error.exit_code == 0
    assert str(error) == "Claude Code ended by itself, without a result"


def test_an_exit_code_comes_with_what_was_complained() -> None:
    error = of_exit(3, "no such model\n", reason="gone", result=Result(errors=["first", "second"]))
    assert type(error) is ClaudeExited
    assert error.exit_code == 3
    assert error.stderr == "first; second\nno such model\n"
    assert str(error) == (
        "Claude Code ended with exit code 3; it said: first; second\nno such model"
    )


def test_an_end_without_an_exit_code_has_a_reason() -> None:
    error = of_exit(None, "oops\n", reason="the process closed its output")
    assert type(error) is ClaudeExited
    assert error.exit_code is None
    assert str(error) == "the session ended: the process closed its output; it said: oops"


@pytest.mark.parametrize("code", [None, 0, 1])
@pytest.mark.parametrize(
    "said", ["error: unknown option '--new-flag'", "unknown option --new-flag"]
)
def test_an_option_that_the_cli_does_not_know_makes_it_too_old(code: int | None, said: str) -> None:
    error = of_exit(code, f"{said}\nsee --help\n", reason="gone")
    assert type(error) is ClaudeTooOld
    assert str(error) == (
        "this Claude Code does not know --new-flag: run `claude update`, or leave it out"
    )


@pytest.mark.parametrize(
    ("errors", "said"), [(["needs 3.0"], " (needs 3.0)"), ([], ""), (None, "")]
)
def test_a_cli_that_says_it_is_too_old_is_believed(errors: list[str] | None, said: str) -> None:
    result = Result(startup_failure_reason="cli_version_too_old", errors=errors)
    error = of_exit(1, "", reason="gone", result=result)
    assert type(error) is ClaudeTooOld
    assert str(error) == f"this Claude Code is too old{said}: run `claude update`"


def test_another_failure_at_the_start_is_an_exit() -> None:
    result = Result(startup_failure_reason="a_new_one", errors=["bad settings"])
    assert str(of_exit(1, "", reason="gone", result=result)).endswith(
        "exit code 1; it said: bad settings"
    )
