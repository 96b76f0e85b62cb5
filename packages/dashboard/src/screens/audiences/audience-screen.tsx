// One audience: its rule or its list, its people, and why a person is in it or not.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Audience } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { LeaveGuard } from "../../drafts/leave-guard.tsx";
import { useShortcuts } from "../../drafts/use-shortcuts.ts";
import { Id } from "../../kit/data/code.tsx";
import { Figure } from "../../kit/data/figure.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Tabs } from "../../kit/layout/tabs.tsx";
import { words as peopleWords } from "../../subscribers/people-words.ts";
import { words as kitWords } from "../../words.ts";
import { AddPeople } from "./add-people.tsx";
import { AudienceMenu } from "./audience-menu.tsx";
import css from "./audiences.module.css";
import { People } from "./people.tsx";
import { RuleForm, SaveActions } from "./rule-editor.tsx";
import type { AudienceTab } from "./search.ts";
import { useRuleEditor } from "./use-rule-editor.ts";
import { words } from "./words.ts";

const audienceRoute = getRouteApi("/shell/audiences/$audienceId");
const back = { to: "/audiences", search: {}, label: words.back } as const;

export function NewAudienceScreen() {
  const mayCreate = useMay()("audiences.create");
  const editor = useRuleEditor(undefined, !mayCreate);
  useShortcuts(editor);
  return (
    <Page title={words.form.newTitle} back={back} isSticky actions={<SaveActions editor={editor} />}>
      <LeaveGuard editor={editor} />
      <Stack>
        {!mayCreate && <Notice icon="key">{kitWords.needsRole(requiredRole("audiences.create"))}</Notice>}
        <RuleForm editor={editor} audience={undefined} />
      </Stack>
    </Page>
  );
}

export function AudienceScreen() {
  const { audienceId } = audienceRoute.useParams();
  const { _id } = useEnvironment();
  const { data, error, refetch } = useOperation("audiences.retrieve", { params: { audienceId } });
  if (data?.kind === "rule") return <RuleAudience key={`${_id} ${data._id}`} audience={data} />;
  if (data) return <FixedAudience key={`${_id} ${data._id}`} audience={data} />;
  return (
    <Page title={audienceId} back={back}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={8} />}
    </Page>
  );
}

const Lead = ({ audience: { audienceId, kind } }: { audience: Audience }) => (
  <span className={css.lead}>
    <Id text={audienceId} what={words.id} />
    <Badge>{words.kinds[kind]}</Badge>
  </span>
);

/** The menu of an open audience; afterwards there is nothing left to show. */
function OpenMenu({ audience }: { audience: Audience }) {
  const navigate = useNavigate();
  return <AudienceMenu audience={audience} onDeleted={() => void navigate({ to: "/audiences" })} />;
}

function RuleAudience({ audience }: { audience: Audience }) {
  const { tab = "rule" } = audienceRoute.useSearch();
  const navigate = audienceRoute.useNavigate();
  const mayEdit = useMay()("audiences.update");
  const editor = useRuleEditor(audience, !mayEdit);
  useShortcuts(editor);
  const show = (next: AudienceTab) =>
    void navigate({ search: ({ env }) => ({ env, ...(next !== "rule" && { tab: next }) }) });
  return (
    <Page
      title={editor.draft.name || audience.name}
      back={back}
      lead={<Lead audience={audience} />}
      isSticky
      actions={
        <>
          <SaveActions editor={editor} />
          <OpenMenu audience={audience} />
        </>
      }
    >
      <LeaveGuard editor={editor} />
      <Tabs
        value={tab}
        onChange={show}
        tabs={[
          {
            value: "rule",
            label: words.tabs.rule,
            panel: (
              <Stack>
                {!mayEdit && <Notice icon="key">{kitWords.needsRole(requiredRole("audiences.update"))}</Notice>}
                <RuleForm editor={editor} audience={audience} />
              </Stack>
            ),
          },
          {
            value: "people",
            label: words.tabs.people,
            panel: (
              <>
                {editor.isChanged && <Notice tone="warn">{words.people.saveFirst}</Notice>}
                <People audience={audience} />
              </>
            ),
          },
        ]}
      />
    </Page>
  );
}

function FixedAudience({ audience }: { audience: Audience }) {
  const { audienceId, name, description } = audience;
  const mayEdit = useMay()("audiences.addMembers");
  const [isAdding, setAdding] = useState(false);
  const count = useOperation("audiences.count", { params: { audienceId } });
  return (
    <Page
      title={name}
      back={back}
      lead={
        <>
          <Lead audience={audience} />
          {description}
        </>
      }
      actions={
        <>
          {mayEdit && (
            <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
              {words.people.add}
            </Button>
          )}
          <OpenMenu audience={audience} />
        </>
      }
    >
      {isAdding && <AddPeople audience={audience} onClose={() => setAdding(false)} />}
      <Stack>
        {count.data && (
          <p role="status">
            <Figure>{peopleWords.counted(count.data)}</Figure>
          </p>
        )}
        <People audience={audience} />
      </Stack>
    </Page>
  );
}
