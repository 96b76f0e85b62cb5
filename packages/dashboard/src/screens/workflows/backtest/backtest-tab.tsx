// What the workflow in the editor would have done to the events of the past days.
import { useState } from "react";
import { BacktestView } from "../../../backtests/backtest-view.tsx";
import type { BacktestPlace } from "../../../backtests/place.ts";
import { StartBacktest } from "../../../backtests/start-backtest.tsx";
import { words } from "../../../backtests/words.ts";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { EmptyState } from "../../../kit/feedback/states.tsx";
import { LinkButton } from "../../../kit/inputs/button.tsx";
import { isSame } from "../../../kit/is-same.ts";
import { Muted, Stack } from "../../../kit/layout/layout.tsx";
import { toBacktest } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import type { EditorSearch } from "../search.ts";

const say = words.start;

type Tested = { backtestId: string; content: object };

/** What was tried last: a report is compared with the editor as long as the page is open. */
let lastTested: Tested | null = null;

type BacktestTabProps = {
  editor: Editor;
  search: Pick<EditorSearch, "backtest" | keyof BacktestPlace>;
  onShow: (place: Pick<EditorSearch, "backtest" | keyof BacktestPlace>) => void;
};

export function BacktestTab({ editor, search, onShow }: BacktestTabProps) {
  const { draft, workflow, isChanged } = editor;
  const { backtest, effect, of, person } = search;
  const [isCanceled, setCanceled] = useState(false);
  const content = toBacktest(draft, workflow.workflowId);
  const show = (backtestId: string | undefined) => {
    setCanceled(false);
    onShow({ backtest: backtestId });
  };
  const isOld = lastTested !== null && lastTested.backtestId === backtest && !isSame(lastTested.content, content);
  return (
    <Stack>
      {person === undefined && (
        <>
          <Muted>{say.lead}</Muted>
          {!isChanged && backtest === undefined && <Muted>{say.unchanged}</Muted>}
          <StartBacktest
            change={() => ({ name: draft.name || workflow.name, change: { workflows: [content] } })}
            onStarted={({ _id }) => {
              lastTested = { backtestId: _id, content };
              show(_id);
            }}
            onShow={show}
          >
            <LinkButton look="plain" to="/backtests">
              {say.past}
            </LinkButton>
          </StartBacktest>
          {isOld && <Notice>{say.changed}</Notice>}
          {isCanceled && <EmptyState icon="flask" title={words.canceled.title} text={words.canceled.text} />}
        </>
      )}
      {backtest !== undefined && (
        <BacktestView
          key={backtest}
          backtestId={backtest}
          place={{ effect, of, person }}
          onPlace={(place) => onShow({ backtest, ...place })}
          onCanceled={() => {
            show(undefined);
            setCanceled(true);
          }}
        />
      )}
    </Stack>
  );
}
