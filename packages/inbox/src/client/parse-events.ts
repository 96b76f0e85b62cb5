// Reads server-sent events from chunks of text, and the events of the inbox from them.
import type { Counts, LiveEvent } from "./types.ts";
import type { StreamData } from "./wire.ts";

export type StreamEvent = { name: string; id: string | undefined; data: string };

/** A line without an end would otherwise be kept for ever. */
const maxPending = 4_000_000;

/** A parser keeps what is left of a chunk. Unknown fields and comments are skipped, as the standard says. */
export function createEventParser(on: { event: (event: StreamEvent) => void; retry: (ms: number) => void }) {
  let pending = "";
  let name = "";
  let id: string | undefined;
  let data: string[] = [];
  const endEvent = () => {
    if (data.length > 0) on.event({ name: name || "message", id, data: data.join("\n") });
    name = "";
    data = [];
  };
  const readLine = (line: string) => {
    if (line === "") return endEvent();
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
    else if (field === "id") id = value;
    else if (field === "retry" && /^\d+$/.test(value)) on.retry(Number(value));
  };
  return (chunk: string): void => {
    pending += chunk;
    // A carriage return at the end may be the first half of a line end.
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    pending = lines.pop()!;
    if (pending.length > maxPending) throw new Error("a line of the stream is too long");
    for (const line of lines) readLine(line);
  };
}

export const toCounts = ({ total, severity }: StreamData["counts"]["unread"], unseen: number): Counts => ({
  total,
  severity: { ...severity },
  unseen,
});

/** Null for an event of a name that this version does not know. */
export function toLiveEvent({ name, data }: StreamEvent): LiveEvent | null {
  const value: unknown = JSON.parse(data);
  if (name === "notification") return { kind: name, notification: value as StreamData["notification"] };
  if (name === "counts") {
    const { unread, unseen } = value as StreamData["counts"];
    return { kind: name, counts: toCounts(unread, unseen) };
  }
  if (name === "changed") {
    const { notification } = value as StreamData["changed"];
    return notification ? { kind: name, notification } : { kind: "resync" };
  }
  if (name !== "removed") return null;
  const { ids, count } = value as StreamData["removed"];
  return ids.length < count ? { kind: "resync" } : { kind: name, ids };
}
