// "Save as a test": what happened, as a scenario file that `tidings test` runs (docs/testing.md).
import type { CallInput } from "@tidings/contract";
import { useState } from "react";
import { callOperation } from "../api/client.ts";
import { useMay } from "../api/permissions.ts";
import { useEnvironment } from "../api/session.tsx";
import { saveFile } from "../kit/files.ts";
import { Button } from "../kit/inputs/button.tsx";
import { showError, showToast } from "../kit/overlays/toast.tsx";
import { words } from "../words.ts";

type Query = NonNullable<CallInput<"scenarios.export">["query"]>;

/** `name`: of the file, without its ending. */
export function SaveScenario({ name, query }: { name: string; query: Query }) {
  const may = useMay();
  const { _id } = useEnvironment();
  const [isBusy, setBusy] = useState(false);
  if (!may("scenarios.export")) return null;
  const save = async () => {
    setBusy(true);
    try {
      const { yaml, notes } = await callOperation("scenarios.export", { query }, _id);
      saveFile(`${name}.yaml`, yaml);
      showToast({ title: words.scenario.saved, description: notes.join(" ") || words.scenario.next });
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon="download" onClick={() => void save()} disabled={isBusy}>
      {words.scenario.save}
    </Button>
  );
}
