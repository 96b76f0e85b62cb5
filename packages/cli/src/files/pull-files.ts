// What a pull would write and remove. A resource that means the same here and in the environment keeps its files, with
// their comments and their order; a file that was changed here since the last pull is not overwritten unless that is
// asked for.
import type { FileResources, LayoutFile } from "@tidings/contract";
import {
  canonicalJson,
  normalizeAttention,
  normalizeAudience,
  normalizeCategory,
  normalizeLayout,
  normalizeWorkflow,
} from "@tidings/server/checks";
import type { Folder } from "./folder.ts";
import type { LocalFiles } from "./read-folder.ts";
import { type FilesState, hashOf } from "./state.ts";
import { type FileTexts, type ResourceTexts, writeResources } from "./write-resources.ts";

type PullPlan = {
  write: FileTexts;
  remove: string[];
  /** Files in `write` and `remove` that were changed here since the last pull. */
  changedHere: string[];
  /** Workflows, layouts and audiences that only this folder has. */
  onlyHere: string[];
};

export function planPull(local: LocalFiles, resources: FileResources, state: FilesState): PullPlan {
  const texts = writeResources(resources);
  const same = findSame(local, resources);
  const plan: PullPlan = { write: new Map(), remove: [], changedHere: [], onlyHere: [] };
  for (const [key, files] of texts) {
    if (same.has(key)) continue;
    for (const [path, text] of files) addWrite(plan, local.folder, state, path, text);
    for (const path of local.owners.get(key)?.files ?? [])
      if (!files.has(path)) addRemoval(plan, local.folder, state, path);
  }
  for (const [key, { files }] of local.owners) {
    if (texts.has(key)) continue;
    // Never pulled: it was created here, and waits to be applied.
    if (!files.some((path) => Object.hasOwn(state.files, path))) plan.onlyHere.push(key);
    else for (const path of files) addRemoval(plan, local.folder, state, path);
  }
  return plan;
}

function addWrite(plan: PullPlan, folder: Folder, state: FilesState, path: string, text: string): void {
  const before = folder.read(path);
  if (before === text) return;
  plan.write.set(path, text);
  if (before !== null && state.files[path] !== hashOf(before)) plan.changedHere.push(path);
}

function addRemoval(plan: PullPlan, folder: Folder, state: FilesState, path: string): void {
  const before = folder.read(path);
  if (before === null) return;
  plan.remove.push(path);
  if (state.files[path] !== hashOf(before)) plan.changedHere.push(path);
}

/** Keys of the resources whose files mean what the environment has. */
function findSame({ resources: here, owners }: LocalFiles, there: FileResources): Set<string> {
  const same = new Set<string>();
  const compare = <T>(key: string, mine: T | undefined, theirs: T, normalize: (value: T) => T) => {
    if (mine === undefined || owners.get(key)?.isSound === false) return;
    try {
      if (canonicalJson(normalize(mine)) === canonicalJson(normalize(theirs))) same.add(key);
    } catch {
      // What the service would refuse is not the same as what it has.
    }
  };
  const workflows = new Map(here.workflows?.map((file) => [file.workflowId, file]));
  for (const file of there.workflows ?? [])
    compare(`workflow/${file.workflowId}`, workflows.get(file.workflowId), file, normalizeWorkflow);
  const layouts = new Map(here.layouts?.map((file) => [file.layoutId, file]));
  // Files that mark no default leave it to the environment.
  const marksDefault = here.layouts?.some(({ isDefault }) => isDefault);
  const normalize = (file: LayoutFile) => normalizeLayout(marksDefault ? file : { ...file, isDefault: false });
  for (const file of there.layouts ?? [])
    compare(`layout/${file.layoutId}`, layouts.get(file.layoutId), file, normalize);
  const audiences = new Map(here.audiences?.map((file) => [file.audienceId, file]));
  for (const file of there.audiences ?? [])
    compare(`audience/${file.audienceId}`, audiences.get(file.audienceId), file, normalizeAudience);
  compare("integrations", here.integrations, there.integrations ?? [], sortLists);
  compare("topics", here.topics, there.topics ?? [], sortLists);
  compare("categories", here.categories, there.categories ?? [], (list) => list?.map(normalizeCategory));
  compare("brand", here.brand, there.brand ?? {}, (brand) => brand);
  compare("attention", here.attention, there.attention ?? { budgets: [] }, normalizeAttention);
  return same;
}

const sortLists = <T extends object[] | undefined>(list: T): T =>
  list?.map((item) => canonicalJson(item)).sort() as unknown as T;

/**
 * The hashes of the files that are as a pull writes them. One that has comments or its own order has none: the next
 * pull that would overwrite it says so.
 */
export function hashFiles(folder: Folder, texts: ResourceTexts): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const files of texts.values())
    for (const [path, text] of files) if (folder.read(path) === text) hashes[path] = hashOf(text);
  return hashes;
}
