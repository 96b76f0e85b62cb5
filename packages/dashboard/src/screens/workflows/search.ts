// What the addresses of these screens carry: the filters of the list; the tab, the step and the view of the editor.
const statuses = ["ACTIVE", "INACTIVE", "ERROR"] as const;
export type WorkflowStatus = (typeof statuses)[number];
export type ListSearch = { q?: string; status?: WorkflowStatus; page?: number };

const tabs = ["steps", "settings", "simulate", "digests", "versions"] as const;
export type EditorTab = (typeof tabs)[number];

export type EditorSearch = { tab?: EditorTab; step?: string; view?: "canvas"; version?: string };

const memberOf = <T extends string>(value: unknown, of: readonly T[]): T | undefined =>
  of.find((member) => member === value);

const textOf = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value).slice(0, 255) : undefined;

const withoutGaps = <T extends object>(search: T): T =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T;

export const readListSearch = ({ q, status, page }: Record<string, unknown>): ListSearch =>
  withoutGaps({
    q: textOf(q),
    status: memberOf(status, statuses),
    page: Number.isInteger(page) && (page as number) > 0 ? (page as number) : undefined,
  });

export const readEditorSearch = ({ tab, step, view, version }: Record<string, unknown>): EditorSearch =>
  withoutGaps({
    tab: memberOf(tab, tabs),
    step: textOf(step),
    view: view === "canvas" ? ("canvas" as const) : undefined,
    version: textOf(version),
  });
