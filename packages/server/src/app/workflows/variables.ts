// JSON Schemas of the variables that templates may use: shown as `variables` of steps and layouts, and checked for
// issues.
import { audiencesVariable, brandColorNames, closed, earlierSteps, secret, stepDefinitions } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { VariableNames } from "../../store/environments/variables.ts";
import type { StoredStep, WorkflowRow } from "../../store/workflows/workflows.ts";

const text = { type: "string" };
const flag = { type: "boolean" };
const open = { type: "object", additionalProperties: true };

const subscriber = closed({
  ...Object.fromEntries(
    ["subscriberId", "firstName", "lastName", "email", "phone", "avatar", "locale", "timezone", "lastOnlineAt"].map(
      (name) => [name, text],
    ),
  ),
  isOnline: flag,
  data: open,
});

/** The roots that are the same in every template. */
const commonRoots = {
  subscriber,
  actor: subscriber,
  workflow: closed({
    workflowId: text,
    name: text,
    description: text,
    severity: text,
    tags: { type: "array", items: text },
  }),
  tenant: closed({ identifier: text, name: text, data: open }),
  context: { type: "object", additionalProperties: closed({ id: text, data: open }) },
  brand: closed({
    name: text,
    logoUrl: text,
    logoDarkUrl: text,
    colors: closed(Object.fromEntries(brandColorNames.map((name) => [name, text]))),
    fontStack: text,
    cornerRadius: { type: "integer" },
    address: text,
    socialLinks: { type: "array", items: closed({ network: text, name: text, url: text }) },
  }),
};

/** The links that only emails and their layouts have. */
const mailLinks = {
  unsubscribeUrl: { type: "string", description: "The page on which the reader unsubscribes from this workflow" },
  preferencesUrl: { type: "string", description: "The page with all preferences of the reader" },
  unsubscribeText: { type: "string", description: "Unsubscribe, in the language of the reader" },
  preferencesText: { type: "string", description: "Preferences, in the language of the reader" },
};

/** Only conditions read it; template-names.ts reports it in templates. */
const audiences = {
  type: "array",
  items: text,
  description: "Ids of the audiences that the subscriber is in, for conditions",
};

/** `env`: secrets are marked, because only HTTP requests may use them. Null: which names there are is not known. */
const envSchema = (names: VariableNames | null): JsonObject =>
  names === null
    ? open
    : closed(
        Object.fromEntries(
          names.map(({ key, is_secret }) => [
            key,
            is_secret ? { ...text, description: "A secret, for HTTP requests only", ...secret("none") } : text,
          ]),
        ),
      );

type ResultStep = Pick<StoredStep, "stepId" | "type" | "controlValues" | "arm">;

/**
 * For the templates of the step at this position: they may use the results of earlier steps only, and not of those in
 * other arms of a branch. `type`: of a step that is not saved yet.
 */
export function stepVariables(
  row: Pick<WorkflowRow, "payload_schema" | "is_translation_enabled"> & { steps: readonly ResultStep[] },
  index: number,
  env: VariableNames | null,
  type = row.steps[index]?.type,
): JsonObject {
  const payload = row.payload_schema ?? open;
  const earlier = earlierSteps(row.steps, index);
  return closed({
    ...commonRoots,
    [audiencesVariable]: audiences,
    env: envSchema(env),
    payload,
    ...(row.is_translation_enabled && { t: open }),
    ...(type === "email" && mailLinks),
    steps: closed(
      Object.fromEntries(
        earlier.map(({ stepId, type: earlierType, controlValues }) => [
          stepId,
          stepDefinitions[earlierType].results({ controlValues, payload }),
        ]),
      ),
    ),
  });
}

/** A layout is used by many workflows, so payload and step results may have any members. */
export const layoutVariables = (layout: { is_translation_enabled: boolean }, env: VariableNames | null): JsonObject =>
  closed({
    ...commonRoots,
    env: envSchema(env),
    ...mailLinks,
    content: { type: "string", description: "The email's own content, as html" },
    payload: open,
    ...(layout.is_translation_enabled && { t: open }),
    steps: open,
  });
