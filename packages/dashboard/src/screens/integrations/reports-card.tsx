// Where the provider reports bounces and opens: the address, registering it, and the key that reports are verified
// with.
import type { Integration, Provider } from "@tidings/contract";
import { useState } from "react";
import { baseUrl } from "../../api/client.ts";
import { useChange } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { staleAfterChange } from "../../health/use-try-now.ts";
import { Code } from "../../kit/data/code.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Tools } from "../../kit/layout/layout.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./integrations.module.css";
import { words } from "./words.ts";

export function ReportsCard({ integration, provider }: { integration: Integration; provider: Provider }) {
  const environment = useEnvironment();
  const may = useMay();
  const register = useChange("integrations.autoConfigure", staleAfterChange);
  const update = useChange("integrations.update", staleAfterChange);
  const { confirm, dialog } = useConfirm();
  const [signingKey, setSigningKey] = useState("");
  const { _id = "", configurations = {} } = integration;
  const address = new URL(`v2/inbound-webhooks/delivery-providers/${environment._id}/${_id}`, baseUrl()).href;
  const params = { integrationId: _id };
  const ask = (run: () => void) => confirm({ title: words.changeTitle(integration.name), label: words.change }, run);
  const save = () =>
    update.mutate(
      {
        params,
        body: {
          configurations: { ...configurations, inboundWebhookEnabled: true, inboundWebhookSigningKey: signingKey },
        },
      },
      {
        onSuccess: () => {
          setSigningKey("");
          showToast({ title: kitWords.saved });
        },
      },
    );
  const answer = register.data;
  return (
    <Card
      title={words.reports.title}
      actions={
        <Tools>
          <LinkButton size="small" to="/webhooks" search={{ tab: "receipts", integration: integration.identifier }}>
            {words.reports.received}
          </LinkButton>
          {provider.autoConfigure && may("integrations.autoConfigure") && (
            <Button
              size="small"
              icon="plug"
              onClick={() => ask(() => register.mutate({ params }))}
              disabled={register.isPending}
            >
              {words.reports.auto}
            </Button>
          )}
        </Tools>
      }
    >
      {dialog}
      <div className={css.stackSmall}>
        <p className={css.help}>{provider.receipts ? words.reports.text : words.reports.generic}</p>
        {(register.error ?? update.error) && <ErrorPanel error={register.error ?? update.error} />}
        {answer?.success && (
          <Notice tone="good" icon="check">
            {answer.message ?? words.reports.autoDone}
          </Notice>
        )}
        {answer && !answer.success && <Notice tone="warn">{answer.message}</Notice>}
        <Code text={address} label={words.reports.address} />
        {may("integrations.update") && (
          <form
            className={css.inline}
            onSubmit={(event) => {
              event.preventDefault();
              ask(save);
            }}
          >
            <TextField
              label={words.reports.signingKey}
              hint={configurations.inboundWebhookSigningKey ? words.stored : words.reports.signingKeyHint}
              type="password"
              autoComplete="new-password"
              value={signingKey}
              onChange={({ target }) => setSigningKey(target.value)}
            />
            <Button type="submit" disabled={signingKey === "" || update.isPending}>
              {words.reports.save}
            </Button>
          </form>
        )}
      </div>
    </Card>
  );
}
