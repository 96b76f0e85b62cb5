// Builds the bundle that `npm start` runs, what browsers load (the inbox widget, the dashboard) and what others install
// (the client, the command line), each from packages/<name>/src into packages/<name>/dist. The setup runs it before
// every npm script; a build is repeated when a source, the lock file or this file has changed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { filesIn, packageFiles, packTarball } from "./build-package.mjs";
import { serverBundle } from "./build-server.mjs";
import { noticesOf } from "./notices.mjs";

const browsers = ["chrome123", "firefox121", "safari17.5"];

const importsOf = (names, keyword = "import") =>
  names.map((name) => `${keyword} "./${name.replaceAll("\\", "/")}";`).join("\n");

/**
 * "virtual:styles" stands for every style sheet of the package. esbuild writes the style sheets of a part that is
 * loaded later into its own file, which no page would load; imported by the entry, all of them are in the entry's style
 * sheet, and `build` deletes the others. The imports are those of CSS: imported by a script, the class names of every
 * screen would be part of the entry.
 */
const allStyles = {
  name: "all-styles",
  setup(build) {
    const src = join(build.initialOptions.absWorkingDir, "src");
    build.onResolve({ filter: /^virtual:styles$/ }, ({ path }) => ({ path, namespace: "styles" }));
    build.onLoad({ filter: /.*/, namespace: "styles" }, () => {
      // tokens.css names the layers, so it comes first.
      const rankOf = (name) => (basename(name) === "tokens.css" ? 0 : 1);
      const sheets = readdirSync(src, { recursive: true })
        .filter((name) => name.endsWith(".css"))
        .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
      return { contents: importsOf(sheets, "@import"), resolveDir: src, loader: "css" };
    });
  },
};

/**
 * esbuild puts modules into one file where the same parts use them, so thirty screens turn almost every module into its
 * own file: eighty requests before the first screen, most of them for a few hundred bytes. Each part that is loaded
 * later therefore imports "virtual:shared", all modules of api/, app/ and kit/: these have the same users then and
 * become two files, one with what the entry uses itself and one with the rest. What is loaded later itself, such as
 * kit/overlays/popups/, is left out.
 */
const sharedModules = {
  name: "shared-modules",
  setup(build) {
    const src = join(build.initialOptions.absWorkingDir, "src");
    const sources = readdirSync(src, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
    const partsOf = (name) => [...readFileSync(join(src, name), "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g)];
    const loadedLater = new Set(
      sources.flatMap((name) => partsOf(name).map(([, path]) => join(src, dirname(name), path))),
    );
    const isShared = (name) =>
      /^(?:api|app|kit(?:[\\/]\w+)?)[\\/][^\\/]+$/.test(name) && !loadedLater.has(join(src, name));
    build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!loadedLater.has(path)) return;
      return { contents: `${readFileSync(path, "utf8")}\nimport "virtual:shared";`, loader: extname(path).slice(1) };
    });
    build.onResolve({ filter: /^virtual:shared$/ }, ({ path }) => ({ path, namespace: "shared" }));
    build.onLoad({ filter: /.*/, namespace: "shared" }, () => ({
      contents: importsOf(sources.filter(isShared)),
      resolveDir: src,
      loader: "js",
    }));
  },
};

/** The oldest browsers that docs/inbox.md promises for the widget. */
const widgetBrowsers = ["chrome120", "firefox125", "safari17"];

/**
 * Parts of the widget are their own files, which others load by their names. In one build, what two of them share would
 * become a file more to load, and to compress, for each pair.
 */
const apart = {
  name: "apart",
  setup(build) {
    const filter = /\/(?:extras\/extras|later\/later|toast\/toast|ui\/panel|client\/create-inbox)\.tsx?$/;
    build.onResolve({ filter }, ({ kind, path }) => {
      const name = basename(path, extname(path)).replace("create-inbox", "index");
      return kind === "dynamic-import" ? { path: `./${name}.js`, external: true } : undefined;
    });
  },
};

/** What is loaded later uses the library and the user interface's parts from the panel, which is already loaded. */
const fromPanel = {
  name: "from-panel",
  setup(build) {
    build.onResolve({ filter: /^preact(?:$|\/)|^\.\.\/ui\// }, () => ({ path: "./panel.js", external: true }));
  },
};

/**
 * The widget has its style sheets as text, which esbuild would not minify: a file named `*style.ts` is one template
 * literal.
 */
const smallStyles = {
  name: "small-styles",
  setup(build) {
    build.onLoad({ filter: /style\.ts$/ }, async ({ path }) => {
      const text = readFileSync(path, "utf8");
      const [literal, css] = /`([^`]*)`/.exec(text);
      const { code } = await build.esbuild.transform(css, { loader: "css", minify: true, target: widgetBrowsers });
      return { contents: text.replace(literal, () => JSON.stringify(code)), loader: "ts" };
    });
  },
};

/** Readable, since it is in the stack traces of other programs; those who bundle it minify it. */
const clientBundle = {
  entryPoints: { index: "src/index.ts" },
  platform: "neutral",
  target: ["node18", "chrome100", "safari15"],
  minify: false,
  sourcemap: false,
};

/**
 * `esbuild` options of a package; `outdir` is added. `reads` names other folders whose files are part of the build.
 * `isPublished`: others install the package, so the build includes its tarball. `docs`: the folder whose pages
 * become docs.json, for the resources of the MCP server. `routes` reads the path of each of its
 * screens.
 */
const packages = {
  server: { reads: ["packages/contract/src", "packages/providers/src"], docs: "docs", options: [serverBundle] },
  inbox: {
    reads: ["packages/client/src", "packages/contract/src"],
    isPublished: true,
    options: [
      // For a <script> tag: the bell, which loads panel.js when it is first opened.
      { entryPoints: { inbox: "src/element.ts" }, format: "iife", target: widgetBrowsers, plugins: [smallStyles] },
      // For `importScripts` in the service worker of a page.
      { entryPoints: { worker: "src/push/worker.ts" }, format: "iife", target: widgetBrowsers },
      // For bundlers: the headless client, and the component and hooks for React, which is not in the bundle. `demo` is
      // the script of the page /inbox.
      {
        entryPoints: {
          index: "src/index.ts",
          element: "src/define.ts",
          react: "src/react/index.ts",
          demo: "src/demo/demo.ts",
        },
        format: "esm",
        splitting: true,
        target: widgetBrowsers,
        external: ["react", "react-dom"],
        plugins: [apart, smallStyles],
      },
      {
        entryPoints: { panel: "src/ui/panel.ts" },
        format: "esm",
        target: widgetBrowsers,
        plugins: [apart, smallStyles],
      },
      {
        entryPoints: { later: "src/later/later.tsx" },
        format: "esm",
        target: widgetBrowsers,
        plugins: [fromPanel, smallStyles],
      },
      { entryPoints: { extras: "src/extras/extras.ts" }, format: "esm", target: widgetBrowsers, splitting: true },
      {
        entryPoints: { toast: "src/toast/toast.ts" },
        format: "esm",
        target: widgetBrowsers,
        plugins: [apart, smallStyles],
      },
    ],
  },
  dashboard: {
    routes: readRoutes,
    reads: ["packages/contract/src", "packages/client/src"],
    options: [
      {
        entryPoints: { dashboard: "src/main.tsx" },
        format: "esm",
        splitting: true,
        entryNames: "[name]-[hash]",
        chunkNames: "chunks/[name]-[hash]",
        assetNames: "assets/[name]-[hash]",
        define: { "process.env.NODE_ENV": '"production"' },
        plugins: [allStyles, sharedModules],
      },
    ],
  },
  client: {
    reads: ["packages/contract/src"],
    isPublished: true,
    options: [
      { ...clientBundle, format: "esm" },
      // For programs that call `require`; the platform makes esbuild list the exports, which `import` of them needs.
      { ...clientBundle, format: "cjs", platform: "node", outExtension: { ".js": ".cjs" } },
    ],
  },
  cli: {
    reads: ["packages/contract/src", "packages/client/src", "packages/server/src"],
    isPublished: true,
    options: [
      {
        entryPoints: { tidings: "src/tidings.ts" },
        outExtension: { ".js": ".mjs" },
        format: "esm",
        platform: "node",
        target: "node20",
        // An option of pg that is not installed.
        external: ["pg-native"],
        // Packages in CommonJS call `require`, which a module does not have.
        banner: { js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);' },
        sourcemap: false,
      },
    ],
  },
};

/**
 * The routes of the dashboard, read from the `routes.ts` of its screens: the path of each, and the source of its
 * screen. The service returns the page for these paths, and names the screen's file in it.
 */
function readRoutes(folder) {
  const screens = join(folder, "src", "screens");
  const tables = readdirSync(screens, { recursive: true }).filter((name) => basename(name) === "routes.ts");
  return tables.flatMap((name) => {
    const text = readFileSync(join(screens, name), "utf8");
    const routes = [...text.matchAll(/\bcreateRoute\(\{.*?\bpath: "([^"]+)".*?\bimport\("\.\/([^"]+)"\)/gs)];
    if (routes.length !== text.split(/\bcreateRoute\(/).length - 1)
      throw new Error(`${name}: a route lacks its screen`);
    const sourceOf = (screen) => join("src", "screens", dirname(name), screen).replaceAll("\\", "/");
    return routes.map(([, path, screen]) => ({ path, source: sourceOf(screen) }));
  });
}

/** Builds the packages whose sources differ from those of the last build. */
export async function buildPackages(root) {
  for (const [name, { reads, docs, options, isPublished, routes }] of Object.entries(packages)) {
    const folder = join(root, "packages", name);
    if (!existsSync(join(folder, "src"))) continue;
    const inTarball = isPublished ? packageFiles(folder) : [];
    const pages = docs ? pagesIn(root, docs) : [];
    const wanted = hashOf(root, [`packages/${name}/src`, ...reads, ...inTarball, ...pages]);
    const dist = join(folder, "dist");
    if (isBuilt(dist, wanted)) continue;
    const started = Date.now();
    // Built next to the folder, which is replaced at the end: a service that serves these files never finds half a
    // build.
    const fresh = join(folder, `dist.${process.pid}`);
    // Bundlers warn of packages whose files name a source map that they do not have; the service names it in a header.
    const sourcemap = isPublished ? "external" : "linked";
    const files = await build(
      folder,
      fresh,
      options.map((one) => ({ sourcemap, ...one })),
    );
    if (routes) addPaths(files, routes(folder));
    if (docs) writePages(root, pages, fresh);
    if (isPublished) Object.assign(files, packTarball(folder, fresh));
    writeFileSync(join(fresh, "files.json"), JSON.stringify(files, null, 1));
    writeFileSync(join(fresh, ".built"), wanted);
    rmSync(dist, { recursive: true, force: true });
    try {
      renameSync(fresh, dist);
    } catch (error) {
      // Two set-ups at the same time make the same build: the slower one finds that of the other.
      if (!isBuilt(dist, wanted)) throw error;
      rmSync(fresh, { recursive: true, force: true });
    }
    console.error(`Tidings: ${name} built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
}

/** The pages of a folder, without those in its folders. */
function pagesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md") && name !== "README.md");
  return names.sort().map((name) => `${folder}/${name}`);
}

/** The pages as one file: their name, the title from their first heading, their text. */
function writePages(root, pages, outdir) {
  const documents = pages.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const name = basename(path, ".md");
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
  });
  writeFileSync(join(outdir, "docs.json"), JSON.stringify(documents));
}

/** Adds the paths of routes to the files of their screens. */
function addPaths(files, routes) {
  for (const file of Object.values(files)) {
    const paths = routes.filter(({ source }) => source === file.entryPoint).map(({ path }) => path);
    if (paths.length > 0) file.paths = paths;
  }
}

function isBuilt(dist, wanted) {
  const marker = join(dist, ".built");
  return existsSync(marker) && readFileSync(marker, "utf8") === wanted;
}

/**
 * Returns the files of the build with their sizes, entry points and the files they import at once. Text for browsers is
 * compressed here, once, and written next to the file; 0 stands for a file that is not compressed.
 */
async function build(folder, outdir, options) {
  const esbuild = await import("esbuild");
  const files = {};
  const inputs = new Set();
  for (const { entryPoints, ...rest } of options) {
    const { metafile } = await esbuild.build({
      absWorkingDir: folder,
      entryPoints,
      outdir,
      bundle: true,
      minify: true,
      target: browsers,
      metafile: true,
      logLevel: "error",
      ...rest,
    });
    for (const input of Object.keys(metafile.inputs)) inputs.add(input);
    const entries = new Set(Object.values(entryPoints));
    for (const { entryPoint, cssBundle } of Object.values(metafile.outputs)) {
      if (!cssBundle || entries.has(entryPoint)) continue;
      for (const path of [cssBundle, `${cssBundle}.map`]) {
        rmSync(join(folder, path), { force: true });
        delete metafile.outputs[path];
      }
    }
    for (const [path, { bytes, entryPoint, imports, cssBundle }] of Object.entries(metafile.outputs)) {
      const nameOf = (file) => file.slice(file.indexOf(`dist.${process.pid}/`) + `dist.${process.pid}/`.length);
      const atOnce = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
      const isText = rest.platform === undefined && /\.(js|css)$/.test(path);
      files[nameOf(path)] = {
        bytes,
        ...(isText ? compressFile(join(folder, path)) : { gzip: 0, brotli: 0 }),
        ...(entryPoint && { entryPoint }),
        ...(metafile.outputs[cssBundle] && { css: nameOf(cssBundle) }),
        imports: atOnce.map((item) => nameOf(item.path)),
      };
    }
  }
  const notices = noticesOf(folder, inputs);
  if (notices) {
    writeFileSync(join(outdir, "NOTICE.txt"), notices);
    files["NOTICE.txt"] = { bytes: Buffer.byteLength(notices), gzip: 0, brotli: 0, imports: [] };
  }
  return files;
}

/**
 * Writes the compressed forms next to the file and returns their sizes. Brotli is a tenth smaller; browsers accept it
 * over HTTPS only.
 */
function compressFile(path) {
  const text = readFileSync(path);
  const gzip = gzipSync(text, { level: 9 });
  // The slowest quality, a tenth smaller, for the small files of the widget alone: the dashboard would take seconds.
  const quality = text.length > 60_000 ? 9 : 11;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  const brotli = brotliCompressSync(text, { params });
  writeFileSync(`${path}.gz`, gzip);
  writeFileSync(`${path}.br`, brotli);
  return { gzip: gzip.length, brotli: brotli.length };
}

/** What a build depends on in addition to its sources. */
const buildFiles = [
  "package-lock.json",
  "tsconfig.json",
  "scripts/build.mjs",
  "scripts/build-package.mjs",
  "scripts/build-server.mjs",
  "scripts/notices.mjs",
];

function hashOf(root, paths) {
  const hash = createHash("sha256");
  for (const file of buildFiles) hash.update(readFileSync(join(root, file)));
  for (const path of paths) {
    for (const name of filesIn(join(root, path))) hash.update(name.slice(root.length)).update(readFileSync(name));
  }
  return hash.digest("hex");
}
