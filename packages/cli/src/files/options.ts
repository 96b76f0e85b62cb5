// Options that commands on files share.
import type { CommandOptions } from "../command.ts";

export const dirOption = {
  dir: { type: "string", value: "folder", about: "Where the files are; the present folder unless told otherwise" },
} as const satisfies CommandOptions;

export const pruneOption = {
  prune: { type: "boolean", about: "Delete workflows and layouts that have no folder" },
} as const satisfies CommandOptions;

export const issuesOption = {
  "allow-issues": { type: "boolean", about: "Go on with workflows and layouts that have errors" },
} as const satisfies CommandOptions;

export const testedOptions = {
  dir: {
    type: "string",
    value: "folder",
    about: "Test the files of this folder; the present one where it has a tidings.yaml",
  },
  remote: { type: "boolean", about: "Test the workflows of the environment in use, also where there are files" },
} as const satisfies CommandOptions;
