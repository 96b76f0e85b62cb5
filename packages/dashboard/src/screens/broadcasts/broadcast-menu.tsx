// What can be done with a broadcast as a whole.
import type { Broadcast, BroadcastStatus } from "@tidings/contract";
import { useMay } from "../../api/permissions.ts";
import { IconButton } from "../../kit/inputs/button.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import { words } from "./words.ts";

/** One that is on its way is stopped before it is deleted. */
const onTheirWay: readonly BroadcastStatus[] = ["awaiting_approval", "scheduled", "running", "paused"];

type BroadcastMenuProps = { broadcast: Broadcast; more?: readonly MenuEntry[]; onDeleted?: () => void };

export function BroadcastMenu({ broadcast: { _id, name, status }, more = [], onDeleted }: BroadcastMenuProps) {
  const may = useMay();
  const remove = useConfirmedChange("broadcasts.delete", ["broadcasts.list"]);
  const entries: MenuEntry[] = [
    ...more,
    ...(may("broadcasts.delete") && !onTheirWay.includes(status)
      ? [
          {
            label: words.remove,
            icon: "trash" as const,
            isDanger: true,
            onChoose: () =>
              remove.ask(
                { params: { broadcastId: _id } },
                {
                  title: words.removeTitle(name),
                  text: words.removeText,
                  label: words.remove,
                  isDanger: true,
                  isAlways: true,
                  done: words.removed(name),
                  onDone: onDeleted,
                },
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      {remove.dialog}
      {entries.length > 0 && (
        <Menu align="end" trigger={<IconButton label={words.menu(name)} icon="more" />} entries={entries} />
      )}
    </>
  );
}
