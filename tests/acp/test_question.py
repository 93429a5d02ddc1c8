from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.acp.messages import (
    CreateElicitationRequestForm,
    CreateElicitationRequestUrl,
    CreateElicitationResponseAccept,
    CreateElicitationResponseCancel,
    CreateElicitationResponseDecline,
    Unknown,
)
from anyide.acp.question import answers_of, elicitation_of, elicited, form_of
from anyide.headless.control import Elicitation
from tests.acp.schema import check

COLOURS = [{"label": "red", "description": "warm"}, {"label": "blue"}]
COLOUR: dict[str, Any] = {"question": "Which colour?", "header": "Colour", "options": COLOURS}
SIZES = [{"label": "S"}, {"label": "L"}]
SIZE: dict[str, Any] = {"question": "Which sizes?", "multiSelect": True, "options": SIZES}

FIELDS = st.sampled_from(["questions", "question", "options", "label", "header", "multiSelect"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=10,
)
CONTENT = st.dictionaries(
    st.sampled_from(["question_0", "question_0_custom", "question_1"]),
    st.text(max_size=3) | st.booleans() | st.integers() | st.lists(st.text(max_size=3)),
)


def form(*questions: Any) -> dict[str, Any]:
    asked = form_of({"questions": list(questions)}, "s", "t")
    found: dict[str, Any] = msgspec.to_builtins(asked)
    check("CreateElicitationRequest", found)
    return found


def answers(*questions: Any, **content: Any) -> Any:
    accepted = CreateElicitationResponseAccept(content=content)
    found = answers_of({"questions": list(questions), "kept": 1}, accepted)
    assert found is None or found["kept"] == 1
    return found and found["answers"]


@given(st.dictionaries(st.just("questions"), JSON), CONTENT)
def test_whatever_is_asked_there_is_a_form(what: dict[str, Any], content: Any) -> None:
    check("CreateElicitationRequest", msgspec.to_builtins(form_of(what, "s", "t")))
    found = answers_of(what, CreateElicitationResponseAccept(content=content))
    for said in (found or {"answers": {}})["answers"].values():
        assert isinstance(said, str)


def test_a_question_is_a_choice_and_a_free_text() -> None:
    shown = form(COLOUR)
    assert (shown["message"], shown["toolCallId"]) == ("Which colour?", "t")
    choice, other = shown["requestedSchema"]["properties"].values()
    assert [option["const"] for option in choice["oneOf"]] == ["red", "blue"]
    assert (choice["title"], choice["oneOf"][0]["description"]) == ("Colour", "warm")
    assert (other["type"], other["title"]) == ("string", "Other")
    assert form(COLOUR, SIZE)["message"] == "Some questions"


def test_several_answers_can_be_chosen_where_that_is_wanted() -> None:
    choice = form(SIZE)["requestedSchema"]["properties"]["question_0"]
    assert choice["type"] == "array"
    assert [option["const"] for option in choice["items"]["anyOf"]] == ["S", "L"]


@pytest.mark.parametrize("multi", [True, False])
def test_a_question_without_options_is_a_free_text(multi: bool) -> None:
    shown = form({"question": "Why?", "multiSelect": multi, "options": [{"label": ""}, 3]})
    assert shown["requestedSchema"]["properties"]["question_0"] == {
        "type": "string",
        "title": None,
        "description": "Why?",
    }
    assert answers({"question": "Why?"}, question_0="so") == {"Why?": "so"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"question_0": "red"}, {"Which colour?": "red"}),
        ({"question_1": ["S", "L"]}, {"Which sizes?": "S, L"}),
        ({"question_0_custom": "green"}, {"Which colour?": "green"}),
        ({"question_1": ["S"], "question_1_custom": "XL"}, {"Which sizes?": "S, XL"}),
        ({"question_0": "", "question_0_custom": " ", "question_1": []}, None),
        ({}, None),
    ],
)
def test_answers_go_to_their_questions(content: Any, said: Any) -> None:
    assert answers(COLOUR, SIZE, **content) == said


def test_answers_to_questions_of_the_same_words_are_all_kept() -> None:
    assert answers(COLOUR, COLOUR, question_0="red", question_1="blue") == {
        "Which colour?": "red, blue"
    }


@pytest.mark.parametrize(
    "answer",
    [
        CreateElicitationResponseDecline(),
        CreateElicitationResponseCancel(),
        Unknown(extra={"action": "later"}),
        CreateElicitationResponseAccept(),
        CreateElicitationResponseAccept(content=None),
    ],
)
def test_no_answer_is_none(answer: Any) -> None:
    assert answers_of({"questions": [COLOUR]}, answer) is None


def test_a_servers_form_reaches_the_client_as_it_was_written() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "who": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
            "age": {"type": "integer", "exclusiveMinimum": 0},
        },
        "required": ["who"],
        "additionalProperties": False,
    }
    asked = Elicitation(mcp_server_name="srv", message="Who?", requested_schema=schema)
    shown = elicitation_of(asked, "s")
    assert isinstance(shown, CreateElicitationRequestForm)
    # As bytes, since that is what is sent.
    sent = msgspec.json.decode(msgspec.json.encode(shown))
    check("CreateElicitationRequest", sent)
    assert (sent["message"], sent["requestedSchema"]) == ("srv: Who?", schema)


@pytest.mark.parametrize("schema", [None, {}, {"properties": 5}, {"properties": {"x": {}}}])
def test_a_form_that_does_not_fit_is_not_our_problem(schema: Any) -> None:
    shown = elicitation_of(Elicitation(message="?", requested_schema=schema), "s")
    sent = msgspec.json.decode(msgspec.json.encode(shown))
    assert sent["requestedSchema"] == {"type": "object", **(schema or {})}


def test_a_servers_link_is_a_link() -> None:
    asked = Elicitation(message="Log in", mode="url", url="https://e", elicitation_id="e")
    shown = elicitation_of(asked, "s")
    assert isinstance(shown, CreateElicitationRequestUrl)
    assert (shown.url, shown.elicitation_id, shown.message) == ("https://e", "e", "Log in")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            CreateElicitationResponseAccept(content={"n": 1}),
            {"action": "accept", "content": {"n": 1}},
        ),
        (CreateElicitationResponseAccept(), {"action": "accept", "content": {}}),
        (CreateElicitationResponseDecline(), {"action": "decline"}),
        (CreateElicitationResponseCancel(), {"action": "cancel"}),
        (Unknown(extra={"action": "later"}), {"action": "cancel"}),
    ],
)
def test_the_server_is_told_what_the_person_did(answer: Any, told: Any) -> None:
    assert elicited(answer) == told
