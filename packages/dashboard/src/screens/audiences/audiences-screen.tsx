// The list of audiences: found by name or id, created with a rule or as a fixed list.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Audience } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { CursorPager } from "../../kit/data/cursor-pager.tsx";
import { ListBar, NameLink } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { NarrowOnly, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { Card, Page } from "../../kit/layout/page.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { useSettledText } from "../../kit/use-settled.ts";
import { AudienceMenu } from "./audience-menu.tsx";
import css from "./audiences.module.css";
import { FixedDialog } from "./fixed-dialog.tsx";
import { words } from "./words.ts";

const audiencesRoute = getRouteApi("/shell/audiences");
const pageSize = 25;

export function AudiencesScreen() {
  const { q, after, before } = audiencesRoute.useSearch();
  const navigate = audiencesRoute.useNavigate();
  const show = (changed: { q?: string; after?: string; before?: string }, replace = false) =>
    void navigate({ search: ({ env }) => ({ env, ...("q" in changed ? {} : q && { q }), ...changed }), replace });
  const [text, setText] = useSettledText(q ?? "", (settled) => show({ q: settled.trim() || undefined }, true));
  const { data, error, refetch } = useOperation(
    "audiences.list",
    { query: { limit: pageSize, after, before, query: q } },
    { keep: true },
  );
  const [isMaking, setMaking] = useState(false);
  const isEmpty = data?.data.length === 0 && q === undefined && after === undefined && before === undefined;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={!isEmpty && data && <NewAudience onFixed={() => setMaking(true)} />}
    >
      {isMaking && <FixedDialog onClose={() => setMaking(false)} />}
      {!isEmpty && <ListBar search={{ label: words.search, value: text, onChange: setText }} />}
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          isEmpty ? (
            <FirstAudience onFixed={() => setMaking(true)} />
          ) : (
            <EmptyState
              title={words.noMatch}
              text={words.noMatchText}
              action={<Button onClick={() => show({ q: undefined })}>{words.clear}</Button>}
            />
          )
        }
      >
        {(rows) => (
          <Table
            label={words.title}
            rows={rows}
            keyOf={({ audienceId }) => audienceId}
            columns={[
              { title: words.name, cell: NameCell },
              { title: words.kind, cell: ({ kind }) => <Badge>{words.kinds[kind]}</Badge>, isWideOnly: true },
              {
                title: words.who,
                cell: ({ sentence }) => <span className={css.sentenceCell}>{sentence}</span>,
                isWideOnly: true,
              },
              { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, isWideOnly: true },
              { title: "", cell: (audience) => <AudienceMenu audience={audience} />, isNumber: true },
            ]}
          />
        )}
      </ListView>
      {data && <CursorPager page={data} onShow={show} />}
    </Page>
  );
}

const NameCell = ({ audienceId, name, kind }: Audience) => (
  <>
    <NameLink to="/audiences/$audienceId" params={{ audienceId }} search={{}} name={name} id={audienceId} />
    <NarrowOnly>{words.kinds[kind]}</NarrowOnly>
  </>
);

function NewAudience({ onFixed }: { onFixed: () => void }) {
  const navigate = useNavigate();
  if (!useMay()("audiences.create")) return null;
  return (
    <Menu
      align="end"
      trigger={
        <Button look="primary" icon="plus">
          {words.create}
        </Button>
      }
      entries={[
        {
          label: words.createRule,
          note: words.createRuleNote,
          icon: "filter",
          onChoose: () => void navigate({ to: "/audiences/new" }),
        },
        { label: words.createFixed, note: words.createFixedNote, icon: "users", onChoose: onFixed },
      ]}
    />
  );
}

/** What audiences are, and the two ways to get one. */
function FirstAudience({ onFixed }: { onFixed: () => void }) {
  const say = words.first;
  const mayCreate = useMay()("audiences.create");
  return (
    <>
      <EmptyState icon="users" title={say.title} text={say.text} />
      {mayCreate && (
        <div className={css.ways}>
          <Card title={say.rule}>
            <div className={css.way}>
              <p>{say.ruleText}</p>
              <LinkButton look="primary" icon="filter" to="/audiences/new">
                {say.ruleAction}
              </LinkButton>
            </div>
          </Card>
          <Card title={say.fixed}>
            <div className={css.way}>
              <p>{say.fixedText}</p>
              <Button icon="users" onClick={onFixed}>
                {say.fixedAction}
              </Button>
            </div>
          </Card>
        </div>
      )}
    </>
  );
}
