// Whether a rule is still being typed: a line has no field yet, or only the beginning of one. Pure.
export function isUnfinished(rule: unknown): boolean {
  if (Array.isArray(rule)) return rule.some(isUnfinished);
  if (typeof rule !== "object" || rule === null) return false;
  return Object.entries(rule).some(([name, value]) =>
    name === "var" && typeof value === "string" ? value.trim() === "" || value.endsWith(".") : isUnfinished(value),
  );
}
