// A service with empty environments, and folders of files for them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createClient } from "@tidings/testkit/client";
import type { SharedService } from "@tidings/testkit/service";
import { openTerminal, type Terminal } from "./support.ts";

/** A new environment, without the example that Development begins with, and a terminal that uses it. */
export async function openEnvironment(service: SharedService, name: string): Promise<Terminal & { apiKey: string }> {
  const { body } = await service.client("environments.create", { body: { name, color: "#123456" } });
  const apiKey = body.apiKeys![0]!.key;
  const client = createClient({ baseUrl: service.url, apiKey });
  const { workflows = [] } = (await client("files.export")).body.resources;
  for (const { workflowId } of workflows) await client("workflows.delete", { params: { workflowId } });
  return { ...openTerminal({ url: service.url, apiKey }), apiKey };
}

/** All files of a folder with their texts, without what belongs to the machine. */
export function readTree(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const wanted = names.filter((name) => !name.startsWith(".tidings") && !name.startsWith(".config")).sort();
  return Object.fromEntries(wanted.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

export function writeTree(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}
