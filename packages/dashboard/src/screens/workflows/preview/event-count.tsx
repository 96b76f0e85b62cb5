// How many events a digest is assumed to collect.
import { TextField } from "../../../kit/inputs/field.tsx";
import type { Sample } from "./use-sample.ts";
import { words } from "./words.ts";

const maxEvents = 100;

export function EventCount({ sample: { assume, setAssume } }: { sample: Sample }) {
  const change = (count: number) =>
    setAssume({ ...assume, digestedEvents: Math.min(maxEvents, Math.max(1, Math.trunc(count) || 1)) });
  return (
    <TextField
      label={words.digestedEvents}
      type="number"
      min={1}
      max={maxEvents}
      value={assume.digestedEvents}
      onChange={({ target }) => change(target.valueAsNumber)}
    />
  );
}
