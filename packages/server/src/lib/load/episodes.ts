// Something that happens many times in one outage is logged twice: when it begins, and with a count when it is over.

type Episode = { count: number; ms: number };

export type Episodes<Kind extends string> = {
  note(kind: Kind, error: unknown): void;
  /** The kinds that are not over. */
  current(): Kind[];
  close(): void;
};

type EpisodeOptions<Kind> = {
  now(): number;
  /** How long a kind must not happen before its episode can be over. */
  quietMs: Record<Kind & string, number>;
  /** Asked then; while it returns false, the episode continues. */
  isOver(kind: Kind): Promise<boolean>;
  onBegin(kind: Kind, error: unknown): void;
  onEnd(kind: Kind, episode: Episode): void;
};

export function createEpisodes<Kind extends string>(options: EpisodeOptions<Kind>): Episodes<Kind> {
  const { now, quietMs, isOver, onBegin, onEnd } = options;
  const running = new Map<Kind, { startedAt: number; count: number; timer: NodeJS.Timeout }>();

  const waitForQuiet = (kind: Kind): NodeJS.Timeout => setTimeout(() => void endIfOver(kind), quietMs[kind]).unref();

  const endIfOver = async (kind: Kind): Promise<void> => {
    const countBefore = running.get(kind)?.count;
    const isDone = await isOver(kind).catch(() => false);
    const episode = running.get(kind);
    // Closed, or it has happened again, which has begun another wait.
    if (!episode || episode.count !== countBefore) return;
    if (!isDone) {
      episode.timer = waitForQuiet(kind);
      return;
    }
    running.delete(kind);
    onEnd(kind, { count: episode.count, ms: now() - episode.startedAt });
  };

  return {
    note(kind, error) {
      const episode = running.get(kind);
      if (!episode) {
        running.set(kind, { startedAt: now(), count: 1, timer: waitForQuiet(kind) });
        onBegin(kind, error);
        return;
      }
      episode.count++;
      clearTimeout(episode.timer);
      episode.timer = waitForQuiet(kind);
    },
    current: () => [...running.keys()],
    close() {
      for (const { timer } of running.values()) clearTimeout(timer);
      running.clear();
    },
  };
}
