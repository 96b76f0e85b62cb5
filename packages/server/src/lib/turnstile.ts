// Places for work that shares something scarce, such as connections to the database. An owner (an environment) has only
// some of the places at once, and owners that wait for one take turns, so a flood of one owner's work makes that owner wait
// and leaves the others their places. Waiting has an end, in number and in time.

export class Crowded extends Error {}

export type TurnstileLimits = {
  /** Places in all, and for one owner. */
  total: number;
  perOwner: number;
  /** Work of one owner that may wait, and for how long. */
  waitingPerOwner: number;
  waitMs: number;
};

export type Turnstile = {
  /** Resolves to the way out when there is a place; rejects with Crowded when too much waits already, or for too long. */
  enter(owner: string): Promise<() => void>;
};

type Owner = { inside: number; waiting: (() => void)[] };

export function createTurnstile({ total, perOwner, waitingPerOwner, waitMs }: TurnstileLimits): Turnstile {
  // In the order in which waiting owners get their turns.
  const owners = new Map<string, Owner>();
  let inside = 0;

  const hasPlace = (owner: Owner) => inside < total && owner.inside < perOwner;

  const letIn = (name: string, owner: Owner): (() => void) => {
    inside++;
    owner.inside++;
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      inside--;
      owner.inside--;
      if (owner.inside === 0 && owner.waiting.length === 0) owners.delete(name);
      admitNext();
    };
  };

  const admitNext = (): void => {
    for (const [name, owner] of owners) {
      if (owner.waiting.length === 0 || !hasPlace(owner)) continue;
      // Its next turn comes behind the others.
      owners.delete(name);
      owners.set(name, owner);
      owner.waiting.shift()!();
      return;
    }
  };

  return {
    async enter(name) {
      const owner = owners.get(name) ?? { inside: 0, waiting: [] };
      owners.set(name, owner);
      if (hasPlace(owner) && owner.waiting.length === 0) return letIn(name, owner);
      if (owner.waiting.length >= waitingPerOwner) throw new Crowded("too much is waiting");
      return new Promise((resolve, reject) => {
        const admit = () => {
          clearTimeout(timer);
          resolve(letIn(name, owner));
        };
        const timer = setTimeout(() => {
          owner.waiting.splice(owner.waiting.indexOf(admit), 1);
          if (owner.inside === 0 && owner.waiting.length === 0) owners.delete(name);
          reject(new Crowded("waited too long"));
        }, waitMs);
        owner.waiting.push(admit);
      });
    },
  };
}
