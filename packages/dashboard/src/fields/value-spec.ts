// The description of a field, by which ValueField draws it.
export type ValueSpec = {
  label: string;
  kind: "line" | "text" | "html" | "plain" | "flag" | "amount" | "choice" | "layout" | "json";
  hint?: string;
  choices?: Readonly<Record<string, string>>;
  /** Meant where the value is absent. */
  fallback?: string;
  /** The plain field is the path of a value in the payload. */
  isPath?: true;
};
