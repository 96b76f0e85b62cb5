// The people of a saved audience, and why one of them is in it, or is not.
import type { Audience } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Selected } from "../../kit/data/list.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Stack } from "../../kit/layout/layout.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { PeoplePages, usePeoplePages } from "../../subscribers/people-pages.tsx";
import { useMembers } from "./use-members.ts";
import { Why } from "./why.tsx";
import { words } from "./words.ts";

const say = words.people;
const pageSize = 25;

export function People({ audience }: { audience: Audience }) {
  const { audienceId, kind } = audience;
  const pages = usePeoplePages();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayRemove = useMay()("audiences.removeMembers") && kind === "fixed";
  const { data, error, refetch } = useOperation(
    "audiences.listPeople",
    { params: { audienceId }, query: { limit: pageSize, after: pages.after } },
    { keep: true },
  );
  const { confirm, dialog } = useConfirm();
  const { remove, progress } = useMembers(audienceId);
  const askRemove = () =>
    confirm(
      {
        title: say.removeTitle(selected.size),
        text: say.removeText,
        label: say.remove,
        isDanger: true,
        isAlways: true,
      },
      () =>
        void remove([...selected]).then((removed) => {
          if (removed === null) return;
          setSelected(new Set());
          pages.restart();
          showToast({ title: say.removed(removed) });
        }),
    );
  return (
    <Stack>
      {dialog}
      <Why audience={audience} />
      <div>
        {selected.size > 0 && (
          <Selected label={say.selected(selected.size)}>
            <Button size="small" look="danger" disabled={progress !== null} onClick={askRemove}>
              {say.remove}
            </Button>
          </Selected>
        )}
        <PeoplePages
          label={say.list}
          pages={pages}
          data={data}
          error={error}
          onRetry={refetch}
          selection={mayRemove ? { selected, onChange: setSelected } : undefined}
          empty={<EmptyState icon="users" title={say.none} text={kind === "rule" ? say.noneRule : say.noneFixed} />}
        />
      </div>
    </Stack>
  );
}
