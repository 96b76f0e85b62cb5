// A template of the gallery as files: its workflow, its scenario, and the layout of the brand.
import { brandLayout, type GalleryTemplate, gallery } from "@tidings/contract/gallery";
import { writeYaml } from "@tidings/server/folder";
import { CliError } from "../failure.ts";
import type { Folder } from "./folder.ts";
import { writeResources } from "./write-resources.ts";

function requireTemplate(name: string): GalleryTemplate {
  const found = gallery.find((template) => template.name === name);
  if (found) return found;
  throw new CliError(`The gallery has no template ${JSON.stringify(name)}.`, {
    fix: `It has: ${gallery.map((template) => template.name).join(", ")}.`,
  });
}

/** The texts by path. A folder with layouts gets none: it has its own look. */
export function galleryFiles(name: string, folder: Folder): Record<string, string> {
  const { workflow, scenario } = requireTemplate(name);
  const layouts = folder.list("layouts") === null ? [brandLayout] : [];
  const texts = [...writeResources({ workflows: [workflow], layouts }).values()].flatMap((files) => [...files]);
  // A payload that two events share would be written as an anchor, which scenarios do not have.
  const plain: unknown = JSON.parse(JSON.stringify(scenario));
  const written = Object.fromEntries([...texts, [`scenarios/${name}.yaml`, writeYaml(plain)]]);
  const taken = Object.keys(written).find((path) => folder.read(path) !== null);
  if (taken === undefined) return written;
  throw new CliError(`${taken} exists already. Nothing was written.`, {
    fix: "Rename or remove it first, or write into another folder.",
  });
}
