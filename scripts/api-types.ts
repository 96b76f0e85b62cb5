// The types of the API as the package of the client has them: plain TypeScript, derived from the OpenAPI document. The
// contract's own types need its schema library, which would be a dependency of every application, and slow in editors.
// packages/client/test/types.test.ts compares both.
import {
  errorCatalogue,
  type JsonObject,
  type OpenApiOperation,
  type Operation,
  openApiDocument,
  operations,
} from "@tidings/contract";
import { commentText, memberName, typeText } from "../packages/cli/src/files/type-text.ts";

const helpers = `
type CallOptions = {
  /** A value of undefined removes a header, including \`authorization\`. */
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
  /** Milliseconds that one try may take; 0 for no limit. */
  timeout?: number;
};

export type OperationId = keyof Operations;

/** What a caller gives: \`CallInput<"events.trigger">["body"]\` is an event. */
export type CallInput<Id extends OperationId> = Omit<Operations[Id], "output"> & CallOptions;

/** The arguments after the operation's id: optional where every part is. */
export type CallArguments<Id extends OperationId> =
  Record<never, never> extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>];

/** The body of a successful response: \`Output<"subscribers.retrieve">\` is a subscriber. */
export type Output<Id extends OperationId> = Operations[Id]["output"];
`;

const helperNames = [
  "CallOptions",
  "CallInput",
  "CallArguments",
  "ErrorCode",
  "OperationId",
  "Operations",
  "Output",
  "Resources",
];

type Place = { indent: string; depth: number };

export function apiTypes(): { path: string; content: string } {
  const document = openApiDocument({ version: "" });
  const { schemas } = document.components;
  const named = new Map<string, string>();
  const nameOf = (ref: string): string => {
    const name = ref.slice("#/components/schemas/".length);
    if (!/^[A-Z]\w*$/.test(name) || helperNames.includes(name)) throw new Error(`${name} cannot be the name of a type`);
    if (named.has(name)) return name;
    // Before it is written, because it may refer to itself.
    named.set(name, "");
    const schema = schemas[name]!;
    named.set(name, `${commentText(schema.description, "")}export type ${name} = ${write(schema)};\n`);
    return name;
  };
  const options = { root: document as unknown as JsonObject, nameOf, isClosed: true };
  const write = (schema: unknown, place?: Place): string => typeText(schema, options, place);

  const rows = Object.values(operations).map(({ id, method, path }) => {
    const operation = document.paths[path]![method.toLowerCase()] as OpenApiOperation;
    const members = [
      ...(["path", "query"] as const).map((place) => parameterMember(operation, place, write)),
      bodyMember(operation, write),
      `    output: ${outputType(operation, write)};`,
    ];
    return `  "${id}": {\n${members.join("\n")}\n  };`;
  });
  const codes = Object.keys(errorCatalogue).map((code) => `  | "${code}"`);
  const types = [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const content = [
    "// Generated from the operations of packages/contract by `npm run generate`. Do not edit.\n",
    `/** Input and output of every operation, by its id. */\nexport type Operations = {\n${rows.join("\n")}\n};`,
    helpers,
    resourceTypes(),
    `export type ErrorCode =\n${codes.join("\n")};\n`,
    types.join("\n"),
  ];
  return { path: "packages/client/types/api.d.cts", content: content.join("\n") };
}

/** Operations as methods, with what editors show about them. */
function resourceTypes(): string {
  const byResource = Map.groupBy(Object.values<Operation>(operations), ({ id }) => id.split(".")[0]!);
  const resources = [...byResource].map(([name, methods]) => {
    const members = methods.map(({ id, summary, description = "", method, path }) => {
      const texts = [summary, description, `\`${method} ${path}\``].filter(Boolean);
      const comment = texts.map((text) => text.replace(/\.$/, "")).join(". ");
      const type = `(...input: CallArguments<"${id}">) => Promise<Output<"${id}">>`;
      return `${commentText(comment, "    ")}    readonly ${id.split(".")[1]}: ${type};`;
    });
    return `  readonly ${name}: {\n${members.join("\n")}\n  };`;
  });
  return `/** Operations as methods. */\nexport type Resources = {\n${resources.join("\n")}\n};\n`;
}

type Write = (schema: unknown, place?: Place) => string;

const inMember: Place = { indent: "    ", depth: 0 };

/** `params` and `query`: they may be left out where none of them is required. */
function parameterMember({ parameters = [] }: OpenApiOperation, place: "path" | "query", write: Write): string {
  const name = place === "path" ? "params" : "query";
  const own = parameters.flatMap((one) => ("in" in one && one.in === place ? [one] : []));
  if (own.length === 0) return `    ${name}?: never;`;
  // Fields whose names are not known in advance.
  if (own[0]!.name === "fields") return `    ${name}?: ${write(own[0]!.schema, inMember)};`;
  const members = own.map((one) => {
    const type = write(one.schema, { indent: "      ", depth: 0 });
    return `${commentText(one.description, "      ")}      ${memberName(one.name)}${one.required ? "" : "?"}: ${type};`;
  });
  const isOptional = own.every(({ required }) => !required);
  return `    ${name}${isOptional ? "?" : ""}: {\n${members.join("\n")}\n    };`;
}

function bodyMember({ requestBody }: OpenApiOperation, write: Write): string {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!content) return "    body?: never;";
  const member = requestBody?.required ? "body" : "body?";
  return `    ${member}: ${type === "multipart/form-data" ? "FormData" : write(content.schema, inMember)};`;
}

function outputType({ responses }: OpenApiOperation, write: Write): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const content = success && "content" in success ? success.content?.["application/json"] : undefined;
  return content ? write(content.schema, inMember) : "undefined";
}
