// What differs between two states of a record, in the form that the service uses for versions.
import type { ChangedField, StepChange } from "@tidings/contract";

export type Differences = { settings: ChangedField[]; steps: StepChange[] };

export const countDifferences = ({ settings, steps }: Differences): number => settings.length + steps.length;
