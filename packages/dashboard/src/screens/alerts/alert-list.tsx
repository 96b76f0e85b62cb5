// Open and past alerts: what was found, what to do, and which messages were sent about it.
import { getRouteApi } from "@tanstack/react-router";
import type { Alert } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { linkOf } from "../../health/alert-link.ts";
import { ListBar } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { formatDuration, Time } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge, Dot, Verdict } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { choicesOf } from "../../kit/inputs/choices.ts";
import { Select } from "../../kit/inputs/select.tsx";
import { Disclosure, DisclosureList } from "../../kit/layout/disclosure.tsx";
import { Row, Stack } from "../../kit/layout/layout.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";

import css from "./alerts.module.css";
import { nameTarget } from "./target-names.ts";
import { words } from "./words.ts";

const alertsRoute = getRouteApi("/shell/alerts");

export function AlertList() {
  const { state: status, page = 0 } = alertsRoute.useSearch();
  const navigate = alertsRoute.useNavigate();
  const { data, error, refetch } = useOperation(
    "alerts.list",
    { query: { limit: 25, page, status } },
    { keep: true, every: 15_000 },
  );
  const showPage = (next: number) =>
    void navigate({ search: (old) => ({ env: old.env, state: old.state, page: next || undefined }) });
  return (
    <Stack>
      <ListBar>
        <Select
          name={words.status}
          value={status ?? "all"}
          isSet={status !== undefined}
          choices={[{ value: "all" as const, label: words.every }, ...choicesOf(words.statuses)]}
          onChange={(value) =>
            void navigate({ search: (old) => ({ env: old.env, state: value === "all" ? undefined : value }) })
          }
        />
      </ListBar>
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon="circleCheck"
            title={status === "open" ? words.noneOpen : words.none}
            text={words.noneText}
            action={
              <LinkButton to="/alerts" search={{ tab: "rules" }}>
                {words.showRules}
              </LinkButton>
            }
          />
        }
      >
        {(rows) => (
          <DisclosureList label={words.title}>
            {rows.map((alert) => (
              <AlertRow key={alert._id} alert={alert} />
            ))}
          </DisclosureList>
        )}
      </ListView>
      {data && (data.hasMore || page > 0) && (
        <Pager
          onPrevious={page > 0 ? () => showPage(page - 1) : undefined}
          onNext={data.hasMore ? () => showPage(page + 1) : undefined}
        />
      )}
    </Stack>
  );
}

const AlertRow = ({ alert }: { alert: Alert }) => (
  <Disclosure
    title={
      <span className={css.title}>
        <Verdict tone={alert.status === "open" ? "bad" : "good"} />
        <strong>{alert.title}</strong>
        {alert.acknowledgedAt && alert.status === "open" && <Badge tone="info">{words.acknowledged}</Badge>}
      </span>
    }
    note={alert.text}
    end={
      alert.status === "open" ? (
        <>
          {words.since} <Time at={alert.openedAt} isRelative />
        </>
      ) : (
        <>
          {words.ended} <Time at={alert.resolvedAt!} isRelative />
        </>
      )
    }
  >
    {() => <AlertDetails alert={alert} />}
  </Disclosure>
);

function AlertDetails({ alert }: { alert: Alert }) {
  const { openedAt, resolvedAt, ending, ruleName, acknowledgedBy, acknowledgedAt, messages } = alert;
  const duration = resolvedAt && formatDuration(Date.parse(resolvedAt) - Date.parse(openedAt));
  return (
    <Stack>
      <p>{alert.advice}</p>
      <AlertActions alert={alert} />
      <Facts
        of={[
          [words.rule, ruleName],
          [words.opened, <Time key="opened" at={openedAt} />],
          [
            words.resolved,
            resolvedAt && (
              <>
                <Time at={resolvedAt} /> · {words.after(duration!)}
                {ending && ending !== "recovered" && ` · ${words.endings[ending]}`}
              </>
            ),
          ],
          [
            words.takenBy,
            acknowledgedAt && (
              <>
                {acknowledgedBy} · <Time at={acknowledgedAt} />
              </>
            ),
          ],
        ]}
      />
      <h3>{words.messages}</h3>
      {messages.length === 0 ? (
        <p className={css.muted}>{words.noMessages}</p>
      ) : (
        <ul className={css.messages} aria-label={words.messages}>
          {messages.map((message) => (
            <li key={`${message.createdAt} ${message.notice} ${nameTarget(message.target)}`}>
              <Dot tone={messageTones[message.status]} isMoving={message.status === "pending"} />
              <span>
                {words.message(words.notices[message.notice], nameTarget(message.target))}{" "}
                {message.isFallback && <Badge tone="warn">{words.fallback}</Badge>}
                <span className={css.muted}>
                  {words.messageStatuses[message.status]}
                  {message.detail && `: ${message.detail}`} · <Time at={message.lastAttemptAt ?? message.createdAt} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

const messageTones = { pending: "info", sent: "good", failed: "bad" } as const;

function AlertActions({ alert }: { alert: Alert }) {
  const { _id, status, acknowledgedAt } = alert;
  const may = useMay();
  const acknowledge = useChange("alerts.acknowledge", ["alerts.list"]);
  return (
    <Row>
      <LinkButton {...linkOf(alert)}>{words.open}</LinkButton>
      {status === "open" && !acknowledgedAt && may("alerts.acknowledge") && (
        <Button
          onClick={() =>
            acknowledge.mutate(
              { params: { alertId: _id } },
              { onError: showError, onSuccess: () => showToast({ title: words.acknowledgedToast }) },
            )
          }
          disabled={acknowledge.isPending}
        >
          {words.acknowledge}
        </Button>
      )}
    </Row>
  );
}
