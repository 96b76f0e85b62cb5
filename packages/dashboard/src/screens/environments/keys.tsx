// Every environment with its keys: when each was last used, and their rotation.
import type { ApiKey } from "@tidings/contract";
import { useState } from "react";
import type { Environment } from "../../api/auth.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment, useSession } from "../../api/session.tsx";
import { Icon } from "../../icons.tsx";
import { Id } from "../../kit/data/code.tsx";
import { Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Switch } from "../../kit/inputs/switch.tsx";
import { Muted, Row, Stack } from "../../kit/layout/layout.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import css from "./environments.module.css";
import { KeyDialog } from "./key-dialog.tsx";
import { words } from "./words.ts";

const text = words.keys;
const recentMs = 3_600_000;

export function Keys() {
  const { environments } = useSession();
  return (
    <Stack>
      <Muted>{text.rotation}</Muted>
      {environments.map((environment) => (
        <EnvironmentCard key={environment._id} environment={environment} />
      ))}
    </Stack>
  );
}

function EnvironmentCard({ environment }: { environment: Environment }) {
  const chosen = useEnvironment();
  const may = useMay();
  const isProduction = environment.type === "prod";
  const type = isProduction ? words.production : words.development;
  return (
    <section className={css.environment} data-production={isProduction} aria-label={environment.name}>
      <Row isApart>
        <div className={css.head}>
          <span className={css.sign} data-production={isProduction}>
            <Icon name={isProduction ? "zap" : "code"} size={15} />
          </span>
          <h2>{environment.name}</h2>
          {environment.name !== type && <Badge tone={isProduction ? "warn" : "quiet"}>{type}</Badge>}
          <Id text={environment.identifier} what={words.environment} />
        </div>
        {environment._id === chosen._id ? (
          <Badge tone="accent">{text.chosen}</Badge>
        ) : (
          <LinkButton size="small" to="/environments" search={{ env: environment.identifier }}>
            {text.lookAt}
          </LinkButton>
        )}
      </Row>
      {may("environments.createApiKey") ? <KeyTable environment={environment} /> : <Muted>{text.needsOwner}</Muted>}
    </section>
  );
}

const endOf = ({ key }: ApiKey): string => key.slice(-4);

function KeyTable({ environment }: { environment: Environment }) {
  const { _id: environmentId, name } = environment;
  const { data, error, refetch } = useOperation("environments.list", {}, { environmentId, every: 30_000 });
  const make = useChange("environments.createApiKey", ["environments.list"], environmentId);
  const update = useChange("environments.updateApiKey", ["environments.list"], environmentId);
  const revoke = useChange("environments.revokeApiKey", ["environments.list"], environmentId);
  const { confirm, dialog } = useConfirm();
  const [made, setMade] = useState<string | null>(null);
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  const keys = data?.find(({ _id }) => _id === environmentId)?.apiKeys;
  if (!keys) return <Skeleton rows={2} />;
  const add = () =>
    confirm({ title: text.makeSecond, text: text.rotation, label: text.makeSecond, environment }, () =>
      make.mutate({ params: { environmentId } }, { onError: showError, onSuccess: ({ key }) => setMade(key) }),
    );
  const end = (key: ApiKey) =>
    confirm(
      {
        title: text.revokeTitle,
        text: text.revokeText(isRecent(key) ? text.usedRecently : text.notUsed),
        label: text.revoke,
        isDanger: true,
        isAlways: true,
        environment,
      },
      () =>
        revoke.mutate(
          { params: { environmentId, keyId: key._id! } },
          { onError: showError, onSuccess: () => showToast({ title: text.revoked }) },
        ),
    );
  const allow = (key: ApiKey, mayRaisePriority: boolean) =>
    update.mutate(
      { params: { environmentId, keyId: key._id! }, body: { mayRaisePriority } },
      {
        onError: showError,
        onSuccess: () => showToast({ title: text.mayRaiseDone[mayRaisePriority ? "on" : "off"] }),
      },
    );
  return (
    <Stack isSmall>
      {dialog}
      {made !== null && <KeyDialog title={text.newTitle} value={made} onClose={() => setMade(null)} />}
      <Table
        label={text.title(name)}
        rows={keys}
        keyOf={({ _id }) => _id!}
        columns={[
          { title: text.key, cell: (key) => <code className={css.key}>{text.masked(endOf(key))}</code> },
          {
            title: text.made,
            cell: ({ createdAt }) => createdAt && <Time at={createdAt} isRelative />,
            isWideOnly: true,
          },
          {
            title: text.lastUse,
            cell: ({ lastUsedAt }) =>
              lastUsedAt ? <Time at={lastUsedAt} isRelative /> : <span className={css.weak}>{text.never}</span>,
          },
          {
            title: text.mayRaise,
            cell: (key) => (
              <Switch
                label={text.mayRaiseOf(endOf(key))}
                checked={key.mayRaisePriority === true}
                disabled={update.isPending}
                onChange={(event) => allow(key, event.target.checked)}
              />
            ),
          },
          {
            title: "",
            cell: (key) =>
              keys.length > 1 && (
                <span className={css.end}>
                  <Button
                    size="small"
                    look="danger"
                    aria-label={text.revokeOf(endOf(key))}
                    onClick={() => end(key)}
                    disabled={revoke.isPending}
                  >
                    {text.revoke}
                  </Button>
                </span>
              ),
          },
        ]}
      />
      <Row isApart>
        <Muted>{keys.length > 1 && text.made2}</Muted>
        {keys.length < 2 && (
          <Button size="small" icon="key" onClick={add} disabled={make.isPending}>
            {text.makeSecond}
          </Button>
        )}
      </Row>
    </Stack>
  );
}

const isRecent = ({ lastUsedAt }: ApiKey): boolean =>
  typeof lastUsedAt === "string" && Date.now() - Date.parse(lastUsedAt) < recentMs;
