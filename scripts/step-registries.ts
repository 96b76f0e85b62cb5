// Writes the registries of step types from the folders: a step type is registered by a file with a default export in
// each of the contract, the server and the dashboard. Other files there are shared by several types.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { maxSteps, type StepDefinition } from "../packages/contract/src/steps/kit.ts";
import type { EditorStep } from "../packages/dashboard/src/steps/kit.ts";

type Generated = { path: string; content: string };
type StepFile<Step> = { type: string; file: string; name: string; step: Step };

const root = join(import.meta.dirname, "..");
const folders = {
  contract: "packages/contract/src/steps",
  server: "packages/server/src/pipeline/steps",
  dashboard: "packages/dashboard/src/steps",
};

const head = "// Generated from the step files in this folder by `npm run generate`. Do not edit.";
const camelCase = (file: string): string => file.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase());

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => /^export default /m.test(readFileSync(join(root, folder, name), "utf8")))
    .map((name) => name.slice(0, -".ts".length))
    .sort();

const readSteps = <Step>(folder: string): Promise<StepFile<Step>[]> =>
  Promise.all(
    filesIn(folder).map(async (file) => {
      const { default: step } = (await import(join(root, folder, `${file}.ts`))) as { default: Step };
      return { type: file.replaceAll("-", "_"), file, name: camelCase(file), step };
    }),
  );

type Named = Pick<StepFile<unknown>, "type" | "file" | "name">;

const importsOf = (files: readonly Named[]): string[] =>
  files.map(({ file, name }) => `import ${name} from "./${file}.ts";`);
const membersOf = (files: readonly Named[]): string[] =>
  files.map(({ type, name }) => (type === name ? `  ${type},` : `  ${type}: ${name},`));
const listOf = (files: readonly Named[]): string => `[${files.map(({ type }) => `"${type}"`).join(", ")}] as const`;

function contractRegistry(steps: readonly StepFile<StepDefinition>[]): Generated {
  const ofKind = (kind: StepDefinition["kind"]) => listOf(steps.filter(({ step }) => step.kind === kind));
  const content = [
    head,
    ...importsOf(steps),
    'import type { StepDefinition } from "./kit.ts";',
    "",
    `export const stepTypes = ${listOf(steps)};`,
    `export const channels = ${ofKind("channel")};`,
    `export const waitingSteps = ${ofKind("wait")};`,
    "",
    "export const stepDefinitions: Readonly<Record<(typeof stepTypes)[number], StepDefinition>> = {",
    ...membersOf(steps),
    "};",
    "",
  ];
  return { path: `${folders.contract}/registry.gen.ts`, content: content.join("\n") };
}

/** Not imported here: a step of the server needs the engine around it. */
function serverRegistry(steps: readonly Named[]): Generated {
  const content = [
    head,
    'import type { StepType } from "@tidings/contract";',
    ...importsOf(steps),
    'import type { StepHandler } from "./handler.ts";',
    "",
    "export const stepHandlers: Readonly<Record<StepType, StepHandler>> = {",
    ...membersOf(steps),
    "};",
    "",
  ];
  return { path: `${folders.server}/registry.gen.ts`, content: content.join("\n") };
}

function editorRegistry(steps: readonly Named[]): Generated {
  const content = [
    head,
    'import type { StepType } from "@tidings/contract";',
    ...importsOf(steps),
    'import type { EditorStep } from "./kit.ts";',
    "",
    "export const editorSteps: Readonly<Record<StepType, EditorStep>> = {",
    ...membersOf(steps),
    "};",
    "",
  ];
  return { path: `${folders.dashboard}/registry.gen.ts`, content: content.join("\n") };
}

type Row = [type: string, value: string];

const tableOf = (name: string, type: string, rows: readonly Row[]): string[] => [
  `export const ${name} = {`,
  ...rows.map(([key, value]) => `  ${key}: ${JSON.stringify(value)},`),
  `} as const satisfies Record<${type}>;`,
  "",
];

/** All that most screens need of a step type: the forms are loaded with the workflow editor, the schemas never. */
function dashboardFacts(
  definitions: readonly StepFile<StepDefinition>[],
  steps: readonly StepFile<EditorStep>[],
): Generated {
  const labels = definitions.map(({ type, step }): Row => [type, step.label]);
  const kinds = definitions.map(({ type, step }): Row => [type, step.kind]);
  const icons = steps.map(({ type, step }): Row => [type, step.icon]);
  const ends = steps.flatMap(({ type, step }): Row[] => (step.ends === undefined ? [] : [[type, step.ends]]));
  const content = [
    head,
    'import type { StepKind, StepType, WaitingStep } from "@tidings/contract";',
    "",
    `export const stepTypes: readonly StepType[] = ${listOf(definitions).replace(" as const", "")};`,
    `export const maxSteps = ${maxSteps};`,
    "",
    ...tableOf("stepNames", "StepType, string", labels),
    ...tableOf("stepIcons", "StepType, string", icons),
    `export const stepKinds: Readonly<Record<StepType, StepKind>> = {`,
    ...kinds.map(([type, kind]) => `  ${type}: "${kind}",`),
    "};",
    "",
    "/** The end of a wait, on a timeline. */",
    ...tableOf("waitEnds", "WaitingStep, string", ends),
  ];
  return { path: `${folders.dashboard}/facts.gen.ts`, content: content.join("\n") };
}

export async function stepRegistries(): Promise<Generated[]> {
  const definitions = (await readSteps<StepDefinition>(folders.contract)).sort(
    (a, b) => a.step.position - b.step.position,
  );
  const place = ({ type }: Named) => definitions.findIndex((one) => one.type === type);
  const inOrder = <File extends Named>(files: File[]) => files.sort((a, b) => place(a) - place(b));
  const handlers = filesIn(folders.server).map((file) => ({
    type: file.replaceAll("-", "_"),
    file,
    name: camelCase(file),
  }));
  const forms = inOrder(await readSteps<EditorStep>(folders.dashboard));
  return [
    contractRegistry(definitions),
    serverRegistry(inOrder(handlers)),
    editorRegistry(forms),
    dashboardFacts(definitions, forms),
  ];
}
