// Limits on concurrent work in this process, by owner (an environment), so that a flood of one owner's work delays or
// refuses that owner's work alone. `createOwnerLimit` refuses at once; `createFairSemaphore` queues, for work that
// shares something scarce such as database connections.

export type OwnerLimit = {
  /** Returns the function that releases the slot, or null when the owner has all its slots in use. */
  tryAcquire(owner: string): (() => void) | null;
};

export function createOwnerLimit(perOwner: number): OwnerLimit {
  const inUse = new Map<string, number>();

  const release = (owner: string): void => {
    const left = (inUse.get(owner) ?? 0) - 1;
    if (left > 0) inUse.set(owner, left);
    else inUse.delete(owner);
  };

  return {
    tryAcquire(owner) {
      const count = inUse.get(owner) ?? 0;
      if (count >= perOwner) return null;
      inUse.set(owner, count + 1);
      return () => release(owner);
    },
  };
}

export class SemaphoreFullError extends Error {}

export type FairSemaphoreLimits = {
  /** Slots in all, and for one owner. Both may change. */
  readonly total: number;
  readonly perOwner: number;
  /** Work of one owner that may wait for a slot, and for how long. */
  waitingPerOwner: number;
  waitMs: number;
};

export type FairSemaphore = {
  /**
   * Resolves to the function that releases the slot. Waiting owners get slots in round-robin order. Rejects with
   * SemaphoreFullError when too much work of this owner waits, or when this work has waited for too long.
   */
  acquire(owner: string): Promise<() => void>;
};

type Owner = { active: number; waiting: (() => void)[] };

export function createFairSemaphore(limits: FairSemaphoreLimits): FairSemaphore {
  const { waitingPerOwner, waitMs } = limits;
  // In the order in which waiting owners get the next slot.
  const owners = new Map<string, Owner>();
  let active = 0;

  const hasSlot = (owner: Owner) => active < limits.total && owner.active < limits.perOwner;

  const forgetIdle = (name: string, owner: Owner) => {
    if (owner.active === 0 && owner.waiting.length === 0) owners.delete(name);
  };

  const takeSlot = (name: string, owner: Owner): (() => void) => {
    active++;
    owner.active++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      active--;
      owner.active--;
      forgetIdle(name, owner);
      admitNext();
    };
  };

  /** Returns whether there was one to admit. */
  const admitOne = (): boolean => {
    for (const [name, owner] of owners) {
      if (owner.waiting.length === 0 || !hasSlot(owner)) continue;
      // Round robin: this owner moves behind the others.
      owners.delete(name);
      owners.set(name, owner);
      owner.waiting.shift()!();
      return true;
    }
    return false;
  };
  const admitNext = (): void => {
    while (admitOne());
  };

  return {
    async acquire(name) {
      const owner = owners.get(name) ?? { active: 0, waiting: [] };
      owners.set(name, owner);
      if (hasSlot(owner) && owner.waiting.length === 0) return takeSlot(name, owner);
      if (owner.waiting.length >= waitingPerOwner) throw new SemaphoreFullError("too much work is waiting");
      return new Promise((resolve, reject) => {
        const admit = () => {
          clearTimeout(timer);
          resolve(takeSlot(name, owner));
        };
        const timer = setTimeout(() => {
          owner.waiting.splice(owner.waiting.indexOf(admit), 1);
          forgetIdle(name, owner);
          reject(new SemaphoreFullError("waited too long"));
        }, waitMs);
        owner.waiting.push(admit);
      });
    },
  };
}
