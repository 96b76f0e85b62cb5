// The audit log as a file: read part by part, put together in the browser. A spreadsheet gets no formulas: the service
// defuses them.
import { useEffect, useRef, useState } from "react";
import { callOperation } from "../../api/client.ts";
import { Button } from "../../kit/inputs/button.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import type { AuditQuery } from "./audit-filters.tsx";
import { words } from "./words.ts";

const text = words.audit.export;
/** Beyond it a file is made of the newest ones, and says so. */
const maxEntries = 20_000;

type Format = "csv" | "json";
const files: Record<Format, { type: string; end: string }> = {
  csv: { type: "text/csv;charset=utf-8", end: "csv" },
  json: { type: "application/x-ndjson", end: "jsonl" },
};

type File = { parts: string[]; count: number; isWhole: boolean };

async function readFile(
  query: AuditQuery,
  format: Format,
  onCount: (count: number) => void,
  signal: AbortSignal,
): Promise<File> {
  const parts: string[] = [];
  let count = 0;
  let after: string | undefined;
  while (count < maxEntries) {
    const part = await callOperation("auditLog.export", { query: { ...query, format, after }, signal });
    parts.push(part.text);
    count += part.count;
    onCount(count);
    if (part.next === null) return { parts, count, isWhole: true };
    after = part.next;
  }
  return { parts, count, isWhole: false };
}

function download({ parts }: File, format: Format): void {
  const address = URL.createObjectURL(new Blob(parts, { type: files[format].type }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = `audit-log-${new Date().toISOString().slice(0, 10)}.${files[format].end}`;
  anchor.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function ExportButton({ query }: { query: AuditQuery }) {
  const [count, setCount] = useState<number | null>(null);
  const reading = useRef<AbortController | null>(null);
  useEffect(() => () => reading.current?.abort(), []);
  const run = async (format: Format) => {
    reading.current = new AbortController();
    const { signal } = reading.current;
    setCount(0);
    try {
      const file = await readFile(query, format, setCount, signal);
      download(file, format);
      showToast({ title: file.isWhole ? text.done(file.count) : text.cut(file.count) });
    } catch (error) {
      if (!signal.aborted) showError(error);
    } finally {
      if (!signal.aborted) setCount(null);
    }
  };
  if (count !== null)
    return (
      <Button icon="download" disabled>
        {text.reading(count)}
      </Button>
    );
  return (
    <Menu
      align="end"
      trigger={<Button icon="download">{text.action}</Button>}
      entries={[
        { label: text.csv, note: text.csvNote, onChoose: () => void run("csv") },
        { label: text.json, note: text.jsonNote, onChoose: () => void run("json") },
      ]}
    />
  );
}
