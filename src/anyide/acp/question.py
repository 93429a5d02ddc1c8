"""Questions to the person as forms: AskUserQuestion, and what MCP servers want to know. Pure."""

from __future__ import annotations

from typing import Any

from anyide.acp.loose import objects_in
from anyide.acp.messages import (
    CreateElicitationRequest,
    CreateElicitationRequestForm,
    CreateElicitationRequestUrl,
    CreateElicitationResponse,
    CreateElicitationResponseAccept,
    CreateElicitationResponseDecline,
    ElicitationPropertySchema,
    ElicitationSchema,
    EnumOption,
    MultiSelectPropertySchema,
    StringPropertySchema,
    TitledMultiSelectItems,
)
from anyide.headless.control import Elicitation

ASK = "AskUserQuestion"

Json = dict[str, Any]


def form_of(given: Json, session_id: str, tool_call_id: str) -> CreateElicitationRequest:
    """The form for a call of AskUserQuestion: one choice and one free text for each question."""
    properties: dict[str, ElicitationPropertySchema] = {}
    questions = _questions(given)
    for number, question in enumerate(questions):
        properties[f"question_{number}"] = _choice(question)
        properties[f"question_{number}_custom"] = StringPropertySchema(title="Other")
    first = str(questions[0].get("question") or "") if len(questions) == 1 else "Some questions"
    return CreateElicitationRequestForm(
        message=first or "A question",
        requested_schema=ElicitationSchema(properties=properties),
        session_id=session_id,
        tool_call_id=tool_call_id,
    )


def answers_of(given: Json, answer: CreateElicitationResponse) -> Json | None:
    """The input with the person's answers in it; None when they gave none."""
    if not isinstance(answer, CreateElicitationResponseAccept):
        return None
    content = answer.content if isinstance(answer.content, dict) else {}
    answers: dict[str, str] = {}
    for number, question in enumerate(_questions(given)):
        chosen = content.get(f"question_{number}")
        custom = content.get(f"question_{number}_custom")
        said = [*(chosen if isinstance(chosen, list) else [chosen] if chosen else [])]
        said += [custom] if isinstance(custom, str) and custom.strip() else []
        if said:
            asked = str(question.get("question") or "")
            before = [answers[asked]] if asked in answers else []
            answers[asked] = ", ".join(map(str, [*before, *said]))
    return {**given, "answers": answers} if answers else None


def elicitation_of(asked: Elicitation, session_id: str) -> CreateElicitationRequest:
    """What an MCP server asks, for the client."""
    message = (
        f"{asked.mcp_server_name}: {asked.message}" if asked.mcp_server_name else asked.message
    )
    if asked.mode == "url":
        return CreateElicitationRequestUrl(
            message=message,
            elicitation_id=asked.elicitation_id or "",
            url=asked.url or "",
            session_id=session_id,
        )
    # As the server wrote it: what we do not know in it, the client may know.
    schema: Any = {"type": "object", **(asked.requested_schema or {})}
    return CreateElicitationRequestForm(
        message=message, requested_schema=schema, session_id=session_id
    )


def elicited(answer: CreateElicitationResponse) -> Json:
    """The client's answer, for the MCP server."""
    if isinstance(answer, CreateElicitationResponseAccept):
        content = answer.content if isinstance(answer.content, dict) else {}
        return {"action": "accept", "content": content}
    is_no = isinstance(answer, CreateElicitationResponseDecline)
    return {"action": "decline" if is_no else "cancel"}


def _questions(given: Json) -> list[Json]:
    return objects_in(given.get("questions"))


def _choice(question: Json) -> ElicitationPropertySchema:
    title = str(question.get("header") or "") or None
    text = str(question.get("question") or "") or None
    options = [
        EnumOption(
            const=str(option.get("label")),
            title=str(option.get("label")),
            description=str(option.get("description") or "") or None,
        )
        for option in objects_in(question.get("options"))
        if option.get("label")
    ]
    if not options:  # a choice of nothing could not be answered
        return StringPropertySchema(title=title, description=text)
    if question.get("multiSelect"):
        items = TitledMultiSelectItems(any_of=options)
        return MultiSelectPropertySchema(title=title, description=text, items=items)
    return StringPropertySchema(title=title, description=text, one_of=options)
