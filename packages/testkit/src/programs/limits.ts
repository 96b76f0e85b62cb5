// Waiting with a limit, for scripts and benchmarks: a test waits with `eventually`.

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again; a failed question is a no. Returns whether it became true. */
export async function becomes(isTrue: () => Promise<boolean> | boolean, limitMs: number, everyMs = 250) {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (await Promise.resolve(isTrue()).catch(() => false)) return true;
    if (performance.now() > deadline) return false;
    await sleep(everyMs);
  }
}

/** Fails if the work takes longer. The work itself continues. */
export async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs / 1_000} s`)), limitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
