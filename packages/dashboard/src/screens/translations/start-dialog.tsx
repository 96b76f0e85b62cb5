// The first texts of a workflow or layout.
import { useNavigate } from "@tanstack/react-router";
import type { TranslatedResource } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../api/hooks.ts";
import { Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Field } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { words as kitWords } from "../../words.ts";
import { words } from "./words.ts";

export function StartDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const navigate = useNavigate();
  const workflows = useOperation("workflows.list", { query: { limit: 100, orderBy: "name", orderDirection: "ASC" } });
  const layouts = useOperation("layouts.list", { query: { limit: 100, orderBy: "name", orderDirection: "ASC" } });
  const choices = [
    ...(workflows.data?.workflows ?? []).map(({ workflowId, name }) => ({
      value: `workflow ${workflowId}`,
      label: name,
      note: words.types.workflow,
    })),
    ...(layouts.data?.layouts ?? []).map(({ layoutId, name }) => ({
      value: `layout ${layoutId}`,
      label: name,
      note: words.types.layout,
    })),
  ];
  const value = chosen ?? choices[0]?.value ?? "";
  const go = () => {
    const [resourceType, resourceId = ""] = value.split(" ") as [TranslatedResource, string];
    void navigate({ to: "/translations/$resourceType/$resourceId", params: { resourceType, resourceId }, search: {} });
  };
  const isLoading = !workflows.data || !layouts.data;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.startTitle}
      description={words.startText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" disabled={value === ""} onClick={go}>
            {words.startAction}
          </Button>
        </>
      }
    >
      {isLoading && <Skeleton rows={1} />}
      {!isLoading && choices.length === 0 && <p>{words.nothingToTranslate}</p>}
      {!isLoading && choices.length > 0 && (
        <Field label={words.startResource}>
          {({ id }) => (
            <Select id={id} name={words.startResource} isWide value={value} choices={choices} onChange={setChosen} />
          )}
        </Field>
      )}
    </Dialog>
  );
}
