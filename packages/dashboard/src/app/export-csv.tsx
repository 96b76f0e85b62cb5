// A list as a CSV file. The service streams it, counts the download and leaves an entry in the audit log.
import type { ExportId } from "@tidings/contract";
import { useState } from "react";
import { downloadFile } from "../api/client.ts";
import { useMay } from "../api/permissions.ts";
import { Button } from "../kit/inputs/button.tsx";
import { showError } from "../kit/overlays/toast.tsx";
import { words } from "../words.ts";

/** `name`: of the file, as in `/v1/exports/<name>.csv`. `query`: the filters of the list. */
export function ExportCsv({ id, name, query }: { id: ExportId; name: string; query: object }) {
  const may = useMay();
  const [isReading, setReading] = useState(false);
  if (!may(id)) return null;
  const read = () => {
    setReading(true);
    downloadFile(`v1/exports/${name}.csv`, query, `${name}.csv`)
      .catch(showError)
      .finally(() => setReading(false));
  };
  return (
    <Button icon="download" disabled={isReading} onClick={read}>
      {isReading ? words.export.reading : words.export.action}
    </Button>
  );
}
