// The progress of a long run, on stderr: stdout is for its result.

const begun = performance.now();

/** With the minutes and seconds since the start of the run. */
export function progress(message: string): void {
  const seconds = Math.floor((performance.now() - begun) / 1000);
  console.error(`  ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}  ${message}`);
}
