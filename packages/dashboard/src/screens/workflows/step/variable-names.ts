// Names of what templates and conditions may read, from what is known: the person, the payload, the steps before. Pure.
import type { DraftStep, Values } from "../editor/model.ts";

const ofSubscriber = [
  "subscriberId",
  "firstName",
  "lastName",
  "email",
  "phone",
  "locale",
  "timezone",
  "avatar",
  "data",
].map((name) => `subscriber.${name}`);

const ofChannelStep = ["status", "seen", "read", "lastSeenDate", "lastReadDate"];
const ofDigest = ["eventCount", "events"];

const most = 60;

function* pathsOf(value: unknown, prefix: string, depth: number): Generator<string> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth === 0) {
    yield prefix;
    return;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) yield prefix;
  for (const [name, member] of entries) if (/^\w+$/.test(name)) yield* pathsOf(member, `${prefix}.${name}`, depth - 1);
}

/** Members that a JSON Schema of the payload names. */
function* pathsOfSchema(schema: unknown, prefix: string, depth: number): Generator<string> {
  const properties = (schema as Values | null)?.properties;
  if (typeof properties !== "object" || properties === null || depth === 0) {
    yield prefix;
    return;
  }
  for (const [name, member] of Object.entries(properties)) yield* pathsOfSchema(member, `${prefix}.${name}`, depth - 1);
}

export function variableNames(
  steps: readonly DraftStep[],
  index: number,
  payload: Values | null,
  payloadSchema: Values | null,
): string[] {
  const earlier = steps.slice(0, index).flatMap(({ stepId, type }) => {
    const members = type === "digest" ? ofDigest : ["delay", "throttle", "custom"].includes(type) ? [] : ofChannelStep;
    return members.map((member) => `steps.${stepId}.${member}`);
  });
  const ofPayload = [
    ...(payloadSchema ? pathsOfSchema(payloadSchema, "payload", 4) : []),
    ...(payload && Object.keys(payload).length > 0 ? pathsOf(payload, "payload", 3) : []),
  ].filter((path) => path !== "payload");
  return [...new Set([...ofPayload, ...earlier, ...ofSubscriber, "workflow.name"])].slice(0, most);
}
