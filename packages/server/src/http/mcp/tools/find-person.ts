// find_person: who somebody is, and everything about the person that decides whether messages arrive.
import { channels, type SubscriberPreferences } from "@tidings/contract";
import { Type } from "@tidings/contract/schema";
import { answerOf, id, more, quote } from "../answer.ts";
import { cursor, limit, optional } from "../arguments.ts";
import { Refusal, readingTool, type ToolHost } from "../tool.ts";

type Person = Awaited<ReturnType<typeof search>>["data"][number];

const search = (host: ToolHost, query: { search?: string; limit?: number; after?: string }) =>
  host.call("subscribers.list", { query });

const nameOf = ({ firstName, lastName }: Person): string => [firstName, lastName].filter(Boolean).join(" ");

function summaryOf(person: Person): string {
  const parts = [
    nameOf(person) && quote(nameOf(person)),
    person.email ? `email ${quote(person.email)}` : "no email address",
    person.phone ? `phone ${quote(person.phone)}` : "no phone number",
  ];
  return `${id(person.subscriberId)}: ${parts.filter(Boolean).join(", ")}`;
}

const offIn = (choices: Record<string, boolean | undefined>): string[] =>
  channels.filter((channel) => choices[channel] === false);

function preferenceLines({ global, workflows, categories = [] }: SubscriberPreferences): string[] {
  const off = offIn(global.channels);
  const lines = [
    off.length > 0
      ? `Turned off for everything: ${off.join(", ")}.`
      : "No channel is turned off for everything in the preferences.",
  ];
  const choices = workflows.flatMap(({ workflow, enabled, channels: chosen }) => {
    const channelsOff = offIn(chosen);
    if (enabled && channelsOff.length === 0) return [];
    return [`Workflow ${id(workflow.identifier)}: ${enabled ? `${channelsOff.join(", ")} off` : "turned off"}.`];
  });
  const ofCategories = categories.flatMap(({ categoryId, channels: chosen }) => {
    const channelsOff = offIn(chosen);
    return channelsOff.length === 0 ? [] : [`Category ${id(categoryId)}: ${channelsOff.join(", ")} off.`];
  });
  lines.push(...choices.slice(0, 30), ...ofCategories.slice(0, 30));
  if (choices.length > 30) lines.push(`${choices.length - 30} more workflows have a channel off.`);
  return [...lines, ...scheduleLines(global.schedule)];
}

function scheduleLines(schedule: SubscriberPreferences["global"]["schedule"]): string[] {
  if (!schedule?.isEnabled) return ["No quiet hours: messages are delivered at any time."];
  const days = Object.entries(schedule.weeklySchedule ?? {}).map(([day, { isEnabled, hours = [] }]) => {
    const open = hours.map(({ start, end }) => `${start} to ${end}`).join(", ");
    return `${day} ${isEnabled ? open || "all day" : "closed"}`;
  });
  return [`Quiet hours: messages are delivered only in these hours: ${days.join("; ")}.`];
}

async function suppressionLines(host: ToolHost, { email, phone }: Person): Promise<string[]> {
  const addresses = [email, phone].filter((one): one is string => Boolean(one));
  const found = await Promise.all(
    addresses.map((address) => host.call("suppressions.list", { query: { address, limit: 5 } })),
  );
  const entries = found.flatMap(({ data }) => data);
  if (entries.length === 0) return ["No address is suppressed."];
  return entries.map(
    ({ channel, address, reason, createdAt }) =>
      `The ${channel} address ${quote(address)} is suppressed since ${createdAt}: ${reason}. Nothing is sent there.`,
  );
}

async function detailsOf(host: ToolHost, person: Person): Promise<string> {
  const { subscriberId } = person;
  const [preferences, suppressions] = await Promise.all([
    host.call("subscribers.retrievePreferences", { params: { subscriberId } }),
    suppressionLines(host, person),
  ]);
  const devices = (person.channels ?? []).map(({ providerId }) => providerId);
  return answerOf([
    summaryOf(person),
    `Language: ${person.locale ? id(person.locale) : "not set"}. Time zone: ${person.timezone ? id(person.timezone) : "not set"}.`,
    devices.length > 0 ? `Chat and push addresses: ${devices.map(id).join(", ")}.` : "No chat or push address.",
    ...suppressions,
    ...preferenceLines(preferences),
    `Created ${person.createdAt}.`,
    host.linkTo(`/subscribers/${encodeURIComponent(subscriberId)}`),
  ]);
}

export const findPerson = readingTool({
  name: "find_person",
  title: "Find a person",
  description:
    "Finds people (subscribers) by id, email address or name. For one match: addresses, suppressed addresses, preferences and quiet hours.",
  operations: ["subscribers.list"],
  input: {
    query: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "A complete id or email address, the beginning of one, or part of the name",
    }),
    limit: optional(limit(50, 10)),
    cursor: optional(cursor),
  },
  run: async (host, { query, limit = 10, cursor: after }) => {
    const { data, next } = await search(host, { search: query.trim(), limit, after });
    const [exact] = data.filter((one) => [one.subscriberId, one.email].includes(query.trim()));
    const person = exact ?? (data.length === 1 && !after ? data[0] : undefined);
    if (person) return detailsOf(host, person);
    if (data.length === 0) throw new Refusal(`Nobody in this environment matches ${quote(query)}.`);
    return answerOf([`${data.length} people match:`, ...data.map(summaryOf), more(next)]);
  },
});
