import { LinkedList, type ListLink } from "./timer.ts";

export interface Waiter extends ListLink<Waiter> {
  readonly lane: string;
  readonly admit: () => void;
  readonly refuse: () => void;
}

class Lane implements ListLink<Lane> {
  before: Lane | undefined = undefined;
  after: Lane | undefined = undefined;
  linked = false;
  readonly waiters = new LinkedList<Waiter>();
}

/** Serves lanes round-robin, so that a long lane does not block a short one. */
export class FairQueue {
  readonly #lanes = new Map<string, Lane>();
  readonly #turns = new LinkedList<Lane>();
  size = 0;

  push(waiter: Waiter): void {
    let lane = this.#lanes.get(waiter.lane);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(waiter.lane, lane);
      this.#turns.push(lane);
    }
    lane.waiters.push(waiter);
    this.size++;
  }

  shift(): Waiter | undefined {
    const lane = this.#turns.first;
    const waiter = lane?.waiters.first;
    if (lane === undefined || waiter === undefined) return undefined;
    this.remove(waiter);
    if (this.#turns.remove(lane)) this.#turns.push(lane);
    return waiter;
  }

  remove(waiter: Waiter): void {
    const lane = this.#lanes.get(waiter.lane);
    if (!lane?.waiters.remove(waiter)) return;
    this.size--;
    if (lane.waiters.size === 0) {
      this.#lanes.delete(waiter.lane);
      this.#turns.remove(lane);
    }
  }

  /** The last waiter of the longest lane, if that lane is longer than `lane` would be with one more. */
  lastOfLongest(lane: string): Waiter | undefined {
    let longest: Lane | undefined;
    for (const each of this.#lanes.values()) {
      if (longest === undefined || each.waiters.size > longest.waiters.size) longest = each;
    }
    const own = this.#lanes.get(lane)?.waiters.size ?? 0;
    return longest !== undefined && longest.waiters.size > own + 1 ? longest.waiters.last : undefined;
  }
}
