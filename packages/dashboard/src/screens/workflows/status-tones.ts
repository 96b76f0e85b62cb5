import type { Tone } from "../../kit/verdict.tsx";
import type { WorkflowStatus } from "./search.ts";

export const statusTones: Record<WorkflowStatus, Tone> = { ACTIVE: "good", INACTIVE: "quiet", ERROR: "bad" };
