// From nothing to a message in an inbox: the key, a command that works when it is pasted, a button that does the same,
// and the inbox that it arrives in.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { baseUrl } from "../../api/client.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Icon } from "../../icons.tsx";
import { Code, CopyButton, InlineCode } from "../../kit/data/code.tsx";
import { Skeleton } from "../../kit/feedback/states.tsx";
import { Dot } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import css from "./home.module.css";
import { LiveInbox } from "./live-inbox.tsx";
import { words } from "./words.ts";

/** The subscriber of the command in the start banner. */
const subscriberId = "ada";
const exampleId = "welcome";
const text = words.first;

export function FirstNotification({ isNew }: { isNew: boolean }) {
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const workflows = useOperation("workflows.list", { query: { limit: 100 } });
  const trigger = useChange("events.trigger", [
    "activity.listEvents",
    "subscriberNotifications.list",
    "subscribers.list",
  ]);
  const create = useChange("workflows.create", ["workflows.list"]);
  const withInbox = workflows.data?.workflows.filter((one) => one.stepTypeOverviews.includes("in_app")) ?? [];
  const workflow = withInbox.find(({ workflowId }) => workflowId === exampleId) ?? withInbox[0];
  const body = workflow && {
    name: workflow.workflowId,
    to: { subscriberId, firstName: "Ada" },
    payload: workflow.workflowId === exampleId ? { product: "Tidings" } : {},
  };
  const send = () =>
    body &&
    confirm({ title: text.sendTitle, label: text.send }, () => trigger.mutate({ body }, { onError: showError }));
  const createExample = () =>
    confirm({ title: text.createTitle, label: text.create }, () =>
      create.mutate(
        { body: exampleWorkflow },
        { onError: showError, onSuccess: () => showToast({ title: text.created }) },
      ),
    );
  return (
    <Card title={isNew ? text.title : text.again}>
      {dialog}
      <div className={css.start}>
        <div className={css.steps}>
          <p className={css.muted}>{text.text}</p>
          {!workflows.data && !workflows.error && <Skeleton rows={4} />}
          {workflows.data && !body && (
            <div className={css.stepBlock}>
              <strong>{text.none}</strong>
              <p className={css.muted}>{text.noneText}</p>
              {may("workflows.create") && (
                <Button look="primary" icon="plus" onClick={createExample} disabled={create.isPending}>
                  {text.create}
                </Button>
              )}
            </div>
          )}
          {isNew && may("gallery.use") && (
            <div className={css.stepBlock}>
              <p className={css.muted}>{text.galleryText}</p>
              <div>
                <LinkButton to="/gallery" search={{}} icon="book">
                  {text.gallery}
                </LinkButton>
              </div>
            </div>
          )}
          {body && <Command body={body} />}
          {body && (
            <div className={css.sendLine}>
              {may("events.trigger") ? (
                <Button look="primary" icon="send" onClick={send} disabled={trigger.isPending}>
                  {text.send}
                </Button>
              ) : (
                <p className={css.muted}>{text.cannot}</p>
              )}
              {trigger.data?.transactionId && (
                <Link
                  to="/activity/$transactionId"
                  params={{ transactionId: trigger.data.transactionId }}
                  className={css.why}
                >
                  {text.why}
                  <Icon name="arrowRight" size={13} />
                </Link>
              )}
            </div>
          )}
        </div>
        <section className={css.inbox} aria-label={words.inbox.title(subscriberId)}>
          <div className={css.inboxHead}>
            <Icon name="bell" size={15} />
            <strong>{words.inbox.title(subscriberId)}</strong>
            <span className={css.live}>
              <Dot tone="good" isMoving />
              {words.inbox.live}
            </span>
          </div>
          <LiveInbox subscriberId={subscriberId} empty={<p className={css.quiet}>{words.inbox.empty}</p>} />
        </section>
      </div>
    </Card>
  );
}

const exampleWorkflow = {
  workflowId: exampleId,
  name: text.exampleName,
  active: true,
  steps: [
    {
      name: "In-app message",
      type: "in_app" as const,
      controlValues: { subject: text.exampleSubject, body: text.exampleBody },
    },
  ],
};

const hiddenKey = "••••••••••••••••";

/** What is copied has the key in it; what is shown only when it was asked for, since screens are shared. */
function Command({ body }: { body: object }) {
  const environment = useEnvironment();
  const environments = useOperation("environments.list", {});
  const [isShown, setShown] = useState(false);
  const key = environments.data
    ?.find(({ _id }) => _id === environment._id)
    ?.apiKeys?.find(({ scope }) => scope === "full")?.key;
  const shown = key === undefined ? "$TIDINGS_API_KEY" : isShown ? key : hiddenKey;
  return (
    <>
      {environments.data && (
        <div className={css.stepBlock}>
          <strong>{text.key}</strong>
          {key === undefined ? (
            <p className={css.muted}>{text.keyHidden}</p>
          ) : (
            <>
              <span className={css.key}>
                <InlineCode>{shown}</InlineCode>
                <CopyButton text={key} what={text.key} />
                <Button size="small" look="plain" onClick={() => setShown(!isShown)}>
                  {isShown ? text.hide : text.show}
                </Button>
              </span>
              <p className={css.muted}>{text.keyText}</p>
            </>
          )}
        </div>
      )}
      <div className={css.stepBlock}>
        <strong>{text.run}</strong>
        <Code text={curlOf(body, key ?? "$TIDINGS_API_KEY")} label={text.curl}>
          {curlOf(body, shown)}
        </Code>
      </div>
    </>
  );
}

const curlOf = (body: object, key: string): string =>
  [
    `curl -X POST ${new URL("v1/events/trigger", baseUrl()).href} \\`,
    `  -H "Authorization: ApiKey ${key}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ].join("\n");
