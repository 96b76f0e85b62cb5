// Credential fields: how a provider declares what it needs, and the types that follow from the declaration.
// One declaration gives the form in the dashboard, validation, masking of secrets and the type the provider sees.

import type { JsonObject } from "@tidings/contract";

type FieldType = "string" | "multiline" | "number" | "boolean" | "select" | "object";

export type CredentialField = {
  readonly label: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly secret: boolean;
  readonly options?: readonly string[];
  readonly default?: string;
  /** Decides where the other secrets are sent. */
  readonly destination?: true;
};

export type CredentialFields = { readonly [key: string]: CredentialField };

/** Credentials as stored: checked by `validateCredentials`, not yet converted by `readCredentials`. */
export type Credentials = { readonly [key: string]: unknown };

type Optional = {
  optional?: boolean;
};

type IsRequired<O> = O extends { optional: true } ? false : true;

type Field<T extends FieldType, R extends boolean> = CredentialField & {
  readonly type: T;
  readonly required: R;
};

const field = <T extends FieldType, const O extends Optional>(label: string, type: T, secret: boolean, options?: O) =>
  ({ label, type, required: !options?.optional, secret }) as Field<T, IsRequired<O>>;

// The initial value of a form, and the value that the adapter gets when an optional field was left blank.
const withDefault = <F extends CredentialField>(declared: F, value: string | undefined): F =>
  value === undefined ? declared : { ...declared, default: value };

export function text<const O extends Optional & { default?: string } = object>(label: string, options?: O) {
  return withDefault(field(label, "string", false, options), options?.default);
}

export function secret<const O extends Optional = object>(label: string, options?: O) {
  return field(label, "string", true, options);
}

/** A secret of several lines: a private key, a service account file. */
export function secretText<const O extends Optional = object>(label: string, options?: O) {
  return field(label, "multiline", true, options);
}

export function number<const O extends Optional = object>(label: string, options?: O) {
  return field(label, "number", false, options);
}

/** A switch. Unset is off, so a switch is never required. */
export function flag(label: string) {
  return field(label, "boolean", false, { optional: true });
}

/** An object of free form, such as TLS options. */
export function json<const O extends Optional = object>(label: string, options?: O) {
  return field(label, "object", false, options);
}

export function choice<const V extends string, const O extends Optional & { default?: NoInfer<V> } = object>(
  label: string,
  values: readonly V[],
  options?: O,
): Field<"select", IsRequired<O>> & { readonly options: readonly V[] } {
  return withDefault({ ...field<"select", O>(label, "select", false, options), options: values }, options?.default);
}

/** Marks a field that decides where the other secrets are sent: when it changes, they have to be entered again. */
export function destination<F extends CredentialField>(declared: F): F {
  return { ...declared, destination: true };
}

type ValueOf<F extends CredentialField> = F["type"] extends "number"
  ? number
  : F["type"] extends "boolean"
    ? boolean
    : F["type"] extends "object"
      ? { readonly [key: string]: unknown }
      : F extends { options: readonly (infer V)[] }
        ? V
        : string;

/** A step or an override may supply these, so they may be missing from the credentials. */
export const suppliedElsewhere: ReadonlySet<string> = new Set(["from", "senderName"]);

type Certain<F extends CredentialFields> = {
  [K in keyof F]: K extends "from" | "senderName" ? never : F[K]["required"] extends true ? K : never;
}[keyof F];

/** The credentials that an adapter with these fields gets. */
export type CredentialValues<F extends CredentialFields> = { readonly [K in Certain<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, Certain<F>>]?: ValueOf<F[K]>;
};

/** An empty text is what a form sends for a field left blank. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/**
 * Stored credentials as the declaration types them: numbers stored as text become numbers, undeclared members are left
 * out.
 */
export function readCredentials(fields: CredentialFields, stored: Credentials): Credentials {
  const values: JsonObject = {};
  for (const [key, { type, default: fallback }] of Object.entries(fields)) {
    const value = isSet(stored[key]) ? stored[key] : fallback;
    if (value !== undefined) values[key] = type === "number" ? Number(value) : value;
  }
  return values;
}

/** The first required field that is not set, or undefined. */
export function missingField(fields: CredentialFields, stored: Credentials): string | undefined {
  return Object.entries(fields).find(
    ([name, field]) => field.required && !suppliedElsewhere.has(name) && !isSet(stored[name]),
  )?.[0];
}
