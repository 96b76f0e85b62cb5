// Every environment with its keys: what each may do, when it was last used, what is wrong with it, and their rotation.
import type { ApiKey } from "@tidings/contract";
import { useState } from "react";
import type { Environment } from "../../../api/auth.ts";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { useEnvironment, useSession } from "../../../api/session.tsx";
import { Icon } from "../../../icons.tsx";
import { Id } from "../../../kit/data/code.tsx";
import { NarrowOnly, Table } from "../../../kit/data/table.tsx";
import { formatDay, Time } from "../../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../../kit/inputs/button.tsx";
import { Switch } from "../../../kit/inputs/switch.tsx";
import { Muted, Note, Row, Stack } from "../../../kit/layout/layout.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../../kit/overlays/toast.tsx";
import { ApprovalSwitch } from "../approval-switch.tsx";
import css from "../environments.module.css";
import { words } from "../words.ts";
import { KeyDialog } from "./key-dialog.tsx";
import { KeyForm } from "./key-form.tsx";
import { notesOf, scopeText } from "./key-notes.ts";
import keyCss from "./keys.module.css";

const text = words.keys;
const recentMs = 3_600_000;
/** The service refuses more. */
const maxKeys = 20;

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
      <ApprovalSwitch environment={environment} />
      {may("environments.createApiKey") ? <KeyTable environment={environment} /> : <Muted>{text.needsOwner}</Muted>}
    </section>
  );
}

const endOf = ({ key }: ApiKey): string => key.slice(-4);

function KeyTable({ environment }: { environment: Environment }) {
  const { _id: environmentId, name } = environment;
  const { data, error, refetch } = useOperation("environments.list", {}, { environmentId, every: 30_000 });
  const update = useChange("environments.updateApiKey", ["environments.list"], environmentId);
  const revoke = useChange("environments.revokeApiKey", ["environments.list"], environmentId);
  const { confirm, dialog } = useConfirm();
  const [made, setMade] = useState<string | null>(null);
  const [edited, setEdited] = useState<ApiKey | "new" | null>(null);
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  const keys = data?.find(({ _id }) => _id === environmentId)?.apiKeys;
  if (!keys) return <Skeleton rows={2} />;
  const end = (key: ApiKey) =>
    confirm(
      {
        title: text.revokeTitle(key.name ?? text.masked(endOf(key))),
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
      {edited !== null && (
        <KeyForm
          environment={environment}
          {...(edited !== "new" && { stored: edited })}
          onMade={(key) => {
            setEdited(null);
            setMade(key);
          }}
          onClose={() => setEdited(null)}
        />
      )}
      {made !== null && <KeyDialog title={text.newTitle} value={made} onClose={() => setMade(null)} />}
      <Table
        label={text.title(name)}
        rows={keys}
        keyOf={({ _id }) => _id!}
        columns={[
          { title: text.key, cell: (key) => <KeyName stored={key} /> },
          { title: text.may, cell: (key) => <KeyRights stored={key} />, isWideOnly: true },
          {
            title: text.lastUse,
            cell: ({ lastUsedAt }) =>
              lastUsedAt ? <Time at={lastUsedAt} isRelative /> : <span className={css.weak}>{text.never}</span>,
            isWideOnly: true,
          },
          {
            title: text.expiry,
            cell: ({ expiresAt }) =>
              expiresAt ? <Time at={expiresAt} isRelative /> : <span className={css.weak}>{text.noExpiry}</span>,
            isWideOnly: true,
          },
          {
            title: text.mayRaise,
            isWideOnly: true,
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
            cell: (key) => (
              <span className={keyCss.end}>
                <Button size="small" aria-label={text.editOf(endOf(key))} onClick={() => setEdited(key)}>
                  {text.edit}
                </Button>
                {keys.length > 1 && (
                  <Button
                    size="small"
                    look="danger"
                    aria-label={text.revokeOf(endOf(key))}
                    onClick={() => end(key)}
                    disabled={revoke.isPending}
                  >
                    {text.revoke}
                  </Button>
                )}
              </span>
            ),
          },
        ]}
      />
      <Row isApart>
        <Muted>{keys.length >= maxKeys && text.limit(maxKeys)}</Muted>
        {keys.length < maxKeys && (
          <Button size="small" icon="key" onClick={() => setEdited("new")}>
            {text.makeSecond}
          </Button>
        )}
      </Row>
    </Stack>
  );
}

const isRecent = ({ lastUsedAt }: ApiKey): boolean =>
  typeof lastUsedAt === "string" && Date.now() - Date.parse(lastUsedAt) < recentMs;

/** With a sentence for each thing that an owner should look at. */
const KeyName = ({ stored }: { stored: ApiKey }) => (
  <div className={keyCss.name}>
    {stored.name ? <strong>{stored.name}</strong> : <Note>{text.unnamed}</Note>}
    <code className={keyCss.masked}>{text.masked(endOf(stored))}</code>
    {stored.owner && <Note>{text.ownedBy(stored.owner)}</Note>}
    {stored.createdAt && (
      <Note>
        {text.made} <Time at={stored.createdAt} isRelative />
      </Note>
    )}
    <NarrowOnly>
      <span>
        {scopeText(stored)},{" "}
        {stored.lastUsedAt ? (
          <>
            {text.used} <Time at={stored.lastUsedAt} isRelative />
          </>
        ) : (
          text.never.toLowerCase()
        )}
      </span>
    </NarrowOnly>
    {notesOf(stored, { now: Date.now(), formatDay }).map(({ tone, sentence }) => (
      <p key={sentence} className={keyCss.note} data-tone={tone}>
        {sentence}
      </p>
    ))}
  </div>
);

const KeyRights = ({ stored }: { stored: ApiKey }) => (
  <div className={keyCss.may}>
    <span title={stored.operations?.join(", ")}>{scopeText(stored)}</span>
    {stored.allowedNetworks && (
      <Note title={stored.allowedNetworks.join(", ")}>{text.networksOf(stored.allowedNetworks.length)}</Note>
    )}
  </div>
);
