// The description of a field, by which ValueField draws it.
export type ValueSpec = {
  label: string;
  kind: "line" | "text" | "html" | "plain" | "flag" | "amount" | "choice" | "layout" | "json" | "cron";
  hint?: string;
  choices?: Readonly<Record<string, string>>;
  /** Meant where the value is absent. */
  fallback?: string;
};
