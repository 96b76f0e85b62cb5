// Secrets are marked in the schemas that contain them. The service hides them from members whose role may not see them,
// and from the audit log, by these marks and never by property name. Programs with an API key get responses unchanged.
import { type Role, roles } from "./roles.ts";
import { isJsonObject, type JsonObject } from "./schema.ts";

/** The mark's keyword, which is also in the OpenAPI document. */
export const secretKeyword = "x-tidings-secret";

/**
 * `role`: the minimum role that sees the value; `none`: no role. `shown`: what others see. `masked`: a mask instead of
 * every text. `removed`: no such member. `host and path`: an address without its query, which often holds the only
 * secret of a receiver. `addresses`: email addresses and phone numbers unchanged, only the host of a URL, and a mask
 * instead of anything else.
 */
export type SecretMark = { role: Role | "none"; shown: "masked" | "removed" | "host and path" | "addresses" };

/** Marks a schema, as part of its options: `Type.String(secret("editor"))`. The mark covers everything below it. */
export const secret = (role: SecretMark["role"], shown: SecretMark["shown"] = "masked") => ({
  [secretKeyword]: { role, shown } satisfies SecretMark,
});

/**
 * The places of secrets in values of a schema: the value itself, named members, items of a list, other members, JSON in
 * a text.
 */
export type SecretPlaces = {
  mark: SecretMark | null;
  members: ReadonlyMap<string, SecretPlaces>;
  items: SecretPlaces | null;
  rest: SecretPlaces | null;
  content: SecretPlaces | null;
};

const ranks: readonly SecretMark["role"][] = [...roles, "none"];
const rankOf = ({ role }: SecretMark): number => ranks.indexOf(role);

/** A member that is a secret in one alternative of a value is hidden in all of them. */
const branchesOf = (schema: JsonObject): JsonObject[] => [
  schema,
  ...["anyOf", "oneOf", "allOf"].flatMap((name) => ((schema[name] as JsonObject[]) ?? []).flatMap(branchesOf)),
  ...["then", "else"].flatMap((name) => (isJsonObject(schema[name]) ? branchesOf(schema[name]) : [])),
];

function findPlaces(schemas: unknown[]): SecretPlaces | null {
  const branches = schemas.filter(isJsonObject).flatMap(branchesOf);
  if (branches.length === 0) return null;
  const marks = branches.flatMap((branch) => (branch[secretKeyword] as SecretMark | undefined) ?? []);
  const mark = marks.toSorted((a, b) => rankOf(b) - rankOf(a))[0] ?? null;
  const members = new Map<string, SecretPlaces>();
  const properties = branches.flatMap(({ properties }) => (isJsonObject(properties) ? Object.entries(properties) : []));
  for (const [name, group] of Map.groupBy(properties, ([name]) => name)) {
    const places = findPlaces(group.map(([, schema]) => schema));
    if (places) members.set(name, places);
  }
  const items = findPlaces(branches.map((branch) => branch.items));
  const content = findPlaces(branches.map((branch) => branch.contentSchema));
  const rest = findPlaces(
    branches.flatMap(({ additionalProperties, patternProperties }) => [
      additionalProperties,
      ...(isJsonObject(patternProperties) ? Object.values(patternProperties) : []),
    ]),
  );
  return mark || members.size > 0 || items || rest || content ? { mark, members, items, rest, content } : null;
}

const known = new WeakMap<object, SecretPlaces | null>();

/** Null when values of the schema have no secrets. */
export function secretPlacesOf(schema: object | undefined): SecretPlaces | null {
  if (schema === undefined) return null;
  const found = known.get(schema);
  if (found !== undefined) return found;
  const places = findPlaces([schema]);
  known.set(schema, places);
  return places;
}
