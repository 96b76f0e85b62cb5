// What people read about an alert: a title, what was found, what to do, and the screen of the dashboard that fixes it.
// The words are built from the facts of the alert when they are needed, so that all messages and the dashboard agree.
import type { AlertKindName } from "@tidings/contract";
import type { StoredNotice } from "../../store/tables.ts";

/** `path`: of the dashboard's screen. */
type AlertWords = { title: string; text: string; advice: string; path: string };

type AlertFigures = Pick<StoredNotice, "kind" | "code" | "subject" | "facts">;

type Write = (alert: AlertFigures) => AlertWords;

const count = (number: string | number | undefined, one: string, many = `${one}s`): string =>
  `${Number(number ?? 0).toLocaleString("en-US")} ${Number(number) === 1 ? one : many}`;

const lasted = (minutes: string | number | undefined): string =>
  Number(minutes ?? 0) < 1 ? "less than a minute" : count(minutes, "minute");

/** Error texts of providers may have line breaks, and no limit. */
const quote = (text: string | number | undefined): string => {
  const line = String(text ?? "")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
};

const withError = (text: string, error: string | number | undefined): string =>
  error ? `${text} Last error: ${quote(error)}` : text;

const credentialErrors = ["auth", "config"];

const integrationFailing: Write = ({ code, subject, facts }) => ({
  title: `${subject.name} is failing`,
  text: withError(
    `Every call of the integration ${subject.name} (${facts.provider}) has failed for ${lasted(facts.minutes)}. ${
      code === "breaker_open"
        ? "Its circuit breaker is open: messages go through the next integration of the channel, or wait."
        : "Messages through it fail or are retried."
    }`,
    facts.error,
  ),
  advice: credentialErrors.includes(String(facts.errorClass))
    ? "Correct its credentials, then check them on the screen of the integration."
    : "Look at the status page of the provider. Messages that wait are sent when it responds again; “Try now” checks at once.",
  path: `/integrations/${subject.id}`,
});

const deadLetters: Write = ({ subject, facts }) => ({
  title: `${count(facts.count, "dead letter")} in ${subject.name}`,
  text: withError(
    facts.minutes
      ? `${count(facts.count, "message")} could not be delivered within the last ${count(facts.minutes, "minute")}.`
      : `${count(facts.count, "message")} that could not be delivered ${Number(facts.count) === 1 ? "waits" : "wait"} for a decision.`,
    facts.error,
  ),
  advice: "Fix the cause, then replay them. The link shows the largest group of them.",
  path: `/dead-letters/group?${new URLSearchParams({ integration: String(facts.integrationId), error: String(facts.errorClass) })}`,
});

const queueAge: Write = ({ subject, facts }) => ({
  title: `Work waits in ${subject.name}`,
  text: `The oldest due task has waited for ${count(facts.seconds, "second")} (${facts.task}).`,
  advice:
    "Check the load of the machine and of the database, and whether processes with workers run. More processes, or " +
    "fewer events at once, shorten the wait.",
  path: "/",
});

const webhookFailing: Write = ({ code, subject, facts }) => ({
  title:
    code === "disabled" ? `The webhook to ${subject.name} is switched off` : `The webhook to ${subject.name} fails`,
  text:
    code === "disabled"
      ? `The service switched it off: ${quote(facts.reason)}.`
      : withError(
          `Every call has failed for ${lasted(facts.minutes)} (${count(facts.failures, "call")}).`,
          facts.error,
        ),
  advice:
    code === "disabled"
      ? "Repair the receiver, switch the webhook on again, and replay what it missed."
      : "Repair the receiver. Events are retried for a day, and can be replayed after that.",
  path: `/webhooks/${subject.id}`,
});

const sourceFailing: Write = ({ subject, facts }) => ({
  title: `The source ${subject.name} cannot be read`,
  text: withError(
    `Its database could not be read for ${lasted(facts.minutes)}. Events that are committed there wait in its outbox.`,
    facts.error,
  ),
  advice:
    "Check the source: the response names what is wrong. When its database can be read again, the events are accepted " +
    "in their order.",
  path: `/sources/${subject.id}`,
});

const storageTexts: Record<string, (facts: AlertFigures["facts"]) => AlertWords> = {
  disk_low: (facts) => ({
    title: "Little disk space is left",
    text: `The disk of the embedded database has ${count(facts.freeMegabytes, "MB", "MB")} free.`,
    advice: "Free or add disk space, or shorten what is kept. A full disk stops everything that writes.",
    path: "/settings?tab=data",
  }),
  disk_full: () => ({
    title: "The database has no disk space left",
    text: "The database refused to write, because its disk is full.",
    advice: "Free or add disk space at once: until then, requests that write get 503.",
    path: "/settings?tab=data",
  }),
  chore_failing: (facts) => ({
    title: "Housekeeping fails",
    text: `The chore ${facts.chore} failed ${count(facts.tries, "time")} in a row.`,
    advice: "The log of the service has the error. Old rows stay until the chore succeeds.",
    path: "/settings?tab=data",
  }),
  chore_late: (facts) => ({
    title: "Housekeeping does not run",
    text: `The chore ${facts.chore} has been due for ${count(facts.minutes, "minute")}.`,
    advice: "Check whether a process with workers runs, and whether it keeps up with its tasks.",
    path: "/settings?tab=data",
  }),
};

const storage: Write = ({ code, facts }) => (storageTexts[code] ?? storageTexts.chore_failing!)(facts);

const workflowObjective: Write = ({ subject, facts }) => ({
  title: `${subject.name} misses its objective`,
  text:
    `Objective: ${facts.objective}. In the last ${Number(facts.hours) === 1 ? "hour" : `${facts.hours} hours`}, ` +
    `${count(facts.bad, "message")} of ${Number(facts.messages).toLocaleString("en-US")} missed it. At this pace, the ` +
    `error budget of 30 days is used up ${Number(facts.rate).toLocaleString("en-US")} times too fast.`,
  advice:
    "The objectives of the workflow show what is left of the budget. The activity of the workflow and the health of its " +
    "integrations show the cause.",
  path: `/workflows/${subject.id}?tab=objectives`,
});

const runawayAdvice: Record<string, string> = {
  active:
    "Find the program that triggers its events: the activity of the workflow lists them. To stop it, turn the workflow " +
    "off in its settings: new events then notify nobody.",
  paused:
    "The workflow was turned off: new events notify nobody. Runs in progress finish. When the cause is gone, turn it on " +
    "again in its settings.",
  off: "The workflow is off: new events notify nobody. When the cause is gone, turn it on again in its settings.",
};

const workflowRunaway: Write = ({ subject, facts }) => ({
  title: `${subject.name} sends far more than usual`,
  text:
    `The workflow created ${count(facts.count, "message")} within ${count(facts.minutes, "minute")}. ` +
    (Number(facts.usual) > 0
      ? `At this time, ${count(facts.usual, "message")} in a whole hour ${Number(facts.usual) === 1 ? "is" : "are"} usual.`
      : "It has no history to compare with."),
  advice: runawayAdvice[String(facts.state)] ?? runawayAdvice.active!,
  path: `/workflows/${subject.id}?tab=settings`,
});

const writers: Record<AlertKindName, Write> = {
  dead_letters: deadLetters,
  integration_failing: integrationFailing,
  queue_age: queueAge,
  webhook_failing: webhookFailing,
  source_failing: sourceFailing,
  storage,
  workflow_objective: workflowObjective,
  workflow_runaway: workflowRunaway,
};

export const wordsOf: Write = (alert) => writers[alert.kind](alert);
