// Credential fields: how a provider declares what it needs, and the types that follow from the declaration.
// One declaration gives the form in the dashboard, validation, masking of secrets and the type the provider sees.

export type FieldType = "string" | "multiline" | "number" | "boolean" | "select" | "object";

export interface CredentialField {
  readonly label: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly secret: boolean;
  readonly options?: readonly string[];
  readonly default?: string;
  /** Decides where the secrets beside it are sent. */
  readonly destination?: true;
}

export type CredentialFields = { readonly [key: string]: CredentialField };

/** Credentials as they are stored and travel: checked by `validateCredentials`, not yet read by a declaration. */
export type Credentials = { readonly [key: string]: unknown };

interface Optional {
  optional?: boolean;
}

type IsRequired<O> = O extends { optional: true } ? false : true;

interface Field<T extends FieldType, R extends boolean> extends CredentialField {
  readonly type: T;
  readonly required: R;
}

const field = <T extends FieldType, const O extends Optional>(label: string, type: T, secret: boolean, options?: O) =>
  ({ label, type, required: !options?.optional, secret }) as Field<T, IsRequired<O>>;

// What a form starts with, and what the provider sees when an optional field was left blank.
const withDefault = <F extends CredentialField>(declared: F, value: string | undefined): F =>
  value === undefined ? declared : { ...declared, default: value };

export const text = <const O extends Optional & { default?: string } = object>(label: string, options?: O) =>
  withDefault(field(label, "string", false, options), options?.default);

export const secret = <const O extends Optional = object>(label: string, options?: O) =>
  field(label, "string", true, options);

/** A secret of several lines: a private key, a service account file. */
export const secretText = <const O extends Optional = object>(label: string, options?: O) =>
  field(label, "multiline", true, options);

export const number = <const O extends Optional = object>(label: string, options?: O) =>
  field(label, "number", false, options);

/** A switch. Unset is off, so a switch is never required. */
export const flag = (label: string) => field(label, "boolean", false, { optional: true });

/** An object of free form, such as TLS options. */
export const json = <const O extends Optional = object>(label: string, options?: O) =>
  field(label, "object", false, options);

export const choice = <const V extends string, const O extends Optional & { default?: NoInfer<V> } = object>(
  label: string,
  values: readonly V[],
  options?: O,
): Field<"select", IsRequired<O>> & { readonly options: readonly V[] } =>
  withDefault({ ...field<"select", O>(label, "select", false, options), options: values }, options?.default);

/** Marks a field that decides where the secrets beside it are sent: when it changes, they have to be entered again. */
export const destination = <F extends CredentialField>(declared: F): F => ({ ...declared, destination: true });

type ValueOf<F extends CredentialField> = F["type"] extends "number"
  ? number
  : F["type"] extends "boolean"
    ? boolean
    : F["type"] extends "object"
      ? { readonly [key: string]: unknown }
      : F extends { options: readonly (infer V)[] }
        ? V
        : string;

/** A step or an override may supply these, so no provider can count on finding them in its credentials. */
export const suppliedElsewhere: ReadonlySet<string> = new Set(["from", "senderName"]);

type Certain<F extends CredentialFields> = {
  [K in keyof F]: K extends "from" | "senderName" ? never : F[K]["required"] extends true ? K : never;
}[keyof F];

/** What a provider with these fields is given. */
export type CredentialValues<F extends CredentialFields> = { readonly [K in Certain<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, Certain<F>>]?: ValueOf<F[K]>;
};

/** An empty text is what a form sends for a field left blank. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Stored credentials as the declaration types them: numbers stored as text become numbers, strangers are left out. */
export const readCredentials = (fields: CredentialFields, stored: Credentials): Credentials => {
  const values: Record<string, unknown> = {};
  for (const [key, { type, default: fallback }] of Object.entries(fields)) {
    const value = isSet(stored[key]) ? stored[key] : fallback;
    if (value !== undefined) values[key] = type === "number" ? Number(value) : value;
  }
  return values;
};

/** The first field without which the provider cannot be asked anything, or undefined. */
export const missingField = (fields: CredentialFields, stored: Credentials): string | undefined =>
  Object.entries(fields).find(
    ([name, field]) => field.required && !suppliedElsewhere.has(name) && !isSet(stored[name]),
  )?.[0];
