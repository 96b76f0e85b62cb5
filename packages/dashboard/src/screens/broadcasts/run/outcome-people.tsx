// The people of one outcome, page by page.
import type { BroadcastOutcome } from "@tidings/contract";
import { useOperation } from "../../../api/hooks.ts";
import { EmptyState } from "../../../kit/feedback/states.tsx";
import { choicesOf } from "../../../kit/inputs/choices.ts";
import { Select } from "../../../kit/inputs/select.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import { PeoplePages, usePeoplePages } from "../../../subscribers/people-pages.tsx";
import { words } from "./words.ts";

const say = words.list;
const pageSize = 10;

type OutcomePeopleProps = {
  broadcastId: string;
  outcome: BroadcastOutcome | undefined;
  onChoose: (outcome: BroadcastOutcome | undefined) => void;
};

export const OutcomePeople = ({ broadcastId, outcome, onChoose }: OutcomePeopleProps) => (
  <Card
    title={say.title}
    actions={
      <Select
        name={say.outcome}
        value={outcome ?? "all"}
        isSet={outcome !== undefined}
        choices={[{ value: "all" as const, label: say.all }, ...choicesOf(words.outcomes)]}
        onChange={(chosen) => onChoose(chosen === "all" ? undefined : chosen)}
      />
    }
  >
    <People key={outcome} broadcastId={broadcastId} outcome={outcome} />
  </Card>
);

function People({ broadcastId, outcome }: Pick<OutcomePeopleProps, "broadcastId" | "outcome">) {
  const pages = usePeoplePages();
  const { data, error, refetch } = useOperation(
    "broadcasts.listPeople",
    { params: { broadcastId }, query: { limit: pageSize, outcome, after: pages.after } },
    { keep: true },
  );
  return (
    <PeoplePages
      label={outcome ? words.outcomes[outcome] : say.title}
      pages={pages}
      isNarrow
      data={data}
      error={error}
      onRetry={refetch}
      empty={<EmptyState icon="users" title={say.none} text={say.noneText} />}
    />
  );
}
