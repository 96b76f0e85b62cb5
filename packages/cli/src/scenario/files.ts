// Which files are scenarios: those named, and every YAML file of the folders named.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { CliError } from "../failure.ts";

export const defaultFolder = "scenarios";
const maxFiles = 10_000;

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name);

/** `folder`: where the scenarios are that are run without being named. */
export function findScenarioFiles(cwd: string, named: string[], folder: string): string[] {
  const places = named.length > 0 ? named : [join(relative(cwd, folder), defaultFolder)];
  const files = places.flatMap((place) => {
    const path = resolve(cwd, place);
    if (!existsSync(path))
      throw new CliError(`${place} does not exist.`, {
        fix: "Name a file or a folder, or save a run as a scenario: tidings test --save <transaction>",
      });
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => isYaml(name) && !name.split(/[\\/]/).includes("node_modules"))
      .map((name) => join(path, name));
  });
  const found = [...new Set(files)].sort();
  if (found.length === 0)
    throw new CliError(`${places.join(", ")}: no scenario files (*.yaml) found.`, {
      fix: "docs/testing.md describes the format; `tidings test --save <transaction>` saves a run.",
    });
  if (found.length > maxFiles) throw new CliError(`There are more than ${maxFiles} files.`);
  return found.map((file) => relative(cwd, file) || file);
}

export const readScenarioFile = (cwd: string, file: string): string => readFileSync(resolve(cwd, file), "utf8");

/** Refuses to replace a file. Returns the name it wrote. */
export function saveScenarioFile(cwd: string, file: string, text: string): void {
  const path = resolve(cwd, file);
  if (existsSync(path)) throw new CliError(`${file} exists.`, { fix: "Name another with --output <file>." });
  writeFileWithFolders(path, text);
}

export function writeFileWithFolders(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
