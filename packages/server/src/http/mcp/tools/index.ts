// The tools, in the order in which they are listed.
import type { Tool } from "../tool.ts";
import { backtest } from "./backtest.ts";
import { deadLetters, replayDeadLetters } from "./dead-letters.ts";
import { dryRun, simulate } from "./dry-run.ts";
import { explain } from "./explain.ts";
import { applyPlan, validateAndPlanFiles } from "./files.ts";
import { findPerson } from "./find-person.ts";
import { listActivity } from "./list-activity.ts";
import { showRun } from "./show-run.ts";
import { systemHealth } from "./system-health.ts";
import { triggerTest } from "./trigger-test.ts";
import { listWorkflows, previewContent, readWorkflow } from "./workflows.ts";

export const tools: readonly Tool[] = [
  findPerson,
  explain,
  listActivity,
  showRun,
  dryRun,
  simulate,
  backtest,
  validateAndPlanFiles,
  listWorkflows,
  readWorkflow,
  previewContent,
  deadLetters,
  systemHealth,
  applyPlan,
  triggerTest,
  replayDeadLetters,
];
