// Options that commands on files share.
import type { CommandOptions } from "../command.ts";

export const dirOption = {
  dir: { type: "string", value: "folder", about: "Where the files are; the current folder by default" },
} as const satisfies CommandOptions;

export const pruneOption = {
  prune: { type: "boolean", about: "Delete workflows, layouts, categories and audiences that are not in the files" },
} as const satisfies CommandOptions;

export const issuesOption = {
  "allow-issues": { type: "boolean", about: "Continue despite errors in workflows and layouts" },
} as const satisfies CommandOptions;

export const testedOptions = {
  dir: {
    type: "string",
    value: "folder",
    about: "Test the files of this folder; the present one where it has a tidings.yaml",
  },
  remote: { type: "boolean", about: "Test the workflows of the environment in use, even if there are files" },
} as const satisfies CommandOptions;
