// What happens to one person in a replay, in the order of time. At the same moment, what was due comes before what is
// new, and some of that last; otherwise what was added first comes first.

type Entry<T> = { at: number; rank: number; order: number; action: T };

const isBefore = <T>(a: Entry<T>, b: Entry<T>): boolean => (a.at - b.at || a.rank - b.rank || a.order - b.order) < 0;

const ranks = { due: 0, new: 1, last: 2 };

export type Timeline<T> = {
  add(at: number, action: T, rank?: keyof typeof ranks): void;
  next(): { at: number; action: T } | undefined;
};

/** A heap: adding and taking are quick, whatever waits. */
export function createTimeline<T>(): Timeline<T> {
  const heap: Entry<T>[] = [];
  let order = 0;
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  return {
    add(at, action, rank = "new") {
      heap.push({ at, rank: ranks[rank], order: order++, action });
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (!isBefore(heap[index]!, heap[parent]!)) break;
        swap(index, parent);
        index = parent;
      }
    },
    next() {
      const first = heap[0];
      const last = heap.pop();
      if (!first || !last || heap.length === 0) return first;
      heap[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        if (left >= heap.length) break;
        const child = left + 1 < heap.length && isBefore(heap[left + 1]!, heap[left]!) ? left + 1 : left;
        if (!isBefore(heap[child]!, heap[index]!)) break;
        swap(index, child);
        index = child;
      }
      return first;
    },
  };
}
