// Everything in a folder of workflow files, as the service takes it. Errors are collected with file, line and column;
// reading continues, so that all of them are reported at once. The folder is one of the command line, or files that
// came with a request.
import {
  type AttentionFile,
  type BrandFile,
  type CategoryFile,
  type FileResources,
  type IntegrationFile,
  isJsonObject,
} from "@tidings/contract";
import { createShapeCheck } from "../offline-checks.ts";
import {
  isResourceName,
  openYaml,
  type ReadResource,
  readAudience,
  readLayout,
  readWorkflow,
  type ShapeCheck,
  startOf,
} from "./read-resource.ts";
import { fileSchemas } from "./schemas.ts";
import type { FileProblem, Place, ReadableFolder } from "./source.ts";

export type FolderFiles = {
  resources: FileResources;
  problems: FileProblem[];
  /** The place of a field as the service names it, such as `resources.workflows.3.steps.0.name`. */
  locate(field: string): Place;
  /** By `<type>/<identifier>`, the files of a resource, and whether they could be read without an error. */
  owners: Map<string, { files: string[]; isSound: boolean }>;
};

export const projectFile = "tidings.yaml";

const checks = new Map<string, ShapeCheck>();
function shapeCheck(kind: keyof typeof fileSchemas): ShapeCheck {
  if (!checks.has(kind)) checks.set(kind, createShapeCheck(fileSchemas[kind]));
  return checks.get(kind)!;
}

export function readFolder(folder: ReadableFolder): FolderFiles {
  const problems: FileProblem[] = [];
  const owners: FolderFiles["owners"] = new Map();
  const places: Record<string, ((field: string) => Place)[]> = {};
  const resources: FileResources = {};
  problems.push(...openYaml(folder, projectFile, shapeCheck("project")).problems);

  const readAll = <T>(
    section: "workflows" | "layouts" | "audiences",
    ids: string[] | undefined,
    read: (id: string) => ReadResource<T>,
  ): T[] | undefined =>
    ids?.flatMap((id) => {
      if (!isResourceName(id)) {
        problems.push({
          ...startOf(`${section}/${id}`),
          message: `is not an identifier: letters and digits, with single - _ or . between them`,
        });
        return [];
      }
      const one = read(id);
      problems.push(...one.problems);
      owners.set(`${section.slice(0, -1)}/${id}`, { files: one.files, isSound: one.problems.length === 0 });
      places[section] ??= [];
      places[section].push(one.placeOf);
      return [one.value];
    });
  const workflows = readAll("workflows", folder.list("workflows")?.folders, (id) =>
    readWorkflow(folder, id, shapeCheck("workflow")),
  );
  if (workflows) resources.workflows = workflows;
  const layouts = readAll("layouts", folder.list("layouts")?.folders, (id) =>
    readLayout(folder, id, shapeCheck("layout")),
  );
  if (layouts) resources.layouts = layouts;
  const audienceFiles = folder.list("audiences")?.files;
  for (const name of audienceFiles ?? [])
    if (!name.endsWith(".yaml"))
      problems.push({ ...startOf(`audiences/${name}`), message: "is not named <audienceId>.yaml" });
  const audienceIds = audienceFiles?.flatMap((name) =>
    name.endsWith(".yaml") ? [name.slice(0, -".yaml".length)] : [],
  );
  const audiences = readAll("audiences", audienceIds, (id) => readAudience(folder, id, shapeCheck("audience")));
  if (audiences) resources.audiences = audiences;
  const lists = readLists(folder);
  Object.assign(resources, lists.resources);
  Object.assign(places, lists.places);
  problems.push(...lists.problems);

  const locate = (field: string): Place => {
    const [, section = "", index, ...rest] = field.split(".");
    // There is one brand and one attention budget, so their fields come without a place in a list.
    const placeOf = lists.singlePlaces[section];
    if (placeOf) return placeOf([index, ...rest].join("."));
    return places[section]?.[Number(index)]?.(rest.join(".")) ?? startOf(projectFile);
  };
  return { resources, problems, locate, owners };
}

/** The files of lists, the brand and the attention budget: what the folder does not have is not managed by it. */
function readLists(folder: ReadableFolder) {
  const resources: FileResources = {};
  const problems: FileProblem[] = [];
  const places: Record<string, ((field: string) => Place)[]> = {};
  const singlePlaces: Record<string, (field: string) => Place> = {};
  if (folder.read("integrations.yaml") !== null) {
    const { value, source, problems: own } = openYaml(folder, "integrations.yaml", shapeCheck("integrations"));
    const entries = Object.entries(isJsonObject(value.integrations) ? value.integrations : {});
    resources.integrations = entries.map(([identifier, one]) => ({ ...(one as IntegrationFile), identifier }));
    places.integrations = entries.map(
      ([identifier]) =>
        (field) =>
          source.placeOf(["integrations", identifier, ...field.split(".")]),
    );
    problems.push(...own);
  }
  if (folder.read("topics.yaml") !== null) {
    const { value, source, problems: own } = openYaml(folder, "topics.yaml", shapeCheck("topics"));
    const entries = Object.entries(isJsonObject(value.topics) ? value.topics : {});
    resources.topics = entries.map(([key, name]) => ({ key, name: String(name) }));
    places.topics = entries.map(
      ([key]) =>
        () =>
          source.placeOf(["topics", key]),
    );
    problems.push(...own);
  }
  if (folder.read("categories.yaml") !== null) {
    const { value, source, problems: own } = openYaml(folder, "categories.yaml", shapeCheck("categories"));
    const entries = Object.entries(isJsonObject(value.categories) ? value.categories : {});
    resources.categories = entries.map(([categoryId, one]) => ({ ...(one as CategoryFile), categoryId }));
    places.categories = entries.map(
      ([categoryId]) =>
        (field) =>
          source.placeOf(["categories", categoryId, ...field.split(".")]),
    );
    problems.push(...own);
  }
  for (const kind of ["brand", "attention"] as const) {
    if (folder.read(`${kind}.yaml`) === null) continue;
    const { value, source, problems: own } = openYaml(folder, `${kind}.yaml`, shapeCheck(kind));
    Object.assign(resources, { [kind]: value as BrandFile | AttentionFile });
    singlePlaces[kind] = (field) => source.placeOf(field.split("."));
    problems.push(...own);
  }
  return { resources, problems, places, singlePlaces };
}
