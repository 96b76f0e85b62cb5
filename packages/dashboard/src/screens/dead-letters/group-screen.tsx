// One cause: where it is fixed, the messages it holds up, and the button that sends them again.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { DeadLetter, DeadLetterGroup } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { ExportCsv } from "../../app/export-csv.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager, Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Stack, Tools } from "../../kit/layout/layout.tsx";
import { Card, Facts, Page } from "../../kit/layout/page.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { FixLinks, StateBadges, sentenceOf, WorkflowChips } from "./causes.tsx";
import css from "./dead-letters.module.css";
import { LetterDialog } from "./letter-dialog.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { words } from "./words.ts";

const groupRoute = getRouteApi("/shell/dead-letters/group");

const text = words.group;
const perPage = 20;

export function GroupScreen() {
  const { integration, error: errorClass, workflow, page = 0 } = groupRoute.useSearch();
  const navigate = useNavigate();
  const may = useMay();
  const [isReplaying, setReplaying] = useState(false);
  const [chosen, setChosen] = useState<DeadLetter | null>(null);
  const groups = useOperation("deadLetters.listGroups", {}, { every: 10_000 });
  const filter = { integrationIdentifier: integration, errorClass, ...(workflow && { workflowId: workflow }) };
  const query = { ...filter, status: "open" as const, limit: perPage, page };
  const { data, error, refetch } = useOperation("deadLetters.list", { query }, { keep: true, every: 10_000 });
  const group = groups.data?.data.find(
    (one) => one.integrationIdentifier === integration && one.errorClass === errorClass,
  );
  const goTo = (next: number) =>
    void navigate({
      to: "/dead-letters/group",
      search: (old) => ({ ...old, integration, error: errorClass, workflow, page: next || undefined }),
    });
  const total = data?.totalCount ?? 0;
  const hasMore = data?.hasMore ?? false;
  return (
    <Page
      title={group ? sentenceOf(group) : text.title}
      back={{ to: "/dead-letters", label: words.back }}
      actions={
        total > 0 && (
          <>
            <ExportCsv id="exports.deadLetters" name="dead-letters" query={{ ...filter, status: "open" }} />
            {may("deadLetterReplays.create") && (
              <Button look="primary" icon="send" onClick={() => setReplaying(true)}>
                {text.replay(total)}
              </Button>
            )}
          </>
        )
      }
    >
      {isReplaying && (
        <ReplayDialog
          selection={{ filter }}
          total={total}
          channel={data?.data[0]?.channel}
          onClose={() => setReplaying(false)}
        />
      )}
      {chosen && <LetterDialog letter={chosen} onClose={() => setChosen(null)} />}
      <Stack>
        {group && <Cause group={group} workflow={workflow} />}
        <ListView
          rows={data?.data}
          error={error}
          onRetry={refetch}
          empty={<EmptyState icon="check" title={text.none} text={text.noneText} />}
        >
          {(rows) => (
            <div>
              <Letters letters={rows} onChoose={setChosen} />
              {(hasMore || page > 0) && (
                <Pager
                  note={text.count(page * perPage + 1, page * perPage + rows.length, total)}
                  onPrevious={page > 0 ? () => goTo(page - 1) : undefined}
                  onNext={hasMore ? () => goTo(page + 1) : undefined}
                />
              )}
            </div>
          )}
        </ListView>
      </Stack>
    </Page>
  );
}

const Cause = ({ group, workflow }: { group: DeadLetterGroup; workflow: string | undefined }) => (
  <Card
    title={text.fixTitle}
    actions={
      <Tools>
        <FixLinks group={group} />
      </Tools>
    }
  >
    <Stack isSmall>
      <p>{words.causes.fix[group.errorClass]}</p>
      <WorkflowChips group={group} chosen={workflow} />
      <StateBadges group={group} />
      <Facts
        of={[
          [
            text.error,
            <span key="error" className={css.what}>
              {group.errorText}
            </span>,
          ],
          [text.first, <Time key="first" at={group.firstAt} />],
          [text.last, <Time key="last" at={group.lastAt} />],
        ]}
      />
    </Stack>
  </Card>
);

function Letters({ letters, onChoose }: { letters: readonly DeadLetter[]; onChoose: (letter: DeadLetter) => void }) {
  const may = useMay();
  const entriesOf = (letter: DeadLetter): MenuEntry[] => [
    {
      label: text.openRun,
      icon: "activity",
      link: {
        to: "/activity/$transactionId",
        params: { transactionId: letter.transactionId },
        search: { subscriber: letter.subscriberId },
      },
    },
    ...(may("deadLetterReplays.create")
      ? [{ label: text.again, icon: "send" as const, onChoose: () => onChoose(letter) }]
      : []),
  ];
  return (
    <Table
      label={text.letters}
      rows={letters}
      keyOf={({ id }) => id}
      columns={[
        { title: text.subscriber, cell: ({ subscriberId }) => <strong>{subscriberId}</strong> },
        {
          title: text.errorText,
          cell: ({ errorText }) => <span className={css.errorText}>{errorText}</span>,
          isWideOnly: true,
        },
        { title: text.attempts, cell: ({ attempts }) => attempts, isNumber: true, isWideOnly: true },
        {
          title: text.time,
          cell: ({ createdAt }) => (
            <span className={css.time}>
              <Time at={createdAt} />
            </span>
          ),
        },
        {
          title: "",
          isNumber: true,
          cell: (letter) => (
            <Menu
              align="end"
              entries={entriesOf(letter)}
              trigger={<IconButton label={text.actions(letter.subscriberId)} icon="more" />}
            />
          ),
        },
      ]}
    />
  );
}
