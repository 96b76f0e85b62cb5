// One backtest on its own page.
import { getRouteApi } from "@tanstack/react-router";
import type { Backtest } from "@tidings/contract";
import { useMay } from "../../api/permissions.ts";
import { BacktestView } from "../../backtests/backtest-view.tsx";
import type { BacktestPlace } from "../../backtests/place.ts";
import { isMoving, useBacktest } from "../../backtests/use-backtest.ts";
import { words } from "../../backtests/words.ts";
import { Time } from "../../kit/data/time.tsx";
import { IconButton, LinkButton } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import css from "./backtests.module.css";
import { nameOf } from "./name.ts";
import { PeriodText } from "./period-text.tsx";
import { StatusBadge } from "./status-badge.tsx";

const backtestRoute = getRouteApi("/shell/backtests/$backtestId");

const say = words.one;

export function BacktestScreen() {
  const { backtestId } = backtestRoute.useParams();
  const place = backtestRoute.useSearch();
  const navigate = backtestRoute.useNavigate();
  const { data } = useBacktest(backtestId);
  const toList = () => void navigate({ to: "/backtests", search: {} });
  const show = (next: BacktestPlace) =>
    void navigate({
      search: ({ env }: { env?: string }) => ({ env, ...next }),
      resetScroll: false,
      // A person is an entry in the history; a filter is not.
      replace: next.person === place.person,
    });
  const name = data ? nameOf(data) : say.unnamed;
  return (
    <Page
      title={name}
      heading={
        <>
          {name}
          {data && <StatusBadge status={data.status} />}
        </>
      }
      lead={data && <Lead of={data} />}
      back={{ to: "/backtests", search: {}, label: words.title }}
      actions={data && <Actions of={data} onDeleted={toList} />}
    >
      <BacktestView backtestId={backtestId} place={place} onPlace={show} onCanceled={toList} />
    </Page>
  );
}

const Lead = ({ of }: { of: Backtest }) => (
  <span className={css.lead}>
    <span>
      <PeriodText {...of} />
    </span>
    <span>
      {of.createdBy}, <Time at={of.createdAt} isRelative />
    </span>
  </span>
);

function Actions({ of, onDeleted }: { of: Backtest; onDeleted: () => void }) {
  const { _id, workflowIds } = of;
  const may = useMay();
  const remove = useConfirmedChange("backtests.delete", ["backtests.list"]);
  const [only, ...others] = workflowIds;
  const ask = () =>
    remove.ask(
      { params: { backtestId: _id } },
      {
        title: say.deleteTitle,
        text: say.deleteText,
        label: say.delete,
        isDanger: true,
        isAlways: true,
        done: say.deleted,
        onDone: onDeleted,
      },
    );
  return (
    <>
      {only !== undefined && others.length === 0 && (
        <LinkButton icon="workflow" to="/workflows/$workflowId" params={{ workflowId: only }} search={{}}>
          {say.openWorkflow}
        </LinkButton>
      )}
      {may("backtests.delete") && !isMoving(of) && (
        <Menu
          align="end"
          trigger={<IconButton label={say.menu} icon="more" />}
          entries={[{ label: say.delete, icon: "trash", isDanger: true, onChoose: ask }]}
        />
      )}
      {remove.dialog}
    </>
  );
}
