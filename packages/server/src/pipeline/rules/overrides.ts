// What an event overrides: which of its objects concern a step and a provider, and how they are laid over each other.
// Strongest first: the step's object for the provider, the event's for the provider, the event's for the whole channel.
// Objects are merged member by member, lists are replaced, and null takes a member away.
import { type Channel, type StepType, severities } from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import { isObject } from "../../lib/json.ts";
import type { StoredStep } from "../../store/tables.ts";

type JsonObject = Record<string, unknown>;
type Overrides = JsonObject | null;
export type SendingChannel = Exclude<Channel, "in_app">;

/** A member that is an object, own members only: names come from outside. */
function objectAt(root: unknown, ...path: string[]): JsonObject {
  let value = root;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isObject(value) ? value : {};
}

export function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const below = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? merge(isObject(below) ? below : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/** What the event says about one provider at this step, weakest first. */
const providerLevels = (overrides: Overrides, stepId: string, providerId: string): JsonObject[] =>
  [
    objectAt(overrides, providerId),
    objectAt(overrides, "providers", providerId),
    objectAt(overrides, "steps", stepId, "providers", providerId),
  ].filter((level) => Object.keys(level).length > 0);

/** Whether the event says something about this provider that it does not say about the whole channel. */
export const hasOwnOverrides = (overrides: Overrides, stepId: string, providerId: string): boolean =>
  providerLevels(overrides, stepId, providerId).length > 0;

/** The overrides that count when this provider sends; without a provider, those for the whole channel. */
export function overridesFor(
  overrides: Overrides,
  channel: SendingChannel,
  stepId: string,
  providerId: string | null,
): JsonObject {
  const levels = providerId === null ? [] : providerLevels(overrides, stepId, providerId);
  return [objectAt(overrides, channel), ...levels].reduce(merge, {});
}

/**
 * The integration that the event wants: the most particular object that names one decides. Answered as it stands there,
 * so that what is no identifier can be reported.
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

const isSeverity = (value: unknown): value is (typeof severities)[number] =>
  (severities as readonly unknown[]).includes(value);

/** The severity the event asks for, when it is one. */
export const severityOverride = (overrides: Overrides): (typeof severities)[number] | undefined =>
  isSeverity(overrides?.severity) ? overrides.severity : undefined;

/** Names at the top that are no provider's. */
const known = new Set(["steps", "channels", "providers", "severity", "delay", "layoutIdentifier"]);
const wholeChannels = new Set(["email", "sms", "push", "chat"]);

/** At most this many are told: an event can name as many unknown things as it has room for. */
const maxTold = 20;

export type IgnoredOverride = { stepId: string | null; path: string; reason: string };

/** Why no message is sent with the object of this provider; null when one may be. */
function providerFault(id: string, value: unknown): string | null {
  const channel = findProvider(id)?.channel;
  if (!channel) return "no provider has this id";
  if (channel === "in_app") return "in-app messages go through no provider";
  return isObject(value) ? null : "not an object";
}

/** What nothing will read: steps that the workflow does not have, providers that cannot serve, members of no meaning. */
export function ignoredOverrides(overrides: Overrides, steps: readonly StoredStep[]): IgnoredOverride[] {
  if (!overrides) return [];
  const ignored: IgnoredOverride[] = [];
  const ignore = (path: string, reason: string, stepId: string | null = null) =>
    ignored.push({ stepId, path: path.slice(0, 200), reason });
  for (const [name, value] of Object.entries(overrides)) {
    const isOwnWord = known.has(name) || wholeChannels.has(name);
    const isFree = name === "severity" || name === "layoutIdentifier" || isObject(value);
    const fault = isOwnWord ? (isFree ? null : "not an object") : providerFault(name, value);
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
  return ignored.slice(0, maxTold);
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
