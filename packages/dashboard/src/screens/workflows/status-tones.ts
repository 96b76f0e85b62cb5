// The colour of a workflow's status.
import type { Tone } from "../../kit/tone.ts";
import type { WorkflowStatus } from "./search.ts";

export const statusTones: Record<WorkflowStatus, Tone> = { ACTIVE: "good", INACTIVE: "quiet", ERROR: "bad" };
