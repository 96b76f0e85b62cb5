// The topics that a person belongs to.
import { type FormEvent, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { Icon } from "../../icons.tsx";
import { Button } from "../../kit/button.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { TextField } from "../../kit/field.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Pager } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { showError, showToast } from "../../kit/toast.tsx";
import { Badge } from "../../kit/verdict.tsx";
import css from "./people.module.css";
import { words } from "./words.ts";

const text = words.topics;

export function PersonTopics({ subscriberId }: { subscriberId: string }) {
  const [key, setKey] = useState("");
  const [after, setAfter] = useState<string | undefined>();
  const { data, error, refetch } = useOperation(
    "subscribers.listSubscriptions",
    { params: { subscriberId }, query: { limit: 25, after } },
    { keep: true },
  );
  const add = useChange("topicSubscriptions.create", ["subscribers.listSubscriptions"]);
  const remove = useChange("topicSubscriptions.delete", ["subscribers.listSubscriptions"]);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const topicKey = key.trim();
    if (topicKey === "") return;
    confirm({ title: text.addTitle(topicKey), label: text.addButton }, () =>
      add.mutate(
        { params: { topicKey }, body: { subscriptions: [subscriberId] } },
        {
          onError: showError,
          onSuccess: ({ errors }) => {
            if (errors?.[0]) return showToast({ title: errors[0].message, look: "bad" });
            setKey("");
            showToast({ title: text.added(topicKey) });
          },
        },
      ),
    );
  };
  const leave = (topicKey: string, identifier: string) =>
    confirm({ title: text.removeTitle(topicKey), label: text.remove, isAlways: true, isDanger: true }, () =>
      remove.mutate(
        { params: { topicKey }, body: { subscriptions: [{ identifier, subscriberId }] } },
        { onError: showError, onSuccess: () => showToast({ title: text.removed(topicKey) }) },
      ),
    );
  return (
    <div className={css.stack}>
      {dialog}
      <div className={css.panelHead}>
        <p className={css.muted}>{text.text}</p>
        {may("topicSubscriptions.create") && (
          <form className={css.ask} onSubmit={submit}>
            <TextField
              label={text.add}
              placeholder={text.addLabel}
              value={key}
              spellCheck={false}
              onChange={({ target }) => setKey(target.value)}
            />
            <Button type="submit" disabled={add.isPending || key.trim() === ""}>
              {text.addButton}
            </Button>
          </form>
        )}
      </div>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.data.length === 0 && <EmptyState icon="users" title={text.none} text={text.noneText} />}
      {data && data.data.length > 0 && (
        <ul className={css.box} aria-label={text.title}>
          {data.data.map(({ _id, identifier, topic, createdAt, contextKeys = [] }) => (
            <li key={_id} className={css.line}>
              <span className={css.lineIcon}>
                <Icon name="users" />
              </span>
              <span className={css.lineText}>
                <strong>{topic.name || topic.key}</strong>
                <span className={css.muted}>
                  {topic.key} · <Time at={createdAt} isRelative />{" "}
                  {contextKeys.map((context) => (
                    <Badge key={context}>{context}</Badge>
                  ))}
                </span>
              </span>
              {may("topicSubscriptions.delete") && (
                <Button
                  size="small"
                  onClick={() => leave(topic.key, identifier)}
                  disabled={remove.isPending}
                  aria-label={`${text.remove}: ${topic.key}`}
                >
                  {text.remove}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {data && (data.next || after) && (
        <Pager
          onPrevious={after ? () => setAfter(undefined) : undefined}
          onNext={data.next ? () => setAfter(data.next!) : undefined}
        />
      )}
    </div>
  );
}
