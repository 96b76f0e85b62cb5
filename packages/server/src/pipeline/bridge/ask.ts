// A question to a bridge on its way through the stage.
import type { Task } from "../../store/queue/queue.ts";
import type { AskedBridge } from "../../store/workflows/bridges.batch.ts";
import type { JobState, Run } from "../run/run.ts";
import type { BridgeTask } from "../tasks.ts";
import type { BridgeReply } from "./call.ts";
import type { StepRequest } from "./request.ts";

/** A step that asks. */
export type Asking = { task: Task<BridgeTask>; run: Run; job: JobState; bridge: AskedBridge };

/** `call` is null when no call is made: the step is given up with `reply`. */
export type PreparedAsk = Asking & {
  isProbe: boolean;
  call: { url: string; key: string; workflowId: string; request: StepRequest } | null;
  reply?: BridgeReply;
};
export type FinishedAsk = PreparedAsk & { reply: BridgeReply };
