// Tools that take files also take a folder of this machine: its files are read here and sent instead of its name. Only
// the folder of the command and folders in it are read, and of them only what is a workflow file.
import { existsSync, realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { isJsonObject, type JsonObject } from "@tidings/contract";
import { CliError } from "../failure.ts";
import { type Folder, openFolder } from "../files/folder.ts";
import { projectFile } from "../files/read-folder.ts";
import type { Message } from "./post.ts";

const rootFiles = [
  projectFile,
  "integrations.yaml",
  "topics.yaml",
  "categories.yaml",
  "brand.yaml",
  "attention.yaml",
] as const;
const sections = ["workflows", "layouts", "audiences"] as const;
const maxFiles = 2_000;
const maxDepth = 4;

function pathsIn(folder: Folder, path: string, depth = 0): string[] {
  const found = depth < maxDepth ? folder.list(path) : null;
  if (!found) return [];
  return [
    ...found.files.map((name) => `${path}/${name}`),
    ...found.folders.flatMap((name) => pathsIn(folder, `${path}/${name}`, depth + 1)),
  ];
}

function openBelow(root: string, directory: string): Folder {
  const place = resolve(root, directory);
  if (!existsSync(place)) throw new CliError(`There is no folder ${directory}.`);
  const way = relative(realpathSync(root), realpathSync(place));
  if (way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way)
    throw new CliError(`${directory} is not below the folder in which \`tidings mcp\` may read: start it with --dir.`);
  const folder = openFolder(place);
  if (folder.read(projectFile) === null) throw new CliError(`There is no ${projectFile} in ${directory}.`);
  return folder;
}

function readFiles(root: string, directory: string): { path: string; content: string }[] {
  const folder = openBelow(root, directory);
  const paths = [...rootFiles, ...sections.flatMap((section) => pathsIn(folder, section))];
  if (paths.length > maxFiles) throw new CliError(`${directory} has more than ${maxFiles} files.`);
  return paths.flatMap((path) => {
    const content = folder.read(path);
    return content === null ? [] : [{ path, content }];
  });
}

/** The message with the files of its folder; a text when they cannot be read. */
export function withFolder(message: Message, root: string): Message | string {
  const { method, params = {} } = message;
  if (method !== "tools/call" || !isJsonObject(params.arguments)) return message;
  const { directory, ...rest } = params.arguments;
  if (typeof directory !== "string") return message;
  if (rest.files !== undefined) return "Give either files or directory.";
  try {
    return { ...message, params: { ...params, arguments: { ...rest, files: readFiles(root, directory) } } };
  } catch (error) {
    if (error instanceof CliError) return [error.message, error.fix].filter(Boolean).join(" ");
    throw error;
  }
}

/** The response of the service as this program returns it: tools that take files take a folder. */
export function withoutFolder(method: unknown, reply: JsonObject): JsonObject {
  const { result } = reply;
  if (method !== "tools/list" || !isJsonObject(result) || !Array.isArray(result.tools)) return reply;
  return { ...reply, result: { ...result, tools: result.tools.map(takesFolder) } };
}

function takesFolder(tool: unknown): unknown {
  if (!isJsonObject(tool) || !isJsonObject(tool.inputSchema)) return tool;
  const { properties, required = [] } = tool.inputSchema as { properties?: JsonObject; required?: string[] };
  if (!properties?.files) return tool;
  const directory = {
    type: "string",
    minLength: 1,
    maxLength: 500,
    description: 'Instead of files: a folder on this machine, such as "."',
  };
  return {
    ...tool,
    inputSchema: {
      ...tool.inputSchema,
      properties: { ...properties, directory },
      required: required.filter((name) => name !== "files"),
    },
  };
}
