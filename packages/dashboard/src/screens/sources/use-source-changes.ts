// What can be done with a source: paused and resumed, checked, deleted.
import { useNavigate } from "@tanstack/react-router";
import type { Source } from "@tidings/contract";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import { words } from "./words.ts";

/** Operations whose responses are outdated after a source has changed. */
export const staleAfterChange = ["sources.list", "sources.retrieve"] as const;

export function useSourceChanges() {
  const navigate = useNavigate();
  const turning = useConfirmedChange("sources.update", staleAfterChange);
  // Not the source itself: its page would ask for it once more before it is left.
  const removing = useConfirmedChange("sources.delete", ["sources.list"]);
  const inputOf = ({ id }: Source) => ({ params: { sourceId: id } });
  return {
    dialogs: [turning.dialog, removing.dialog],
    isBusy: turning.isPending || removing.isPending,
    turn: (source: Source) => {
      const { paused, name, waiting } = source;
      const { pause, resume } = words.one;
      turning.ask(
        { ...inputOf(source), body: { paused: !paused } },
        paused
          ? { title: resume.title(name), text: resume.text(waiting), label: resume.label, isAlways: true }
          : { title: pause.title(name), text: pause.text, label: pause.label, isAlways: true },
      );
    },
    remove: (source: Source) =>
      removing.ask(inputOf(source), {
        title: words.one.delete.title(source.name),
        text: words.one.delete.text(source.waiting),
        label: words.one.delete.label,
        isDanger: true,
        isAlways: true,
        done: words.one.delete.done,
        onDone: () => void navigate({ to: "/sources" }),
      }),
  };
}
