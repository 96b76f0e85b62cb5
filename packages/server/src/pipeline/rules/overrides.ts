// The overrides of an event: which of its objects apply to a step and a provider, and how they are merged. Strongest
// first: the step's object for the provider, the event's for the provider, the event's for the whole channel. Objects
// are merged member by member, lists are replaced, and null removes a member.
import { type Channel, type Severity, type StepType, severities } from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Sealed } from "../../lib/sealed.ts";
import { mask, type Secrets } from "../../lib/secrets.ts";
import type { StoredStep } from "../../store/tables.ts";
import { openOverrides } from "../encrypted-parts.ts";

type Overrides = JsonObject | null;
export type SendingChannel = Exclude<Channel, "in_app">;

/** The object at a path, else an empty one. Own members only, because the names come from the event. */
function objectAt(root: unknown, ...path: string[]): JsonObject {
  let value = root;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isObject(value) ? value : {};
}

export function mergeOverrides(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const below = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergeOverrides(isObject(below) ? below : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The event's objects for one provider at this step, weakest first. */
const providerLevels = (overrides: Overrides, stepId: string, providerId: string): JsonObject[] =>
  [
    objectAt(overrides, providerId),
    objectAt(overrides, "providers", providerId),
    objectAt(overrides, "steps", stepId, "providers", providerId),
  ].filter((level) => Object.keys(level).length > 0);

/** Whether the event has overrides for this provider in addition to those for the whole channel. */
export const hasOwnOverrides = (overrides: Overrides, stepId: string, providerId: string): boolean =>
  providerLevels(overrides, stepId, providerId).length > 0;

/** The merged overrides for this provider; without a provider, those for the whole channel. */
export function overridesFor(
  overrides: Overrides,
  channel: SendingChannel,
  stepId: string,
  providerId: string | null,
): JsonObject {
  const levels = providerId === null ? [] : providerLevels(overrides, stepId, providerId);
  return [objectAt(overrides, channel), ...levels].reduce(mergeOverrides, {});
}

/**
 * The integration that the event names; the most specific object with a name decides. The raw value is returned, so
 * that a value that is not a string can be reported.
 */
export function namedIntegration(overrides: Overrides, channel: SendingChannel, stepId: string): unknown {
  if (!overrides) return undefined;
  const ofChannel = (objects: JsonObject) =>
    Object.keys(objects)
      .filter((id) => findProvider(id)?.channel === channel)
      .map((id) => objectAt(objects, id));
  const levels = [
    ...ofChannel(objectAt(overrides, "steps", stepId, "providers")),
    ...ofChannel(objectAt(overrides, "providers")),
    ...ofChannel(overrides),
    objectAt(overrides, channel),
  ];
  return levels.map((level) => level.integrationIdentifier).find((named) => named !== undefined && named !== null);
}

const isSeverity = (value: unknown): value is Severity => severities.some((severity) => severity === value);

/** The severity that the event sets, when it is a valid one. */
export const severityOverride = (overrides: Overrides): Severity | undefined =>
  isSeverity(overrides?.severity) ? overrides.severity : undefined;

/** Top-level names that are not provider ids. */
const topLevelNames = new Set(["steps", "channels", "providers", "severity", "delay", "layoutIdentifier"]);
const wholeChannels = new Set(["email", "sms", "push", "chat"]);

/** At most this many are reported: an event can hold any number of unknown names. */
const maxReported = 20;

export type IgnoredOverride = { stepId: string | null; path: string; reason: string };

/** Why the object of this provider is ignored; null when it may be used. */
function providerFault(id: string, value: unknown): string | null {
  const channel = findProvider(id)?.channel;
  if (!channel) return "no provider has this id";
  if (channel === "in_app") return "in-app messages go through no provider";
  return isObject(value) ? null : "not an object";
}

/** Overrides that no step reads: steps the workflow does not have, unknown providers, unknown members. */
export function ignoredOverrides(overrides: Overrides, steps: readonly StoredStep[]): IgnoredOverride[] {
  if (!overrides) return [];
  const ignored: IgnoredOverride[] = [];
  const ignore = (path: string, reason: string, stepId: string | null = null) =>
    ignored.push({ stepId, path: path.slice(0, 200), reason });
  for (const [name, value] of Object.entries(overrides)) {
    const isKnownName = topLevelNames.has(name) || wholeChannels.has(name);
    const isFree = name === "severity" || name === "layoutIdentifier" || isObject(value);
    const fault = isKnownName ? (isFree ? null : "not an object") : providerFault(name, value);
    if (fault) ignore(name, fault);
  }
  if (overrides.severity !== undefined && !isSeverity(overrides.severity)) {
    ignore("severity", `must be one of: ${severities.join(", ")}`);
  }
  for (const name of Object.keys(objectAt(overrides, "delay"))) {
    if (name !== "amount" && name !== "unit") ignore(`delay.${name}`, "a delay has amount and unit");
  }
  for (const [name, value] of Object.entries(objectAt(overrides, "channels"))) {
    if (name !== "email") ignore(`channels.${name}`, "only email has settings here");
    else if (!isObject(value)) ignore("channels.email", "not an object");
  }
  for (const name of Object.keys(objectAt(overrides, "channels", "email"))) {
    if (name !== "layoutId") ignore(`channels.email.${name}`, "only layoutId is read here");
  }
  for (const [id, value] of Object.entries(objectAt(overrides, "providers"))) {
    const fault = providerFault(id, value);
    if (fault) ignore(`providers.${id}`, fault);
  }
  const types = new Map<string, StepType>(steps.map((step) => [step.stepId, step.type]));
  for (const [stepId, value] of Object.entries(objectAt(overrides, "steps"))) {
    const type = types.get(stepId);
    if (!type) ignore(`steps.${stepId}`, "the workflow has no such active step");
    else if (!isObject(value)) ignore(`steps.${stepId}`, "not an object", stepId);
    else for (const { path, reason } of ignoredOfStep(value, type)) ignore(`steps.${stepId}.${path}`, reason, stepId);
  }
  return ignored.slice(0, maxReported);
}

function ignoredOfStep(given: JsonObject, type: StepType): { path: string; reason: string }[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (name === "layoutId") return type === "email" ? [] : { path: name, reason: "only an email has a layout" };
    if (name !== "providers") return { path: name, reason: "only providers and layoutId are read here" };
    if (!isObject(value)) return { path: name, reason: "not an object" };
    return Object.entries(value).flatMap(([id, object]) => {
      const path = `providers.${id}`;
      if (findProvider(id)?.channel !== type) return { path, reason: `no ${type} provider has this id` };
      return isObject(object) ? [] : { path, reason: "not an object" };
    });
  });
}

const credentialName = /auth|api-?key|cookie|token|secret|password|signature|credential/i;

/**
 * Overrides as API responses and webhooks show them. The headers and query that an event passes through to a provider
 * may hold the caller's credentials: values with such names are masked.
 */
export function maskOverrides(secrets: Secrets, stored: Sealed<JsonObject> | null): JsonObject | undefined {
  const overrides = openOverrides(secrets, stored);
  return overrides === null ? undefined : maskPassthroughs(overrides);
}

/** `_passthrough` may be a member of a provider, a channel or a step. */
export function maskPassthroughs(value: JsonObject): JsonObject {
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === "_passthrough" && isObject(member) ? maskPassthrough(member) : maskValue(member),
  ]);
  return Object.fromEntries(members);
}

function maskValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskValue);
  return isObject(value) ? maskPassthroughs(value) : value;
}

const maskPassthrough = ({ headers, query, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  ...(headers === undefined ? {} : { headers: maskCredentials(headers) }),
  ...(query === undefined ? {} : { query: maskCredentials(query) }),
});

const maskCredentials = (lines: unknown): unknown =>
  isObject(lines)
    ? Object.fromEntries(Object.entries(lines).map(([name, value]) => [name, credentialName.test(name) ? mask : value]))
    : lines;
