// Issues of the controls that decide whether and when a step runs: its skip condition, its waits, and the payload paths
// of its keys.
import type { StepType } from "@tidings/contract";
import { isObject, type JsonObject, toDottedPath } from "../../../lib/json.ts";
import { readExpiry } from "../../../pipeline/rules/expiry.ts";
import { readLength, readWait, type Wait } from "../../../pipeline/rules/waits.ts";
import { zoneOf } from "../../../pipeline/rules/zones.ts";
import { branchOf } from "../step-controls.ts";
import { conditionIssues, type Finding } from "./condition-issues.ts";
import { effectIssues } from "./effect-issues.ts";
import { flowIssues } from "./flow-issues.ts";
import { requestIssues } from "./request-issues.ts";
import { isKnownPath, unknownText } from "./template-names.ts";

/** What the issues of waits and of requests depend on. */
export type WaitFacts = {
  maxWaitDays: number;
  defaultTimezone: string;
  now: Date;
  /** Networks that requests may reach although they are not public. */
  allowNetworks: readonly string[];
};

export function* ruleIssues(
  type: StepType,
  values: JsonObject,
  variables: JsonObject,
  facts: WaitFacts,
): Generator<Finding> {
  yield* conditionIssues("skip", values.skip, variables);
  yield* flowIssues[type]?.(values, variables) ?? [];
  if (type === "http_request") yield* requestIssues(values, facts.allowNetworks);
  yield* effectIssues[type]?.(values) ?? [];
  const { properties } = branchOf(type, values);
  for (const [path, wait] of waitsOf(values, facts)) {
    // Controls of another kind of the step may be left over; they have no effect.
    if (properties[path]) yield* waitIssues(path, wait);
  }
  if (properties.expiresAt) yield* expiryIssues(values, facts.now);
  for (const path of ["dynamicKey", "digestKey", "throttleKey"]) {
    const name = values[path];
    if (properties[path] && typeof name === "string" && name.trim() !== "") {
      yield* pathIssues(path, name.trim(), variables);
    }
  }
}

function* waitsOf(values: JsonObject, { maxWaitDays, defaultTimezone, now }: WaitFacts): Generator<[string, Wait]> {
  yield ["amount", readLength(values, now, maxWaitDays)];
  if (values.lookBackWindow !== undefined) {
    yield ["lookBackWindow", readLength(values.lookBackWindow, now, maxWaitDays, "lookBackWindow")];
  }
  if (typeof values.cron === "string" && values.cron !== "") {
    const zone = zoneOf(null, defaultTimezone);
    const request = { values: { type: "timed", cron: values.cron }, scope: () => ({}), now, zone };
    yield ["cron", readWait({ ...request, maxDays: maxWaitDays })];
  }
}

/** A template is not checked: its value is known only when an event arrives. */
function* expiryIssues({ expiresAt, expiresIn }: JsonObject, now: Date): Generator<Finding> {
  const isTemplate = typeof expiresAt === "string" && /\{[{%]/.test(expiresAt);
  const time = isTemplate ? null : readExpiry({ expiresAt }, (text) => text, now);
  if (time && "fault" in time) {
    yield { path: "expiresAt", issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message: time.reason };
  }
  const length = readExpiry({ expiresIn }, (text) => text, now);
  if (!length || !("fault" in length)) return;
  const issueType = length.fault === "too_long" ? "TIER_LIMIT_EXCEEDED" : "MISSING_VALUE";
  const isUnitMissing = isObject(expiresIn) && expiresIn.unit === undefined;
  yield { path: isUnitMissing ? "expiresIn.unit" : "expiresIn.amount", issueType, message: length.reason };
}

function* waitIssues(path: string, wait: Wait): Generator<Finding> {
  if (!("fault" in wait)) return;
  if (wait.fault === "too_long") yield { path, issueType: "TIER_LIMIT_EXCEEDED", message: wait.reason };
  else if (path === "cron") yield { path, issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message: wait.reason };
  // A missing amount is reported as a required control already; of a lookBackWindow, members may be missing.
  else if (path === "lookBackWindow") yield { path, issueType: "MISSING_VALUE", message: wait.reason };
}

/**
 * A path without a known root is one of the payload. Keys are read from the payload only, a dynamicKey from any root.
 */
function* pathIssues(control: string, name: string, variables: JsonObject): Generator<Finding> {
  const roots = variables.properties as JsonObject;
  const path = toDottedPath(name);
  const isRooted = Object.hasOwn(roots, path.split(".")[0]!) && (control === "dynamicKey" || /^payload\./.test(path));
  const isReadable = !/[[\]]/.test(path);
  if (isReadable && isKnownPath(isRooted ? path : `payload.${path}`, variables)) return;
  const message = isReadable
    ? unknownText(name, variables)
    : `${name} cannot be read: write a path such as items[0].id`;
  yield { path: control, issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message, variableName: name };
}
