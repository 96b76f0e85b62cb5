// What a scenario cannot express of the events that it comes from. Pure.
import type { ScenarioMessageRow } from "../../../store/events/scenarios.ts";
import { waitsForReports } from "./awaited-signals.ts";
import type { Happened } from "./happened.ts";

/**
 * There is no provider that captures push messages. A message that failed at its provider would be taken by the mailbox
 * that captures the messages of a scenario.
 */
export const isHandedOver = ({ status, provider_id, channel }: ScenarioMessageRow): boolean =>
  channel !== "push" && (status === "sent" || (status === "error" && provider_id !== null && channel !== "in_app"));

export function notesOn(happened: Happened): string[] {
  const { events, messages, recipients, preferences, versions, requests, withFiles, isOpen, budgets } = happened;
  const notes: string[] = [];
  const add = (applies: boolean, note: string) => void (applies && notes.push(note));
  const withOverrides = events.filter(({ overrides }) => overrides !== null).map((event) => event.transaction_id);
  add(
    withOverrides.length > 0,
    `Overrides are left out, because they may hold credentials: add them by hand (${withOverrides.slice(0, 5).join(", ")}).`,
  );
  add(
    messages.some(({ channel }) => channel === "push"),
    "Push messages are left out: a test environment has no provider that captures them.",
  );
  add(withFiles.length > 0, "Attachments are left out.");
  add(
    waitsForReports(versions.values()),
    "Reports of providers are left out: add those that steps wait for, such as `clicked: <subscriber>`.",
  );
  add(
    requests.isMixed,
    "Requests of one step got different responses: the scenario has the first, for all of its runs.",
  );
  add(
    budgets.length > 0,
    "The attention budget counts only what the scenario sends: earlier messages and own limits of subscribers are left out.",
  );
  add(isOpen, "Steps still wait: the scenario ends before what they send later.");
  add(
    preferences.some((row) => row.has_context),
    "Preferences for single contexts are left out.",
  );
  add(
    recipients.some(({ subscriptions }) => subscriptions !== null) &&
      events.some((event) => event.context_keys.length > 0),
    "Topics have their members without contexts: an event with a context does not reach them.",
  );
  add(
    messages.some((row) => row.status === "error" && isHandedOver(row)),
    "Messages that failed at their provider are expected: a scenario's messages are captured and do not fail.",
  );
  return notes;
}
