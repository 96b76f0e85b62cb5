// An integration of a file compared with the one that the environment has. Pure. Secrets are entered by hand: an
// integration that lacks them stays inactive, and the plan says so.
import type { FileChange, IntegrationFile } from "@tidings/contract";
import { canonicalJson } from "../../lib/json.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { FileState } from "./file-state.ts";
import { settingSentences } from "./sentences.ts";

/** `changed`: members that differ. */
export type IntegrationWrite = {
  row: IntegrationRow | undefined;
  file: IntegrationFile;
  changed: (keyof IntegrationFile)[];
};
type Change = Omit<FileChange, "inFlight">;

const compared = ["name", "active", "primary", "conditions", "configurations"] as const;

const sentences: Record<string, (after: unknown) => string> = {
  active: (after) => (after === false ? "It is switched off: no message goes through it" : "It is switched on"),
  primary: () => "It becomes the primary integration: messages of its channel go through it",
  conditions: () => "The messages that it takes change: other conditions",
  configurations: () => "Its configuration changes",
};

export function planIntegration(
  all: IntegrationRow[],
  shown: FileState["integrations"],
  file: IntegrationFile,
  canSend: (identifier: string, providerId: string) => boolean,
): { change?: Change; write?: IntegrationWrite } {
  const row = all.find(({ identifier }) => identifier === file.identifier);
  const about = { type: "integration" as const, id: file.identifier, name: file.name, steps: [] };
  const isComplete = canSend(file.identifier, file.providerId);
  const wanted: IntegrationFile = {
    ...file,
    active: (file.active ?? true) && isComplete,
    // An integration cannot be primary before it is active.
    ...(file.primary && !isComplete && { primary: undefined }),
  };
  const notes =
    file.active !== false && !isComplete
      ? ["It stays inactive until its secrets are entered: in the dashboard, or with PUT /v1/integrations/{id}"]
      : [];
  if (!row) {
    const text = wanted.active ? "New integration" : "New integration, not active yet";
    const change: Change = { ...about, action: "created", sentences: [text], settings: [], notes };
    return { change, write: { row, file: wanted, changed: [...compared] } };
  }
  const before: Partial<IntegrationFile> = shown.find((one) => one.row.id === row.id)?.file ?? {
    name: row.name,
    active: row.active,
  };
  const settings = compared.flatMap((field) => {
    const [was, is] = [memberOf(before, field), memberOf(wanted, field)];
    // The channel keeps its primary until another becomes it.
    if (field === "primary" && is !== true) return [];
    return canonicalJson(was) === canonicalJson(is) ? [] : [{ field, before: was, after: is }];
  });
  if (settings.length === 0) return {};
  const change: Change = {
    ...about,
    action: "changed",
    settings,
    sentences: settings.map((field) => sentences[field.field]?.(field.after) ?? settingSentences([field])[0]!),
    notes,
  };
  return { change, write: { row, file: wanted, changed: settings.map(({ field }) => field) } };
}

const memberOf = (file: Partial<IntegrationFile>, field: (typeof compared)[number]): unknown =>
  file[field] ?? (field === "active" ? true : field === "primary" ? false : null);
