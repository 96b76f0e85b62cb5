// Writes the registry of adapters from the folder: a provider is registered by having a file in src/<channel>/.

import { readdirSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dirname, "..", "src");
const channels = ["email", "sms", "push", "chat"];

export const generateRegistry = (): { path: string; content: string } => {
  const files = channels.flatMap((channel) => filesOf(channel).map((id) => ({ channel, id, name: camelCase(id) })));
  const content = [
    "// Generated from the files in this folder by `npm run generate`. Do not edit.",
    "",
    ...files.map(({ channel, id, name }) => `import ${name} from "./${channel}/${id}.ts";`),
    'import type { Provider } from "./provider.ts";',
    "",
    "export const adapters: readonly Provider[] = [",
    ...files.map(({ name }) => `  ${name},`),
    "];",
    "",
  ].join("\n");
  return { path: join(source, "registry.gen.ts"), content };
};

// A channel without adapters has no folder, because git keeps no empty ones.
const filesOf = (channel: string): string[] =>
  readdirSync(source).includes(channel)
    ? readdirSync(join(source, channel))
        .filter((name) => name.endsWith(".ts"))
        .map((name) => name.slice(0, -".ts".length))
        .sort()
    : [];

const camelCase = (id: string): string => id.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase());
