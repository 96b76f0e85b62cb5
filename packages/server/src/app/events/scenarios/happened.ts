// What a scenario is built from: rows of past events.
import type { AttentionBudget } from "@tidings/contract";
import type { EventRow } from "../../../store/events/events.ts";
import type { ScenarioMessageRow, ScenarioPreference, ScenarioRecipient } from "../../../store/events/scenarios.ts";
import type { SentSignal } from "../../../store/signals/signals.ts";
import type { RecipientRow } from "../../../store/subscribers/subscribers.ts";
import type { TenantRow } from "../../../store/subscribers/tenants.ts";
import type { WorkflowVersion } from "../../../store/workflows/workflows.ts";
import type { PastResponses } from "./responses.ts";

export type Happened = {
  events: EventRow[];
  recipients: ScenarioRecipient[];
  messages: ScenarioMessageRow[];
  /** Those that the workflows wait for. */
  signals: SentSignal[];
  requests: PastResponses;
  subscribers: RecipientRow[];
  preferences: ScenarioPreference[];
  versions: ReadonlyMap<string, WorkflowVersion>;
  tenants: ReadonlyMap<string, TenantRow>;
  /** The attention budget of the environment. */
  budgets: AttentionBudget[];
  /** When events were canceled, by event id. */
  canceled: ReadonlyMap<string, Date>;
  /** Events with attachments. */
  withFiles: string[];
  /** Steps still wait. */
  isOpen: boolean;
  isTestClock: boolean;
  now: Date;
};
