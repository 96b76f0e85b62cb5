// How the server is bundled (docs/decisions/0020-server-bundle.md): esbuild options for build.mjs, and what they need
// to make a bundle that behaves like its sources.
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { relative, sep } from "node:path";

const isBuiltin = new Set(builtinModules);

/**
 * An `import` of a module of Node reads all its exports, and one of node:http loads undici, which takes 0.1 s of a core
 * and which a start does not use. `process.getBuiltinModule` returns the module itself.
 */
const builtins = {
  name: "builtins",
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      if (!path.startsWith("node:") && !isBuiltin.has(path)) return undefined;
      const name = path.replace(/^(node:)?/, "node:");
      // Loaded when it is needed, by packages that read its exports by their names.
      if (kind === "dynamic-import") return { path: name, external: true };
      return { path: name, namespace: "builtin" };
    });
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/**
 * Paths in sources that are relative to `import.meta` (migrations, built pages, the version) begin at the source, not
 * at the bundle.
 */
const placesOfSources = {
  name: "places-of-sources",
  setup(build) {
    const { outdir } = build.initialOptions;
    build.onLoad({ filter: /[\\/]packages[\\/][a-z]+[\\/]src[\\/].*\.(ts|mjs)$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.")) return undefined;
      const place = relative(outdir, path).split(sep).join("/");
      const url = `new URL(${JSON.stringify(place)}, import.meta.url).href`;
      const contents = text
        .replaceAll("import.meta.url", url)
        // The first file of every thread is that of the bundle.
        .replaceAll(`new URL("./worker.ts", ${url})`, 'new URL("./start.js", import.meta.url)')
        .replaceAll(
          "import.meta.dirname",
          `process.getBuiltinModule("node:path").join(import.meta.dirname, ${JSON.stringify(place)}, "..")`,
        );
      return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
};

export const serverBundle = {
  entryPoints: { start: "src/start.ts", operate: "src/operate/index.ts" },
  format: "esm",
  splitting: true,
  platform: "node",
  target: "node24",
  minify: false,
  // Not needed by a start: pg-native is an option of pg that is not installed, openid-client is loaded by the first
  // sign-in.
  external: ["pg-native", "openid-client"],
  sourcesContent: false,
  plugins: [builtins, placesOfSources],
};
