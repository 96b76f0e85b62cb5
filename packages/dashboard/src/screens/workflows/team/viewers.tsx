// Names of those who have the workflow open too.
import { Badge } from "../../../kit/feedback/verdict.tsx";
import { useViewers } from "./use-viewers.ts";
import { words } from "./words.ts";

export function Viewers({ workflowId, isEditing }: { workflowId: string; isEditing: boolean }) {
  const viewers = useViewers(workflowId, isEditing);
  const editing = viewers.filter((viewer) => viewer.isEditing).map(({ name }) => name);
  const looking = viewers.filter((viewer) => !viewer.isEditing).map(({ name }) => name);
  return (
    <span role="status">
      {editing.length > 0 && <Badge tone="warn">{words.editing(editing)}</Badge>}
      {looking.length > 0 && <Badge>{words.looking(looking)}</Badge>}
    </span>
  );
}
