// Messages of a pass: everything that one target should know is one message.
import type { AlertNotice } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { sha256 } from "../../lib/secrets.ts";
import { insertAlertMessages, type NewAlertMessage } from "../../store/alerts/alerts.batch.ts";
import type { AlertRow } from "../../store/alerts/alerts.ts";
import type { AlertContent, StoredNotice } from "../../store/tables.ts";
import { sealTarget, type Target } from "./targets.ts";

/** What people should know about an alert, and which targets get it. */
export type Told = { alert: AlertRow; notice: AlertNotice; targets: Target[] };

const toStored = ({ alert, notice }: Told): StoredNotice => ({
  notice,
  alertId: alert.id,
  ruleId: alert.rule_id,
  ruleName: alert.rule_name,
  kind: alert.kind,
  code: alert.code,
  subject: { type: alert.subject_type, id: alert.subject_id, name: alert.subject_name },
  facts: alert.facts,
  openedAt: alert.opened_at.toISOString(),
  ...(alert.resolved_at && { resolvedAt: alert.resolved_at.toISOString() }),
});

export type TargetMessage = { environmentId: string; target: Target; notices: StoredNotice[] };

/** One message for each target of an environment; targets that several rules name are one. */
export function groupByTarget(told: Told[]): TargetMessage[] {
  const groups = new Map<string, TargetMessage>();
  for (const one of told) {
    for (const target of one.targets) {
      const environmentId = one.alert.environment_id;
      const key = `${environmentId} ${JSON.stringify(target)}`;
      const group = groups.get(key) ?? { environmentId, target, notices: [] };
      const isNamed = group.notices.some(({ alertId }) => alertId === one.alert.id);
      if (!isNamed) group.notices.push(toStored(one));
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/**
 * Names what a message says to whom: the same content is written once, even when several targets of a rule fail and
 * each falls back to the owners.
 */
const keyOf = (target: Target, { at, notices }: AlertContent): string =>
  sha256(JSON.stringify([target, at, notices.map(({ alertId, notice }) => [alertId, notice]).sort()])).toString("hex");

/** `isFallback`: to the owners, because another target failed. */
export type NewMessage = { environmentId: string; target: Target; content: AlertContent; isFallback: boolean };

/** Writes messages and enqueues their delivery, in the transaction of what they report. */
export async function enqueueAlertMessages(ctx: Ctx, messages: NewMessage[]): Promise<void> {
  const rows = messages.map(
    ({ environmentId, target, content, isFallback }): NewAlertMessage => ({
      environment_id: environmentId,
      id: ctx.newId(),
      key: keyOf(target, content),
      target: sealTarget(ctx.secrets, target),
      alert_ids: content.notices.map(({ alertId }) => alertId),
      content,
      is_fallback: isFallback,
      created_at: ctx.now(),
    }),
  );
  const written = new Set((await insertAlertMessages(ctx.db, rows)).map(({ id }) => id));
  const tasks = rows.filter(({ id }) => written.has(id)).map((row) => messageTask(row.environment_id, row.id));
  await ctx.queue.enqueue(ctx.db, "alert", tasks);
}

export const messageTask = (environmentId: string, messageId: string) => ({
  data: { messageId },
  environmentId,
  lane: messageId,
});
