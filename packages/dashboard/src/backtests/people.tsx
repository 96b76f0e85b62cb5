// The people of whom a message differs, page by page, by effect and workflow.
import { Link } from "@tanstack/react-router";
import type { BacktestPerson, BacktestReport } from "@tidings/contract";
import { useOperation } from "../api/hooks.ts";
import { ListBar } from "../kit/data/list.tsx";
import { ListView } from "../kit/data/list-view.tsx";
import { Pager, Table } from "../kit/data/table.tsx";
import { EmptyState } from "../kit/feedback/states.tsx";
import { Button } from "../kit/inputs/button.tsx";
import { choicesOf } from "../kit/inputs/choices.ts";
import { Select } from "../kit/inputs/select.tsx";
import { Muted, Note } from "../kit/layout/layout.tsx";
import { Avatar } from "../subscribers/avatar.tsx";
import { usePeoplePages } from "../subscribers/people-pages.tsx";
import css from "./backtests.module.css";
import { EffectList } from "./effect-list.tsx";
import { effectNames, effectOf, effectsOf } from "./effects.ts";
import type { Placed } from "./place.ts";
import { words } from "./words.ts";

const say = words.people;
const pageSize = 20;

type PeopleProps = Placed & { backtestId: string; workflows: BacktestReport["workflows"]; isNobody: boolean };

export function People({ backtestId, workflows, isNobody, place, onPlace }: PeopleProps) {
  const effect = effectOf(place.effect);
  const { of } = place;
  const differing = workflows.filter(({ effects }) => effectsOf(effects).length > 0);
  return (
    <>
      <h2>{say.title}</h2>
      {isNobody ? (
        <EmptyState icon="circleCheck" title={say.nobody} text={say.nobodyText} />
      ) : (
        <>
          <Muted>{say.lead}</Muted>
          <ListBar>
            <Select
              name={say.effect}
              value={effect ?? "all"}
              isSet={effect !== undefined}
              choices={[{ value: "all" as const, label: say.all }, ...choicesOf(effectNames)]}
              onChange={(chosen) => onPlace({ of, effect: chosen === "all" ? undefined : chosen })}
            />
            {differing.length > 1 && (
              <Select
                name={say.workflow}
                value={of ?? ""}
                isSet={of !== undefined}
                choices={[
                  { value: "", label: say.all },
                  ...differing.map(({ workflowId, name }) => ({ value: workflowId, label: name })),
                ]}
                onChange={(chosen) => onPlace({ effect, of: chosen === "" ? undefined : chosen })}
              />
            )}
          </ListBar>
          <Pages key={`${effect} ${of}`} backtestId={backtestId} place={{ effect, of }} onPlace={onPlace} />
        </>
      )}
    </>
  );
}

function Pages({ backtestId, place, onPlace }: Placed & { backtestId: string }) {
  const { of: workflowId } = place;
  const effect = effectOf(place.effect);
  const pages = usePeoplePages();
  const { data, error, refetch } = useOperation(
    "backtests.people",
    { params: { backtestId }, query: { effect, workflowId, after: pages.after, limit: pageSize } },
    { keep: true, staleTime: 600_000 },
  );
  return (
    <>
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon="users"
            title={say.none}
            text={say.noneText}
            action={<Button onClick={() => onPlace({})}>{say.clear}</Button>}
          />
        }
      >
        {(rows) => (
          <Table
            label={say.title}
            rows={rows}
            keyOf={({ subscriberId }) => subscriberId}
            columns={[
              {
                title: say.person,
                cell: (person) => (
                  <PersonCell person={person} onOpen={() => onPlace({ ...place, person: person.subscriberId })} />
                ),
              },
              { title: words.report.effects, cell: ({ effects }) => <EffectList of={effects} /> },
              {
                title: say.workflows,
                cell: ({ workflowIds }) => <span className={css.breaking}>{workflowIds.join(", ")}</span>,
                isWideOnly: true,
              },
              {
                title: say.counts,
                cell: ({ before, after }) => words.report.counts(before, after),
                isNumber: true,
                isWideOnly: true,
              },
            ]}
          />
        )}
      </ListView>
      {data?.isCapped && <Muted>{say.capped}</Muted>}
      {data && (data.next !== null || pages.number > 0) && (
        <Pager
          onPrevious={pages.number > 0 ? pages.previous : undefined}
          onNext={data.next === null ? undefined : () => pages.next(data.next!)}
        />
      )}
    </>
  );
}

/** A link, so that it can be opened in another tab. */
function PersonCell({ person, onOpen }: { person: BacktestPerson; onOpen: () => void }) {
  const { subscriberId, name } = person;
  return (
    <Link
      to="."
      search={((before: object) => ({ ...before, person: subscriberId })) as never}
      className={css.person}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onOpen();
      }}
    >
      <Avatar subscriber={{ subscriberId, firstName: name }} />
      <span className={css.personText}>
        <span className={css.personName}>{name ?? subscriberId}</span>
        {name !== null && <Note>{subscriberId}</Note>}
      </span>
    </Link>
  );
}
