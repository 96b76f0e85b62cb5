// The checks that need no service: shapes, everything that saving would refuse, and the issues of templates, conditions
// and waits.
import {
  checkAttentionFile,
  checkAudienceFile,
  checkLayoutFile,
  checkWorkflowFile,
  type Problem,
} from "@tidings/server/checks";
import type { Place } from "@tidings/server/folder";
import type { FileProblem } from "./problems.ts";
import type { LocalFiles } from "./read-folder.ts";

/** An error in a template names its line, which in its own file is the line of the file. */
const templatePlace = / \(line (\d+), column (\d+)\)$/;

function toFileProblem({ message, variableName }: Problem, place: Place, template: string | null): FileProblem {
  const [whole, line, column] = templatePlace.exec(message) ?? [];
  if (variableName !== undefined && template !== null)
    return { ...findVariable(template, variableName, place), message };
  if (!whole || /\.(yaml|json)$/.test(place.file)) return { ...place, message };
  return { file: place.file, line: Number(line), column: Number(column), message: message.slice(0, -whole.length) };
}

const tagStart = /\{[{%]/;

/** The first place where a template file uses the variable. */
function findVariable(template: string, name: string, place: Place): Place {
  for (let start = template.search(tagStart); start !== -1; ) {
    const length = template.slice(start).search(/[%}]\}/);
    const end = length === -1 ? template.length : start + length;
    const at = template.slice(start, end).indexOf(name);
    if (at !== -1) {
      const before = template.slice(0, start + at).split("\n");
      return { file: place.file, line: before.length, column: before.at(-1)!.length + 1 };
    }
    const next = template.slice(end).search(tagStart);
    start = next === -1 ? -1 : end + next;
  }
  return place;
}

export async function checkFiles({ folder, resources, problems, locate, owners }: LocalFiles): Promise<FileProblem[]> {
  const found = [...problems];
  const isSound = (key: string) => owners.get(key)?.isSound === true;
  const add = (field: string, one: Problem) => {
    const path = `${field}.${one.field}`;
    const message = one.message.startsWith(one.field) ? one.message : `${one.field}: ${one.message}`;
    const place = locate(path);
    const isTemplate = !/\.(yaml|json)$/.test(place.file);
    found.push(toFileProblem({ ...one, message }, place, isTemplate ? folder.read(place.file) : null));
  };
  const layoutIds = resources.layouts?.map(({ layoutId }) => layoutId) ?? null;
  for (const [index, file] of (resources.workflows ?? []).entries()) {
    if (!isSound(`workflow/${file.workflowId}`)) continue;
    for (const one of await checkWorkflowFile(file, layoutIds)) add(`resources.workflows.${index}`, one);
  }
  for (const [index, file] of (resources.layouts ?? []).entries()) {
    if (!isSound(`layout/${file.layoutId}`)) continue;
    for (const one of await checkLayoutFile(file)) add(`resources.layouts.${index}`, one);
  }
  for (const [index, file] of (resources.audiences ?? []).entries()) {
    if (!isSound(`audience/${file.audienceId}`)) continue;
    for (const one of await checkAudienceFile(file)) add(`resources.audiences.${index}`, one);
  }
  if (resources.attention && !problems.some(({ file }) => file === "attention.yaml"))
    for (const one of await checkAttentionFile(resources.attention)) add("resources.attention", one);
  const defaults = (resources.layouts ?? []).flatMap(({ isDefault }, index) => (isDefault ? [index] : []));
  for (const index of defaults.slice(1))
    found.push({
      ...locate(`resources.layouts.${index}.isDefault`),
      message: "isDefault: another layout is the default already",
    });
  return found.sort((a, b) => (a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1));
}
