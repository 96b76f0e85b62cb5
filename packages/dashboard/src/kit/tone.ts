// The meaning of a colour: of badges, dots and verdicts.
export type Tone = "good" | "bad" | "warn" | "info" | "quiet" | "accent";
