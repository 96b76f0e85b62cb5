// Writes the registry of adapters from the folders: a provider is registered by a file in src/<channel>/ that exports
// it as default. Other files there belong to one provider, such as its delivery reports.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dirname, "..", "src");
const channels = ["email", "sms", "push", "chat"];

export function generateRegistry(): { path: string; content: string } {
  const files = channels.flatMap((channel) => adaptersIn(channel).map((id) => ({ channel, id, name: camelCase(id) })));
  const content = [
    "// Generated from the folders beside this file by `npm run generate`. Do not edit.",
    "",
    ...files.map(({ channel, id, name }) => `import ${name} from "./${channel}/${id}.ts";`),
    'import type { Provider } from "./kit/provider.ts";',
    "",
    "export const adapters: readonly Provider[] = [",
    ...files.map(({ name }) => `  ${name},`),
    "];",
    "",
  ].join("\n");
  return { path: join(source, "registry.gen.ts"), content };
}

const adaptersIn = (channel: string): string[] =>
  readdirSync(join(source, channel))
    .filter((name) => name.endsWith(".ts") && isAdapter(join(source, channel, name)))
    .map((name) => name.slice(0, -".ts".length))
    .sort();

const isAdapter = (file: string): boolean => /^export default /m.test(readFileSync(file, "utf8"));

const camelCase = (id: string): string => id.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase());
