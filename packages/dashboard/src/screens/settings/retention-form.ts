// The form of the retentions: text fields, in which an empty one means the default of the installation.
import type { EnvironmentRetentionClass, Retention } from "@tidings/contract";

/** In the order of the form. */
export const editableClasses = [
  "messages",
  "inApp",
  "deadLetters",
  "captured",
  "statistics",
] as const satisfies readonly EnvironmentRetentionClass[];

export type RetentionFields = Record<EnvironmentRetentionClass, string>;
export type RetentionChanges = Partial<Record<EnvironmentRetentionClass, number | null>>;

const classOf = ({ classes }: Retention, name: EnvironmentRetentionClass) => classes.find((one) => one.name === name)!;

export const fieldsOf = (retention: Retention): RetentionFields =>
  Object.fromEntries(
    editableClasses.map((name) => {
      const { days, source } = classOf(retention, name);
      return [name, source === "environment" ? String(days) : ""];
    }),
  ) as RetentionFields;

/** Fields whose text is neither empty nor a whole number. */
export const findInvalid = (fields: RetentionFields): EnvironmentRetentionClass[] =>
  editableClasses.filter((name) => !/^\d{0,9}$/.test(fields[name].trim()));

/** Classes that differ from what applies now. */
export function changesOf(retention: Retention, fields: RetentionFields): RetentionChanges {
  const before = fieldsOf(retention);
  const changed = editableClasses.filter((name) => fields[name].trim() !== before[name]);
  return Object.fromEntries(
    changed.map((name) => {
      const text = fields[name].trim();
      return [name, text === "" ? null : Number(text)];
    }),
  );
}

/** Only a shorter retention deletes something that would be kept today. */
export const deletesMore = (retention: Retention, changes: RetentionChanges): boolean =>
  editableClasses.some((name) => {
    const days = changes[name];
    if (days === undefined) return false;
    const now = classOf(retention, name);
    return (days ?? now.defaultDays) < now.days;
  });
