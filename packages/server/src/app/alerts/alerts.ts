// Alerts as people read them: what is wrong, since when, what to do, and which messages were sent about it.
import type { Alert, AlertMessage, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { openTarget, toTargetView } from "../../pipeline/alerts/targets.ts";
import { wordsOf } from "../../pipeline/alerts/words.ts";
import {
  type AlertMessageRow,
  type AlertRow,
  acknowledgeAlert,
  findAlert,
  listAlertMessages,
  listAlerts,
} from "../../store/alerts/alerts.ts";
import { pageRange, toPage } from "../paging.ts";

/** Messages shown with an alert. */
const maxMessages = 20;

const toMessage = ({ secrets }: Ctx, alertId: string, row: AlertMessageRow): AlertMessage => ({
  target: toTargetView(openTarget(secrets, row.target)),
  notice: row.content.notices.find((one) => one.alertId === alertId)?.notice ?? "opened",
  status: row.status,
  isFallback: row.is_fallback,
  attempts: row.attempts,
  detail: row.detail ?? undefined,
  createdAt: row.created_at.toISOString(),
  lastAttemptAt: row.last_at?.toISOString(),
});

function toAlert(row: AlertRow, messages: AlertMessage[]): Alert {
  const { id, kind, code, facts } = row;
  const subject = { type: row.subject_type, id: row.subject_id, name: row.subject_name };
  return {
    _id: id,
    ruleId: row.rule_id,
    ruleName: row.rule_name,
    kind,
    code,
    status: row.status,
    subject,
    facts,
    ...wordsOf({ kind, code, subject, facts }),
    openedAt: row.opened_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString(),
    ending: row.ending ?? undefined,
    acknowledgedAt: row.acknowledged_at?.toISOString(),
    acknowledgedBy: row.acknowledged_by ?? undefined,
    messages,
  };
}

async function withMessages(ctx: Ctx, { environmentId }: Caller, rows: AlertRow[]): Promise<Map<string, Alert>> {
  const ids = rows.map(({ id }) => id);
  const messages = Map.groupBy(
    await listAlertMessages(ctx.db, environmentId, ids, maxMessages),
    ({ alert_id }) => alert_id,
  );
  return new Map(
    rows.map((row) => [
      row.id,
      toAlert(
        row,
        (messages.get(row.id) ?? []).map((one) => toMessage(ctx, row.id, one)),
      ),
    ]),
  );
}

export async function list(ctx: Ctx, caller: Caller, { query }: Input<"alerts.list">): Promise<Output<"alerts.list">> {
  const { page: _page, limit: _limit, ...filters } = query;
  const page = await listAlerts(ctx.db, caller.environmentId, { ...filters, page: pageRange(query) });
  const { rows, totalCount, openCount } = page;
  const alerts = await withMessages(ctx, caller, rows);
  return { totalCount, openCount, ...toPage(rows, query, ({ id }) => alerts.get(id)!) };
}

export async function acknowledge(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"alerts.acknowledge">,
): Promise<Output<"alerts.acknowledge">> {
  const { alertId } = params;
  const { environmentId, member } = caller;
  await acknowledgeAlert(ctx.db, environmentId, { id: alertId, by: member?.name ?? "API key", now: ctx.now() });
  const row = await findAlert(ctx.db, environmentId, alertId);
  if (!row) throw failure("ALERT_NOT_FOUND", { alertId });
  return (await withMessages(ctx, caller, [row])).get(row.id)!;
}
