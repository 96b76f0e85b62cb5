// The items of roll-ups: what a held message says, kept as the output of its job.
import { isObject, type JsonObject } from "../../lib/json.ts";
import { htmlToText } from "../render/html-text.ts";
import type { MessageDraft, RollUpItem, StepInput, StepResult } from "../run/run.ts";

const maxTitle = 200;
const maxText = 300;
const maxUrl = 2_000;

/** The message of the step as an item. */
export function toItem({ run, now }: StepInput, result: StepResult): RollUpItem {
  const messages =
    "messages" in result ? result.messages : "message" in result && result.message ? [result.message] : [];
  const [draft] = messages;
  const { name } = run.version.definition;
  const text = draft ? textOf(draft) : "";
  return {
    title: shorten(oneLine(draft?.subject ?? "") || name, maxTitle),
    text: shorten(oneLine(text), maxText),
    url: draft ? urlOf(draft).slice(0, maxUrl) : "",
    workflow: name,
    time: now.toISOString(),
  };
}

function textOf({ channel, content, outgoing }: MessageDraft): string {
  const own = outgoing && "text" in outgoing ? outgoing.text : undefined;
  if (own) return own;
  return channel === "email" || channel === "in_app" ? htmlToText(content ?? "") : (content ?? "");
}

/** The first link of a mail that is not one to unsubscribe; where an in-app message leads. */
function urlOf({ channel, cta, content }: MessageDraft): string {
  if (channel === "in_app") {
    const data = cta && isObject(cta.data) ? cta.data : {};
    return typeof data.url === "string" ? data.url : "";
  }
  if (channel !== "email") return "";
  return (
    /<a\s[^<>]{0,500}?href="(https?:\/\/[^"<>\s]{1,2000})"/i.exec(content ?? "")?.[1]?.replaceAll("&amp;", "&") ?? ""
  );
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text;

/** The output of a job that was held; null when it is none. */
export function readItem(output: JsonObject | null): RollUpItem | null {
  if (!output) return null;
  const { title, text, url, workflow, time } = output;
  const given = { title, text, url, workflow, time };
  return Object.values(given).every((value) => typeof value === "string") ? (given as RollUpItem) : null;
}

/** The id is that of a job, which is the first item of one roll-up only. */
export const rollUpTransactionId = (id: string): string => `rollup_${id.replaceAll("-", "")}`;
