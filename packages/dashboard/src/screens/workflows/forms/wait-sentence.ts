// What a wait does, in a sentence. Pure.
import { summarizeWait, type Values } from "../../../steps/kit.ts";
import { words } from "./words.ts";

const say = words.wait.sentence;

export function waitSentence(values: Values, nameOf: (stepId: string) => string): string {
  const signal = values.signal as { name?: string; key?: string; lookBackMinutes?: number } | undefined;
  const message = values.message as { stepId?: string; event?: keyof typeof say.events } | undefined;
  const parts = [
    ...(signal?.name ? [say.signal(signal.name, signal.key, signal.lookBackMinutes)] : []),
    ...(message?.stepId ? [say.message(nameOf(message.stepId), say.events[message.event ?? "read"])] : []),
  ];
  if (parts.length === 0) return say.nothing;
  const time = values.type === "regular" || values.type === undefined ? say.atMost : say.atLatest;
  const ends = [values.onEvent === "end" && say.endsThen, values.onTimeout === "end" && say.endsOnTimeout];
  return [say.until(parts.join(say.or), time(summarizeWait(values))), ...ends.filter(Boolean)].join(" ");
}
