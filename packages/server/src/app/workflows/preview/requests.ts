// The request of an `http_request` step, sent once and for real: the author sees the response, and can keep it as the
// sample of the step. Nothing is stored.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../../context.ts";
import { failure, invalid } from "../../../failure.ts";
import { resolveBrand } from "../../../lib/brand/brand.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { callHost } from "../../../pipeline/requests/call.ts";
import { maskSecrets, shownHeaders } from "../../../pipeline/requests/mask.ts";
import { withKey } from "../../../pipeline/requests/prepare.ts";
import { readRequest } from "../../../pipeline/requests/request.ts";
import { readResponse } from "../../../pipeline/requests/response.ts";
import { openVariables, toVariables } from "../../../pipeline/run/variables.ts";
import { findRenderSettings } from "../../../store/environments/brand.ts";
import { findVariables } from "../../../store/environments/variables.ts";
import type { WorkflowRow } from "../../../store/workflows/workflows.ts";
import { callProvider } from "../../integrations/integration-checks.ts";
import { readControlValues } from "../step-controls.ts";
import { requireStep, requireWorkflow } from "../workflows.ts";
import { findPreviewContexts } from "./contexts.ts";
import { loadScope } from "./scope.ts";

type Sent = Output<"workflows.sendRequest">;
type SendInput = Input<"workflows.sendRequest">;

const type = "http_request";

export async function send(ctx: NetworkCtx, caller: Caller, { params, body }: SendInput): Promise<Sent> {
  const { environmentId } = caller;
  const workflow = await requireWorkflow(ctx, environmentId, params.workflowId);
  const values = readValues(workflow, params.stepId, body.controlValues);
  const { brand, pagesUrl } = await findRenderSettings(ctx.db, environmentId);
  const { contextData, override } = await findPreviewContexts(ctx, environmentId, body.context);
  const settings = { brand: resolveBrand(brand, override), pagesUrl: pagesUrl ?? ctx.config.publicUrl };
  const env = await findVariables(ctx.db, environmentId);
  const { scope } = await loadScope(ctx, caller, { ...body, ...settings, env, contextData, step: { type } }, workflow);
  const variables = openVariables(ctx.secrets, toVariables(env));
  const { secretValues } = variables;
  const request = readRequest(values, scope, variables);
  if ("fault" in request) return { data: { error: request.fault } };
  const prepared = withKey(request, ctx.newId(), secretValues);
  const reply = await callProvider(ctx, caller, () => callHost(ctx.requestHttp, prepared.request, secretValues));
  const { outcome, response, tookMs } = reply;
  const result = outcome.kind === "accepted" ? readResponse(values, response!) : { fault: outcome.reason };
  return {
    data: {
      request: {
        ...prepared.shown,
        ...(request.body !== undefined && { body: maskSecrets(request.body, secretValues) }),
      },
      ...(response && {
        response: {
          status: response.status,
          headers: shownHeaders(response.headers, secretValues),
          body: shownBody(response.body),
          durationMs: tookMs,
        },
      }),
      ...("output" in result ? { result: result.output } : { error: result.fault }),
    },
  };
}

export const report = async (_ctx: Ctx, _caller: Caller, _input: SendInput, sent: Sent): Promise<Sent> => sent;

/** Those given, or those of the saved step. */
function readValues(workflow: WorkflowRow, stepId: string, given: JsonObject | undefined): JsonObject {
  const { workflow_id: workflowId, bridge_url } = workflow;
  if (bridge_url !== null) throw failure("WORKFLOW_IN_CODE", { workflowId, fields: "its steps" });
  if (given) {
    const { values, faults } = readControlValues({ type, name: stepId, controlValues: given }, "controlValues");
    if (Object.keys(faults).length > 0) throw invalid(faults);
    return values;
  }
  const { step } = requireStep(workflow, stepId, workflowId);
  if (step.type !== type) {
    throw invalid({
      stepId: { messages: [`stepId must name a step of the type ${type}, and ${stepId} is ${step.type}`] },
    });
  }
  return step.controlValues;
}

const maxShownLength = 100_000;

/** A long body is shown as the beginning of its text. */
function shownBody(body: unknown): unknown {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.length <= maxShownLength ? body : `${text.slice(0, maxShownLength).toWellFormed()}…`;
}
