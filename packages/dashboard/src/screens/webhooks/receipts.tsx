// What came from providers: what each report changed, and what was refused and why.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { StoredReceipt } from "@tidings/contract";
import type { ReactNode } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Code, Id } from "../../kit/data/code.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Disclosure, DisclosureList } from "../../kit/layout/disclosure.tsx";
import { Muted, Stack, Tools } from "../../kit/layout/layout.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import type { Tone } from "../../kit/tone.ts";
import type { WebhooksSearch } from "./search.ts";
import { words } from "./words.ts";

const webhooksRoute = getRouteApi("/shell/webhooks");

const text = words.receipts;
const any = "";
type Result = StoredReceipt["result"];

const tones: Record<Result, Tone> = {
  applied: "good",
  duplicate: "quiet",
  waiting: "info",
  ignored: "quiet",
  refused: "bad",
};

export function Receipts() {
  const { integration, result, page = 0 } = webhooksRoute.useSearch();
  const navigate = useNavigate();
  const integrations = useOperation("integrations.list", {});
  const { data, error, refetch } = useOperation(
    "inboundReceipts.list",
    { query: { limit: 25, page, integrationIdentifier: integration, result } },
    { keep: true, every: 10_000 },
  );
  const go = (changed: Omit<WebhooksSearch, "tab">) =>
    void navigate({
      to: "/webhooks",
      search: (old) => ({ env: old.env, tab: "receipts", integration, result, ...changed }),
    });
  const clear = () => go({ integration: undefined, result: undefined });
  const isFiltered = integration !== undefined || result !== undefined;
  const first = { value: any, label: text.any };
  return (
    <Stack>
      <Muted>{text.text}</Muted>
      <Tools>
        <Select
          name={text.integration}
          value={integration ?? any}
          isSet={integration !== undefined}
          onChange={(value) => go({ integration: value || undefined })}
          choices={[
            first,
            ...(integrations.data ?? []).map(({ identifier, name }) => ({ value: identifier, label: name })),
          ]}
        />
        <Select
          name={text.result}
          value={result ?? any}
          isSet={result !== undefined}
          onChange={(value) => go({ result: (value || undefined) as Result | undefined })}
          choices={[first, ...Object.entries(words.results).map(([value, label]) => ({ value, label }))]}
        />
        {isFiltered && (
          <Button look="plain" onClick={clear}>
            {text.clear}
          </Button>
        )}
      </Tools>
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          isFiltered ? (
            <EmptyState
              title={text.noMatch}
              text={text.noMatchText}
              action={<Button onClick={clear}>{text.clear}</Button>}
            />
          ) : (
            <EmptyState
              icon="webhook"
              title={text.none}
              text={text.noneText}
              action={<LinkButton to="/integrations">{text.openIntegrations}</LinkButton>}
            />
          )
        }
      >
        {(rows) => (
          <DisclosureList label={text.list}>
            {rows.map((receipt) => (
              <Receipt key={receipt.id} receipt={receipt} />
            ))}
          </DisclosureList>
        )}
      </ListView>
      {data && (data.hasMore || page > 0) && (
        <Pager
          onPrevious={page > 0 ? () => go({ page: page - 1 || undefined }) : undefined}
          onNext={data.hasMore ? () => go({ page: page + 1 }) : undefined}
        />
      )}
    </Stack>
  );
}

const Receipt = ({ receipt }: { receipt: StoredReceipt }) => (
  <Disclosure
    title={
      <>
        <strong>{receipt.status ?? text.request}</strong> · {receipt.integrationIdentifier ?? text.unknownIntegration}
      </>
    }
    note={summaryOf(receipt)}
    end={
      <>
        <Badge tone={tones[receipt.result]}>{words.results[receipt.result]}</Badge>
        <Time at={receipt.createdAt} isRelative />
      </>
    }
  >
    {() => <Details receipt={receipt} />}
  </Disclosure>
);

function summaryOf({ result, reason, changes }: StoredReceipt): string {
  if (reason) return words.reasons[reason];
  if (result === "waiting") return text.waitingText;
  if (result === "duplicate") return text.duplicateText;
  return changes.length === 0 ? text.nothing : changes.map((change) => words.changes[change]).join(", ");
}

function Details({ receipt }: { receipt: StoredReceipt }) {
  const { messageId, transactionId, externalId, recipient, excerpt, integrationId, createdAt } = receipt;
  const facts: [string, ReactNode][] = [
    [text.time, <Time key="time" at={createdAt} />],
    [text.message, messageId && <Id key="message" text={messageId} what={text.message} />],
    [text.externalId, externalId && <Id key="external" text={externalId} what={text.externalId} />],
    [text.recipient, recipient],
  ];
  return (
    <>
      <Facts of={facts} />
      {excerpt !== undefined && <Code text={excerpt} label={text.excerpt} />}
      <Tools>
        {transactionId && (
          <LinkButton size="small" icon="activity" to="/activity/$transactionId" params={{ transactionId }}>
            {text.run}
          </LinkButton>
        )}
        {integrationId && (
          <LinkButton size="small" icon="plug" to="/integrations/$integrationId" params={{ integrationId }}>
            {text.openIntegration}
          </LinkButton>
        )}
      </Tools>
    </>
  );
}
