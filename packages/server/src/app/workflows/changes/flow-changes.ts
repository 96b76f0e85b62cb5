// Changes of the steps that steer a run or reach out: arms, variants, waits, requests. As predicates of the step, such
// as "gets the arm pro" or "waits for the signal paid, was ready", which plans and publishing share. Pure.
import { type ChangedField, conditionText, readArm, type StepType, updatableFields } from "@tidings/contract";
import { canonicalJson, isObject, type JsonObject } from "../../../lib/json.ts";
import { maskUrlTemplate } from "../../../pipeline/requests/mask.ts";
import type { StoredStep } from "../../../store/tables.ts";

export type BothSteps = { before: readonly StoredStep[]; after: readonly StoredStep[] };

/** Null: the field is not one of these. */
export function flowChange(type: StepType, { field, before, after }: ChangedField, steps: BothSteps): string[] | null {
  if (field === "arm") return [armChange(before, after, steps)];
  const name = field.replace(/^controlValues\./, "");
  return changesByType[type]?.(name, { before, after }) ?? null;
}

type Values = { before: unknown; after: unknown };
type Changes = (name: string, values: Values) => string[] | null;

const changesByType: Partial<Record<StepType, Changes>> = {
  branch: (name, values) => (name === "arms" ? armsChange(values) : null),
  experiment: experimentChange,
  wait: waitChange,
  http_request: requestChange,
  start_workflow: startChange,
  update_subscriber: subscriberChange,
};

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === "";
const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);
const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const maxQuoted = 70;

function quote(value: unknown): string {
  const text = typeof value === "string" ? value : canonicalJson(value);
  return `“${text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text}”`;
}

/** "the arm Pro of Plan", by the names that people see. */
function placeName(arm: unknown, steps: readonly StoredStep[]): string {
  const { branch, arm: id } = readArm(String(arm));
  const step = steps.find(({ stepId }) => stepId === branch);
  const found = listOf(step?.controlValues.arms).find((one) => one.id === id);
  return `the arm ${found ? nameOf(found) : id} of ${step?.name ?? branch}`;
}

export const placeOf = ({ arm }: Pick<StoredStep, "arm">, steps: readonly StoredStep[]): string | null =>
  arm === undefined ? null : placeName(arm, steps);

function armChange(before: unknown, after: unknown, steps: BothSteps): string {
  const [from, to] = [isEmpty(before) ? null : placeName(before, steps.before), !isEmpty(after)];
  if (!to) return `leaves ${from}: every run gets to it`;
  const place = placeName(after, steps.after);
  return from === null ? `moves into ${place}` : `moves from ${from} to ${place}`;
}

const nameOf = ({ id, name }: JsonObject): string => String(isEmpty(name) ? id : name);

type Item = { id: unknown; before?: JsonObject; after?: JsonObject };

/** The entries of two lists, by their ids: first in the order of the new list, then those that it lacks. */
function pairs({ before, after }: Values): Item[] {
  const [old, next] = [listOf(before), listOf(after)];
  const gone = old.filter(({ id }) => !next.some((one) => one.id === id));
  return [
    ...next.map((one) => ({ id: one.id, before: old.find(({ id }) => id === one.id), after: one })),
    ...gone.map((one) => ({ id: one.id, before: one })),
  ];
}

const hasOtherOrder = ({ before, after }: Values): boolean => {
  const [old, next] = [listOf(before), listOf(after)].map((list) => list.map(({ id }) => id));
  const kept = old!.filter((id) => next!.includes(id));
  return !isSame(
    kept,
    next!.filter((id) => old!.includes(id)),
  );
};

const whenText = ({ condition }: JsonObject): string =>
  isObject(condition) && Object.keys(condition).length > 0 ? `when ${conditionText(condition)}` : "never";

function armsChange(values: Values): string[] {
  const changes = pairs(values).flatMap(({ before, after }): string[] => {
    if (!after) return [`loses the arm ${nameOf(before!)}`];
    if (!before) return [`gets the arm ${nameOf(after)}, taken ${whenText(after)}`];
    return [
      ...(nameOf(before) === nameOf(after) ? [] : [`calls the arm ${nameOf(before)} ${nameOf(after)} now`]),
      ...(isSame(before.condition, after.condition)
        ? []
        : [`takes the arm ${nameOf(after)} ${whenText(after)}, was ${whenText(before)}`]),
    ];
  });
  const names = listOf(values.after).map(nameOf).join(", ");
  return [...changes, ...(hasOtherOrder(values) ? [`tries its arms in the order ${names}`] : [])];
}

const weightOf = ({ weight }: JsonObject): number => (typeof weight === "number" ? weight : 1);

function experimentChange(name: string, values: Values): string[] | null {
  const { before, after } = values;
  switch (name) {
    case "variants":
      return variantsChange(values);
    case "holdOutPercent":
      return [
        isEmpty(after) || after === 0 ? "holds nobody out" : `holds out ${after} % of people, was ${before ?? 0} %`,
      ];
    case "goals":
      return [Array.isArray(after) && after.length > 0 ? `counts the goals ${after.join(", ")}` : "counts no goals"];
    default:
      return null;
  }
}

function variantsChange(values: Values): string[] {
  const all = pairs(values);
  const weights = all.flatMap(({ id, before, after }) =>
    before && after && weightOf(before) !== weightOf(after) ? [`${id}: ${weightOf(before)} → ${weightOf(after)}`] : [],
  );
  const others = all.flatMap(({ id, before, after }): string[] => {
    if (!after) return [`loses the variant ${id}`];
    if (!before) return [`gets the variant ${id} with the weight ${weightOf(after)}`];
    return nameOf(before) === nameOf(after) ? [] : [`calls the variant ${id} ${quote(nameOf(after))} now`];
  });
  return [...others, ...(weights.length > 0 ? [`changes the weights of its variants, ${weights.join(", ")}`] : [])];
}

function waitChange(name: string, { before, after }: Values): string[] | null {
  switch (name) {
    case "signal":
      return signalChange(isObject(before) ? before : {}, isObject(after) ? after : {});
    case "message": {
      const message = isObject(after) ? after : {};
      return [
        isEmpty(message.stepId)
          ? "no longer waits for a message"
          : `waits until the message of ${message.stepId} is ${message.event}`,
      ];
    }
    case "onEvent":
      return [after === "end" ? "ends the run when that happens" : "lets the run continue when that happens"];
    case "onTimeout":
      return [after === "end" ? "ends the run at its timeout" : "lets the run continue at its timeout"];
    default:
      return null;
  }
}

function signalChange(before: JsonObject, after: JsonObject): string[] {
  if (isEmpty(after.name)) return ["no longer waits for a signal"];
  const was = isEmpty(before.name) ? "" : `, was ${before.name}`;
  return [
    ...(before.name === after.name ? [] : [`waits for the signal ${after.name}${was}`]),
    ...(isSame(before.key ?? "", after.key ?? "")
      ? []
      : [isEmpty(after.key) ? "takes signals with any key" : `takes only signals with the key ${quote(after.key)}`]),
    ...(before.lookBackMinutes === after.lookBackMinutes
      ? []
      : [
          isEmpty(after.lookBackMinutes)
            ? "no longer looks back for a signal"
            : `looks back ${after.lookBackMinutes} minutes for a signal`,
        ]),
  ];
}

function requestChange(name: string, values: Values): string[] | null {
  const { before, after } = values;
  switch (name) {
    case "method":
      return [`sends ${after}, was ${before ?? "nothing"}`];
    case "url":
      return [urlChange(String(before ?? ""), String(after ?? ""))];
    case "headers":
      return headersChange(values);
    case "body":
      return [isEmpty(after) ? "sends no body" : "sends another body"];
    case "responseBodySchema":
      return [isEmpty(after) ? "declares no response" : "declares another response"];
    case "enforceSchemaValidation":
      return [after === true ? "fails when a response does not fit its schema" : "accepts responses that do not fit"];
    case "continueOnFailure":
      return [after === true ? "lets the run continue when it fails" : "ends the run when it fails"];
    case "sampleResponse":
      return ["has another sample response, for dry runs and tests"];
    default:
      return null;
  }
}

/** What is secret in an address is in no sentence. */
function urlChange(before: string, after: string): string {
  const [from, to] = [maskUrlTemplate(before), maskUrlTemplate(after)];
  return from === to ? `calls ${quote(to)} with another user or query` : `calls ${quote(to)}, was ${quote(from)}`;
}

/** Values of headers are often secret, so no sentence has one. */
function headersChange({ before, after }: Values): string[] {
  const byKey = (list: unknown) => listOf(list).map(({ key, value }): JsonObject => ({ id: key, value }));
  return pairs({ before: byKey(before), after: byKey(after) }).flatMap((pair) => {
    if (!pair.after) return [`no longer sends the header ${pair.id}`];
    if (!pair.before) return [`sends the header ${pair.id}`];
    return isSame(pair.before, pair.after) ? [] : [`sends another value in the header ${pair.id}`];
  });
}

function startChange(name: string, { before, after }: Values): string[] | null {
  const people = listOf(after).map(({ subscriberId, topicKey }) =>
    subscriberId === undefined ? `the topic ${topicKey}` : String(subscriberId),
  );
  switch (name) {
    case "workflowId":
      return [`starts the workflow ${after}, was ${before ?? "none"}`];
    case "to":
      return [
        people.length > 0
          ? `starts its workflow for ${people.join(", ")}`
          : "starts its workflow for the subscriber of the run",
      ];
    case "payload":
      return [isEmpty(after) ? "passes the payload of the run on" : "passes another payload on"];
    default:
      return null;
  }
}

function subscriberChange(name: string, { after }: Values): string[] | null {
  if (name === "data") return [isEmpty(after) ? "sets no data" : "sets other data"];
  if (!updatableFields.some((field) => field === name)) return null;
  return [isEmpty(after) ? `no longer sets ${name}` : `sets ${name} to ${quote(after)}`];
}
