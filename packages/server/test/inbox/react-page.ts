// A page of a customer with React, bundled as such pages are, from the built files of the widget.
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "../../../..");
const dist = join(root, "packages/inbox/dist");

/** The package as it would be installed. */
export const inboxAlias = {
  "@tidings/inbox/react": join(dist, "react.js"),
  "@tidings/inbox/element": join(dist, "element.js"),
  "@tidings/inbox": join(dist, "index.js"),
};

type Source = { contents: string; loader: "jsx" | "tsx" | "ts" | "js"; resolveDir?: string; plugins?: Plugin[] };

/** One script with everything in it. */
export async function bundlePage({ contents, loader, resolveDir, plugins = [] }: Source): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, loader, resolveDir: resolveDir ?? join(root, "packages/server/test") },
    alias: inboxAlias,
    plugins,
    jsx: "automatic",
    bundle: true,
    format: "esm",
    outdir: "out",
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
    logLevel: "error",
  });
  return outputFiles[0]!.text;
}

export const pageOf = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Customer</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`;
