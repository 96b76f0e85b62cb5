// The draft of a broadcast: written, changed and deleted. A change keeps what no option names.
import type { Broadcast, CallInput } from "@tidings/contract";
import { numberOption, readJsonObject, refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import type { Call, CommandOptions } from "../../command.ts";
import { wrongUsage } from "../../failure.ts";
import type { Session } from "../../session.ts";
import { printBroadcast } from "./broadcast-view.ts";

export const help = "tidings broadcasts --help";

/** A broadcast that is named by its id. */
export type Opened = { call: Call; params: { broadcastId: string } } & Session;

const about = (text: string): string => `create, update: ${text}`;

export const draftOptions = {
  name: { type: "string", value: "name", about: "update: another name" },
  workflow: { type: "string", value: "id", about: about("the workflow that is sent") },
  content: { type: "string", value: "json|@file", about: about("instead of it, {steps, payload} written in place") },
  payload: { type: "string", value: "json|@file", about: about("the payload of its templates") },
  audience: { type: "string", multiple: true, value: "id", about: about("people in one of these") },
  exclude: { type: "string", multiple: true, value: "id", about: about("without the people in one of these") },
  everyone: { type: "boolean", about: about("every subscriber, instead of --audience") },
  now: { type: "boolean", about: "update: when it is sent, instead of at a time" },
  at: { type: "string", value: "time", about: about("when, such as 2027-03-02T09:00:00Z") },
  local: { type: "string", value: "time", about: about("the same in each person's time zone: 2027-03-02T09:00") },
  timezone: { type: "string", value: "zone", about: about("with --local, for people without one (default: UTC)") },
  "spread-hours": { type: "string", value: "number", about: about("spread the people over these hours; 0: not") },
  "per-minute": { type: "string", value: "number", about: about("people per minute at most; 0: no limit") },
  expires: { type: "string", value: "time", about: about("no person is started after it; never: no limit") },
} satisfies CommandOptions;

type Draft = CallInput<"broadcasts.create">["body"];
type Fields = Omit<Draft, "name">;
type Stored = Pick<Broadcast, "content" | "audience" | "time" | "pace">;

const nothing: Stored = { content: {}, audience: { include: [] }, time: { kind: "now" }, pace: {} };

export async function create(call: Call): Promise<void> {
  const name = requireArgument(call, 1, "The name", help);
  refuseMoreArguments(call, 2, help);
  const body: Draft = { name, ...(await readFields(call, nothing)) };
  const { tidings } = await call.session();
  await call.confirm(`Create the draft ${name}`);
  const created = await tidings.broadcasts.create({ body });
  printBroadcast(call.out, created);
  call.out.line(call.out.style("dim", `tidings broadcasts send ${created._id}`));
  call.out.json(created);
}

export async function update({ call, tidings, params }: Opened): Promise<void> {
  const name = textOption(call.values, "name");
  const fields = await readFields(call, await tidings.broadcasts.retrieve({ params }));
  const body = { ...(name !== undefined && { name }), ...fields };
  if (Object.keys(body).length === 0) throw wrongUsage("Say what to change: --name, --audience, --at …", help);
  await call.confirm(`Change the draft ${params.broadcastId}`);
  const changed = await tidings.broadcasts.update({ params, body });
  printBroadcast(call.out, changed);
  call.out.json(changed);
}

export async function remove({ call, tidings, params, environment }: Opened): Promise<void> {
  await call.confirm(`Delete the broadcast ${params.broadcastId}`);
  await tidings.broadcasts.delete({ params });
  call.out.line(`${params.broadcastId} is deleted from ${environment.name}.`);
  call.out.json(params);
}

/** The fields that options name, with what is stored of them. */
async function readFields(call: Call, stored: Stored): Promise<Fields> {
  const [content, audience, time, pace] = [
    await readContent(call, stored),
    readAudience(call, stored),
    readTime(call, stored),
    readPace(call, stored),
  ];
  const expires = textOption(call.values, "expires");
  return {
    ...(content && { content }),
    ...(audience && { audience }),
    ...(time && { time }),
    ...(pace && { pace }),
    ...(expires !== undefined && { expiresAt: expires === "never" ? null : expires }),
  };
}

async function readContent(call: Call, { content: stored }: Stored): Promise<Draft["content"]> {
  const workflowId = textOption(call.values, "workflow");
  const content = await readJsonObject(call, "content");
  const payload = await readJsonObject(call, "payload");
  if (workflowId !== undefined && content) throw wrongUsage("Give --workflow or --content, not both.", help);
  if (workflowId === undefined && !content) return payload && { ...stored, payload };
  const kept = stored.payload && { payload: stored.payload };
  return { ...kept, ...(content ?? { workflowId }), ...(payload && { payload }) } as Draft["content"];
}

function readAudience({ values }: Call, { audience: stored }: Stored): Draft["audience"] {
  const included = values.audience as string[] | undefined;
  const exclude = (values.exclude as string[] | undefined) ?? stored.exclude ?? [];
  if (values.everyone === true && included) throw wrongUsage("Give --audience or --everyone, not both.", help);
  if (!included && !values.exclude && values.everyone !== true) return undefined;
  const everyone = values.everyone === true || (!included && stored.everyone === true);
  const include = everyone ? [] : (included ?? stored.include);
  return { include, ...(exclude.length > 0 && { exclude }), ...(everyone && { everyone }) };
}

function readTime({ values }: Call, { time: stored }: Stored): Draft["time"] {
  const [at, local, timezone] = ["at", "local", "timezone"].map((name) => textOption(values, name));
  const given = [values.now === true, at !== undefined, local !== undefined].filter(Boolean).length;
  if (given > 1) throw wrongUsage("Give one of --now, --at and --local.", help);
  const [date, localTime] = local?.split(/[T ]/) ?? [];
  if (local !== undefined && !localTime) throw wrongUsage("--local: give a day and a time: 2027-03-02T09:00.", help);
  const hasSpread = values["spread-hours"] !== undefined;
  if (given === 0 && !hasSpread && timezone === undefined) return undefined;
  const { spreadHours: before = 0, ...present } = stored;
  const spreadHours = numberOption(values, "spread-hours", { least: 0, most: 168, otherwise: before });
  const zone = timezone ?? stored.timezone;
  const chosen: Stored["time"] =
    at !== undefined
      ? { kind: "at", at }
      : local !== undefined
        ? { kind: "local", date, localTime, ...(zone !== undefined && { timezone: zone }) }
        : values.now === true
          ? { kind: "now" }
          : { ...present, ...(timezone !== undefined && { timezone }) };
  if (timezone !== undefined && chosen.kind !== "local") throw wrongUsage("--timezone is for a time of --local.", help);
  return { ...chosen, ...(spreadHours > 0 && { spreadHours }) };
}

function readPace({ values }: Call, { pace: stored }: Stored): Draft["pace"] {
  if (values["per-minute"] === undefined) return undefined;
  const perMinute = numberOption(values, "per-minute", { least: 0, most: 1_000_000, otherwise: 0 });
  const { perMinute: _, ...others } = stored;
  return { ...others, ...(perMinute > 0 && { perMinute }) };
}
