// The description of a field, by which ValueField draws it.
export type ValueSpec = {
  label: string;
  /** `email`: with the choice of its editor. `part`: another field draws it. `several`: a list. */
  kind:
    | "email"
    | "part"
    | "line"
    | "text"
    | "html"
    | "plain"
    | "flag"
    | "amount"
    | "choice"
    | "several"
    | "layout"
    | "json"
    | "cron";
  hint?: string;
  choices?: Readonly<Record<string, string>>;
  /** Meant where the value is absent. */
  fallback?: string;
  /** The plain field is the path of a value in the payload. */
  isPath?: true;
};
