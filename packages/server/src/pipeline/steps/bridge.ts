// A step of a workflow that is defined in the customer's code. The checks of every step come first. Then the step asks the
// bridge of its workflow: this run stops, the stage `bridge` makes the call and stores the answer, and the step runs again
// with the answer in place of its control values.
import type { StepType } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { openValue } from "../../lib/sealed.ts";
import type { BridgeAnswer } from "../../store/tables.ts";
import { escapeHtml } from "../render/block-parts.ts";
import { decodeEntities } from "../render/html-text.ts";
import { detail } from "../rules/details.ts";
import { mergeOverrides } from "../rules/overrides.ts";
import type { Run, StepInput, StepResult } from "../run/run.ts";
import { checkGate } from "./gate.ts";

export function startBridgedStep(input: StepInput, run: (input: StepInput) => StepResult): StepResult {
  const { job, now } = input;
  const answer = job.bridge?.answer;
  if (!answer) {
    const { stopped, passed } = checkGate(input);
    if (!stopped) return { kind: "asking", details: [...passed, detail("bridge_asked", now)] };
    return stopped.kind === "claim" ? stopped : { ...stopped, details: [...passed, ...stopped.details] };
  }
  if (answer.skip) return { kind: "skipped", details: [detail("skipped_by_bridge", now)] };
  // The code ended without this step: it stands behind a condition, or is not in the code any more.
  if (Object.keys(answer.outputs).length === 0 && job.step.type !== "custom") {
    return { kind: "skipped", details: [detail("not_reached_in_bridge", now)] };
  }
  return run(withAnswer(input, answer));
}

function withAnswer(input: StepInput, { outputs, providers }: BridgeAnswer): StepInput {
  const { run, job, facts } = input;
  const { step } = job;
  const given = providers === undefined ? {} : openValue(facts.secrets, providers);
  return {
    ...input,
    job: { ...job, step: { ...step, controlValues: contentOf(step.type, outputs, step.controlValues) } },
    run: { ...run, event: { ...run.event, overrides: withProviders(run, step.type, outputs, given) } },
  };
}

/** The outputs under the names of the controls. An email of the code is complete: it has a layout only if its controls name one. */
export function contentOf(type: StepType, outputs: JsonObject, { layoutId = null }: JsonObject): JsonObject {
  if (type === "custom") return { custom: outputs };
  if (type === "in_app") return inAppContent(outputs);
  if (type !== "email") return outputs;
  const { subject, body, preheader } = outputs;
  const hidden =
    typeof preheader === "string" && preheader !== ""
      ? `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(decodeEntities(preheader))}</div>`
      : "";
  return { subject: toText(subject), body: hidden + toText(body), editorType: "html", layoutId };
}

/**
 * The framework escapes all texts of an in-app message for html; a subject and a label are plain text. Members of another type
 * than a control has are dropped: a bridge may be any program.
 */
function inAppContent(outputs: JsonObject): JsonObject {
  const { subject, body, avatar, redirect, primaryAction, secondaryAction, data } = outputs;
  return {
    subject: plainText(subject),
    body: toText(body),
    avatar: typeof avatar === "string" ? avatar : undefined,
    redirect: redirectOf(redirect),
    primaryAction: actionOf(primaryAction),
    secondaryAction: actionOf(secondaryAction),
    data: isObject(data) ? data : undefined,
  };
}

const plainText = (value: unknown) => (typeof value === "string" ? decodeEntities(value) : undefined);

const redirectOf = (value: unknown) =>
  isObject(value) && typeof value.url === "string"
    ? { url: value.url, target: typeof value.target === "string" ? value.target : undefined }
    : undefined;

const actionOf = (value: unknown) =>
  isObject(value) ? { label: plainText(value.label), redirect: redirectOf(value.redirect) } : undefined;

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/** The overrides of the event, over those that the code gives. */
function withProviders({ event }: Run, type: StepType, outputs: JsonObject, providers: JsonObject): JsonObject | null {
  const { from, replyTo } = outputs;
  const mail: JsonObject =
    type === "email"
      ? { ...(typeof from === "string" && { from }), ...(typeof replyTo === "string" && { replyTo }) }
      : {};
  const under: JsonObject = Object.fromEntries(Object.entries(providers).filter(([, value]) => isObject(value)));
  if (Object.keys(mail).length > 0) under.email = mail;
  return Object.keys(under).length === 0 ? event.overrides : mergeOverrides(under, event.overrides ?? {});
}
