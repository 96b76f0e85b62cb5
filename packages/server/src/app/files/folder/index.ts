// What the command line shares with the service about folders of files: how they are read, their schemas, the form in
// which texts and YAML are written.
export { type FolderFiles, projectFile, readFolder } from "./read-folder.ts";
export { isResourceName } from "./read-resource.ts";
export { editorSchema, fileKinds, fileSchemas } from "./schemas.ts";
export type { FileProblem, Place } from "./source.ts";
export { extensionOf, toTemplateFile } from "./templates.ts";
export { readYaml, writeYaml } from "./yaml-source.ts";
