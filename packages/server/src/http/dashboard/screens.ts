// Which addresses belong to the dashboard, and which built file draws the screen of each. Both come from the
// dashboard's build, so that a new screen is a change of the dashboard alone.
import type { BuiltFiles } from "../built-files.ts";

export type Screens = {
  /** The first parts of all routes, such as `/workflows`: the dashboard itself says what does not exist below them. */
  sections: string[];
  /** The built file of the screen at a path; undefined where no route fits. */
  fileAt: (path: string) => string | undefined;
};

const partsOf = (path: string): string[] => path.split("/").slice(1);

/** A part such as `$workflowId` stands for any text. */
const isParameter = (part: string): boolean => part.startsWith("$");

export function readScreens(files: BuiltFiles): Screens {
  const routes = [...files.pages]
    .map(([path, file]) => ({ parts: partsOf(path), file }))
    // `/integrations/new` before `/integrations/$integrationId`.
    .toSorted((a, b) => a.parts.filter(isParameter).length - b.parts.filter(isParameter).length);
  return {
    sections: [...new Set(routes.map(({ parts }) => `/${parts[0]}`))],
    fileAt: (path) => {
      const asked = partsOf(path);
      const fits = (part: string, index: number) => isParameter(part) || part === asked[index];
      return routes.find(({ parts }) => parts.length === asked.length && parts.every(fits))?.file;
    },
  };
}
