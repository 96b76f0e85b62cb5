// Renders the chart in deploy/kubernetes as `helm template` does, for the test: Helm is not on npm. Only the functions
// that the chart uses are known, and a value that does not exist is an error, where Helm would write nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Schema, Validator } from "@cfworker/json-schema";
import { parse, parseAllDocuments, stringify } from "yaml";
import { type Expression, type Node, parseTemplate, type Templates } from "./parse.ts";

type Values = { [key: string]: unknown };
type Scope = { dot: unknown; variables: Map<string, unknown> };

const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

/** What Go takes for true. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Helm reads numbers as floats, and writes a million as 1e+06. */
function textOf(value: unknown): string {
  if (typeof value === "number" && (!Number.isInteger(value) || Math.abs(value) >= 1_000_000))
    throw new Error(`${value} would be written with an exponent`);
  if (typeof value === "object") throw new Error(`not a text: ${JSON.stringify(value)}`);
  return String(value);
}

const indent = (text: string, spaces: number): string => text.replaceAll(/^/gm, " ".repeat(spaces));

/** As Helm: keys in order, and texts in quotes that YAML 1.1 would take for something else. */
const toYaml = (value: unknown): string =>
  stringify(value, { sortMapEntries: true, version: "1.1", lineWidth: 0 }).trimEnd();

const functions: Record<string, (...args: never[]) => unknown> = {
  contains: (part: string, text: string) => text.includes(part),
  default: (fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  dict: (...parts: unknown[]) =>
    Object.fromEntries(parts.flatMap((key, at) => (at % 2 === 0 ? [[key as string, parts[at + 1]]] : []))),
  list: (...items: unknown[]) => items,
  nindent: (spaces: number, text: string) => `\n${indent(text, spaces)}`,
  not: (value: unknown) => !isTrue(value),
  printf: (format: string, ...args: unknown[]) => {
    const left = [...args];
    return format.replaceAll("%s", () => textOf(left.shift()));
  },
  quote: (value: unknown) => JSON.stringify(textOf(value)),
  required: (message: string, value: unknown) => {
    if (value === "" || value === undefined || value === null) throw new Error(message);
    return value;
  },
  toYaml,
  trimSuffix: (suffix: string, text: string) => (text.endsWith(suffix) ? text.slice(0, -suffix.length) : text),
  trunc: (length: number, text: string) => text.slice(0, length),
};

function evaluate(expression: Expression, scope: Scope, templates: Templates): unknown {
  if (expression.kind === "literal") return expression.value;
  if (expression.kind === "path") {
    const { variable, keys } = expression;
    if (variable !== null && !scope.variables.has(variable)) throw new Error(`$${variable} is not defined`);
    return keys.reduce(
      (value: unknown, key) => {
        if (!isMap(value) || !Object.hasOwn(value, key)) throw new Error(`.${keys.join(".")} does not exist`);
        return value[key];
      },
      variable === null ? scope.dot : scope.variables.get(variable),
    );
  }
  const args = expression.args.map((arg) => evaluate(arg, scope, templates));
  if (expression.name === "include") {
    if (!templates.has(args[0] as string)) throw new Error(`${args[0]} is not defined`);
    return renderText(args[0] as string, args[1], templates);
  }
  const known = functions[expression.name];
  if (!known) throw new Error(`the function ${expression.name} is not known here`);
  return known(...(args as never[]));
}

function renderNodes(nodes: Node[], given: Scope, templates: Templates): string {
  const scope = { dot: given.dot, variables: new Map(given.variables) };
  return nodes.map((node) => renderNode(node, scope, templates)).join("");
}

function renderNode(node: Node, scope: Scope, templates: Templates): string {
  switch (node.kind) {
    case "text":
      return node.text;
    case "output":
      return textOf(evaluate(node.value, scope, templates));
    case "assign":
      scope.variables.set(node.variable, evaluate(node.value, scope, templates));
      return "";
    case "range":
      return renderRange(node, scope, templates);
    default:
      for (const { test, body } of node.branches) {
        const value = test === null ? true : evaluate(test, scope, templates);
        if (!isTrue(value)) continue;
        const isWith = node.kind === "with" && test !== null;
        return renderNodes(body, isWith ? { ...scope, dot: value } : scope, templates);
      }
      return "";
  }
}

function renderRange(node: Extract<Node, { kind: "range" }>, scope: Scope, templates: Templates): string {
  const list = evaluate(node.list, scope, templates);
  // Keys of a map in their order, as Go.
  const entries: [unknown, unknown][] = isMap(list)
    ? Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1))
    : (list as unknown[]).map((item, index) => [index, item]);
  return entries
    .map(([key, item]) => {
      const [first, second] = node.variables;
      const own: [string, unknown][] =
        second === undefined
          ? [[first!, item]]
          : [
              [first!, key],
              [second, item],
            ];
      return renderNodes(node.body, { dot: item, variables: new Map([...scope.variables, ...own]) }, templates);
    })
    .join("");
}

/** Renders one template for this dot. */
export const renderText = (name: string, dot: unknown, templates: Templates): string =>
  renderNodes(templates.get(name)!, { dot, variables: new Map([["", dot]]) }, templates);

export type Resource = Values & { apiVersion: string; kind: string; metadata: Values & { name: string } };

const folder = join(import.meta.dirname, "../../../../../deploy/kubernetes");
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

/** Maps are merged, all else is replaced; null removes a value. */
function merge(base: Values, over: Values): Values {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isMap(before) && isMap(value) ? merge(before, value) : value;
  }
  return merged;
}

/** What values.schema.json has against the values; Helm refuses them as well. */
function refuseWrongValues(values: Values): void {
  const schema = JSON.parse(read("values.schema.json")) as Schema;
  const { valid, errors } = new Validator(schema, "7", false).validate(values);
  if (valid) return;
  const texts = errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
  throw new Error(`values are refused:\n${texts.join("\n")}`);
}

type Rendered = { resources: Resource[]; notes: string };

export function renderChart(given: Values, { release = "tidings" } = {}): Rendered {
  const chart = parse(read("Chart.yaml")) as Record<string, string>;
  const values = merge(parse(read("values.yaml")), given);
  refuseWrongValues(values);
  const root = {
    Values: values,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: "notify", Service: "Helm" },
  };
  const templates: Templates = new Map();
  const files = readdirSync(join(folder, "templates")).toSorted();
  for (const file of files) parseTemplate(file, read(`templates/${file}`), templates);
  const render = (file: string): string => {
    try {
      return renderText(file, root, templates);
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}`);
    }
  };
  const manifests = files.filter((file) => file.endsWith(".yaml"));
  return { resources: manifests.flatMap((file) => documentsOf(file, render(file))), notes: render("NOTES.txt") };
}

/** Kubernetes reads YAML 1.1. */
function documentsOf(file: string, text: string): Resource[] {
  return parseAllDocuments(text, { version: "1.1" }).flatMap((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw new Error(`${file}: ${error.message}\n${text}`);
    const value = document.toJS() as Resource | null;
    return value === null ? [] : [value];
  });
}
