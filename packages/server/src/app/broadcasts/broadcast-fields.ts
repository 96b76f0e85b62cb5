// What a draft may contain. A draft may be incomplete; what is given has to be valid.
import type { BroadcastAudience, BroadcastContent, BroadcastPace, BroadcastTime } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { faultCollector } from "../../failure.ts";
import { jsonBytes } from "../../lib/json.ts";
import { findZone } from "../../pipeline/rules/zones.ts";
import { findAudiencesByKeys } from "../../store/audiences/audiences.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import { readSteps } from "../workflows/workflow-content.ts";

type Fields = {
  content?: BroadcastContent;
  audience?: BroadcastAudience;
  time?: BroadcastTime;
  pace?: BroadcastPace;
  expiresAt?: string | null;
};

const maxPayloadBytes = 524_288;

/** 422 that names the fields; nothing has changed. */
export async function checkBroadcastFields(ctx: Ctx, caller: Caller, fields: Fields): Promise<void> {
  const faults = faultCollector();
  const add = (field: string, fault: string) => faults.add(field, `${field} ${fault}`);
  if (fields.content) checkContent(ctx, fields.content, add);
  if (fields.time) checkTime(fields.time, add);
  if (fields.audience) await checkAudience(ctx, caller.environmentId, fields.audience, add);
  if (fields.pace?.integrations) await checkPace(ctx, caller.environmentId, fields.pace, add);
  faults.throwIfAny();
}

type Add = (field: string, fault: string) => void;

function checkContent(ctx: Ctx, { workflowId, steps, payload }: BroadcastContent, add: Add): void {
  if (workflowId !== undefined && steps !== undefined) add("content.steps", "cannot be given together with workflowId");
  else if (steps) readSteps(ctx, steps, []);
  if (payload && jsonBytes(payload) > maxPayloadBytes) add("content.payload", "must not be larger than 512 KB of JSON");
}

const timeFields = { now: [], at: ["at"], local: ["date", "localTime"] } as const;

function checkTime(time: BroadcastTime, add: Add): void {
  for (const field of timeFields[time.kind]) {
    if (time[field] === undefined) add(`time.${field}`, `is required with the kind ${time.kind}`);
  }
  if (time.date !== undefined && !isDay(time.date)) add("time.date", "must be a day of the calendar, YYYY-MM-DD");
  if (time.timezone !== undefined && !findZone(time.timezone)) {
    add("time.timezone", "must be the name of a time zone, such as Europe/Berlin");
  }
}

const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

async function checkAudience(ctx: Ctx, environmentId: string, audience: BroadcastAudience, add: Add): Promise<void> {
  const { include, exclude = [], everyone = false } = audience;
  if (everyone && include.length > 0) add("audience.everyone", "cannot be true together with audiences in include");
  const known = new Set(
    (await findAudiencesByKeys(ctx.db, environmentId, [...include, ...exclude])).map((row) => row.audience_id),
  );
  for (const [field, ids] of [["include", include] as const, ["exclude", exclude] as const]) {
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length > 0) add(`audience.${field}`, `names audiences that do not exist: ${unknown.join(", ")}`);
  }
}

async function checkPace(ctx: Ctx, environmentId: string, pace: BroadcastPace, add: Add): Promise<void> {
  const known = new Set((await listIntegrations(ctx.db, environmentId)).map(({ identifier }) => identifier));
  const unknown = Object.keys(pace.integrations ?? {}).filter((identifier) => !known.has(identifier));
  if (unknown.length > 0) add("pace.integrations", `names integrations that do not exist: ${unknown.join(", ")}`);
}
