// `--debug`: a line for each request, on the standard error. Neither keys nor bodies are shown.
import type { Io } from "./io.ts";
import { plainText } from "./output.ts";

export function traceRequests({ stderr }: Pick<Io, "stderr">): typeof globalThis.fetch {
  return async (input, init) => {
    const started = performance.now();
    const told = (outcome: string) =>
      stderr.write(
        `${plainText(`${init?.method ?? "GET"} ${String(input)} ${outcome}`)} in ${Math.round(performance.now() - started)} ms\n`,
      );
    try {
      const response = await fetch(input, init);
      told(String(response.status));
      return response;
    } catch (error) {
      told(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
}
