// Requests of `http_request` steps, sent by hand.
import { operation } from "../../operation.ts";
import { named, openObject, Type } from "../../schema.ts";
import { ContextMap } from "../topics/contexts.ts";

const SendRequestIn = named("SendRequestIn", {
  controlValues: Type.Optional(
    openObject({ description: "As in a workflow, saved or not. Default: those of the saved step" }),
  ),
  subscriberId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "A subscriber of the environment. Default: a sample" }),
  ),
  payload: Type.Optional(openObject()),
  steps: Type.Optional(
    openObject({ description: "Results of earlier steps by step id, which templates read as `steps.<stepId>`" }),
  ),
  context: Type.Optional(ContextMap),
});

const headers = Type.Record(Type.String(), Type.String(), { description: "Those with credentials are masked" });

const SentRequest = named("SentRequest", {
  data: Type.Object({
    request: Type.Optional(
      named(
        "RenderedRequest",
        { method: Type.String(), url: Type.String(), headers, body: Type.Optional(Type.String()) },
        { description: "What was sent; absent when the templates gave no request" },
      ),
    ),
    response: Type.Optional(
      named(
        "ReceivedResponse",
        {
          status: Type.Integer(),
          headers,
          body: Type.Unknown({ description: "JSON, or a text; null when there is none" }),
          durationMs: Type.Integer(),
        },
        { description: "Absent when none came" },
      ),
    ),
    result: Type.Optional(openObject({ description: "What later steps would read as `steps.<stepId>`" })),
    error: Type.Optional(Type.String({ description: "Why the step would fail" })),
  }),
});

export const stepRequestOperations = {
  "workflows.sendRequest": operation({
    id: "workflows.sendRequest",
    method: "POST",
    path: "/v2/workflows/{workflowId}/steps/{stepId}/request",
    summary: "Send the request of an HTTP request step once",
    description:
      "Fills in the templates of the step as a run would, sends the request for real, once, and returns the response. " +
      "Nothing is stored. With `controlValues` the step need not be saved. See docs/http-requests.md.",
    category: "trigger",
    params: Type.Object({
      workflowId: Type.String({ description: "Internal id, identifier or slug" }),
      stepId: Type.String({ maxLength: 100 }),
    }),
    body: SendRequestIn,
    isBodyOptional: true,
    success: { status: 200, schema: SentRequest },
    errors: ["WORKFLOW_NOT_FOUND", "STEP_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "WORKFLOW_IN_CODE"],
  }),
};
