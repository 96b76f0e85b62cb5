// Devices and chat channels of a subscriber.
import type { Subscriber } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Icon } from "../../icons.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const text = words.channels;

type Row = { key: string; name: string; note: string; icon: "smartphone" | "hash"; remove?: () => void };

export function SubscriberChannels({ subscriber }: { subscriber: Subscriber }) {
  const { subscriberId, channels = [] } = subscriber;
  const endpoints = useOperation("channelEndpoints.list", { query: { subscriberId, limit: 100 } });
  const integrations = useOperation("integrations.list", {});
  const forget = useChange("subscribers.deleteCredentials", ["subscribers.retrieve"]);
  const removeEndpoint = useChange("channelEndpoints.delete", ["channelEndpoints.list"]);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const nameOf = (identifier: string | undefined, providerId: string) =>
    integrations.data?.find((one) => one.identifier === identifier)?.name ?? providerId;
  const ask = (what: string, run: () => void) =>
    confirm(
      { title: text.removeTitle(what), text: text.removeText, label: text.remove, isDanger: true, isAlways: true },
      run,
    );
  const done = { onError: showError, onSuccess: () => showToast({ title: text.removed }) };
  const rows: Row[] = [
    ...channels.map(({ providerId, integrationIdentifier, credentials }): Row => {
      const name = nameOf(integrationIdentifier, providerId);
      const { deviceTokens = [], webhookUrl, channel } = credentials;
      return {
        key: `${providerId}:${integrationIdentifier}`,
        name,
        note: [
          deviceTokens.length > 0 && text.tokens(deviceTokens.length),
          webhookUrl && text.webhook,
          channel && text.channel(channel),
        ]
          .filter(Boolean)
          .join(" · "),
        icon: deviceTokens.length > 0 ? "smartphone" : "hash",
        remove: may("subscribers.deleteCredentials")
          ? () => ask(name, () => forget.mutate({ params: { subscriberId, providerId } }, done))
          : undefined,
      };
    }),
    ...(endpoints.data?.data ?? []).map(
      ({ identifier, type, integrationIdentifier, providerId }): Row => ({
        key: identifier,
        name: nameOf(integrationIdentifier ?? undefined, providerId ?? type),
        note: `${type.replaceAll("_", " ")} · ${identifier}`,
        icon: "hash",
        remove: may("channelEndpoints.delete")
          ? () => ask(identifier, () => removeEndpoint.mutate({ params: { identifier } }, done))
          : undefined,
      }),
    ),
  ];
  return (
    <div className={css.stack}>
      {dialog}
      <p className={css.muted}>{text.text}</p>
      {endpoints.error && <ErrorPanel error={endpoints.error} onRetry={endpoints.refetch} />}
      {!endpoints.data && !endpoints.error && <Skeleton rows={3} />}
      {endpoints.data && rows.length === 0 && <EmptyState icon="smartphone" title={text.none} text={text.noneText} />}
      {rows.length > 0 && (
        <ul className={css.box} aria-label={text.title}>
          {rows.map(({ key, name, note, icon, remove }) => (
            <li key={key} className={css.line}>
              <span className={css.lineIcon}>
                <Icon name={icon} />
              </span>
              <span className={css.lineText}>
                <strong>{name}</strong>
                <span className={css.muted}>{note}</span>
              </span>
              {remove && (
                <Button size="small" onClick={remove} aria-label={`${text.remove}: ${name}`}>
                  {text.remove}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
