// Which events a message speaks of. The text of an event is unique in the run and has the name of its environment in
// it, so a message proves whose event it is.
import type { EventEntry, Ledger } from "./ledger.ts";

type Mention = { events: EventEntry[] /** Texts of our form that no client sent. */; strangers: string[] };

export type Texts = {
  read(text: string): Mention;
  /** Environments other than this one that are named in the text. */
  findOthers(text: string, environment: string): string[];
};

const word = /[\w.]+(?:-[\w.]+)*-\d+/g;

export function createTexts({ events }: Pick<Ledger, "events">, environments: string[]): Texts {
  const isOurs = (found: string) => environments.some((name) => found.startsWith(`${name}-`));
  const read = (text: string): Mention => {
    // Most messages are the text of one event.
    const whole = events.get(text);
    if (whole) return { events: [whole], strangers: [] };
    const mention: Mention = { events: [], strangers: [] };
    for (const found of text.match(word) ?? []) {
      const entry = events.get(found);
      if (entry) mention.events.push(entry);
      else if (isOurs(found)) mention.strangers.push(found);
    }
    return mention;
  };
  return {
    read,
    findOthers(text, environment) {
      const named = (text.match(word) ?? []).flatMap(
        (found) => environments.find((one) => found.startsWith(`${one}-`)) ?? [],
      );
      return [...new Set(named.filter((name) => name !== environment))];
    },
  };
}
