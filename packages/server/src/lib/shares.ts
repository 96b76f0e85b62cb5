// Shares: how much of something each owner may have at once, in this process.

export type Shares = {
  /** How to give it back, or null when the owner has its share already. */
  take(owner: string): (() => void) | null;
};

export function createShares(share: number): Shares {
  const taken = new Map<string, number>();

  const giveBack = (owner: string): void => {
    const left = (taken.get(owner) ?? 0) - 1;
    if (left > 0) taken.set(owner, left);
    else taken.delete(owner);
  };

  return {
    take(owner) {
      const count = taken.get(owner) ?? 0;
      if (count >= share) return null;
      taken.set(owner, count + 1);
      return () => giveBack(owner);
    },
  };
}
