import { textOf } from "../../../src/types/content.ts";
import type { LedgerStore } from "../../../src/types/ledger.ts";
import type { RunStore } from "../../../src/types/run-store.ts";
import type { Scheduler } from "./scheduler.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export type StoreKind = "memory" | "sqlite";

/** Makes a store break a promise, to prove that a history notices. */
export type Mutation = (store: LedgerStore) => LedgerStore;

/** One store that several runtimes have, each by a connection of its own. */
export interface SharedStore {
  readonly connect: (actor: string, clock: VirtualClock) => Promise<LedgerStore>;
  /** What others believe of a runtime, true or not. Nothing where a store does not ask who lives. */
  readonly pretend: (actor: string, isAlive: boolean) => void;
  /** Sentences about writes that should have been refused. */
  readonly wrongWrites: readonly string[];
  /** Whether an entry stays open because its runtime was killed, and this store does not ask who lives. */
  readonly isLeftOpen: (entryId: string) => boolean;
  /** How often a run ended for good, by what the store accepted. */
  readonly endings: (runId: string) => number;
  /** Whether the record is whole, where the store can tell. */
  readonly verify: () => Promise<string | undefined>;
  /** Lets go of everything, whoever was killed included. */
  readonly dissolve: () => Promise<void>;
}

export interface StoreOptions {
  readonly scheduler: Scheduler;
  readonly names: Names;
  readonly mutate?: Mutation | undefined;
}

/** What ids are called in the steps of a history, so that the same history reads the same each time. */
export class Names {
  readonly runs = new Map<string, string>();
  readonly #others = new Map<string, string>();

  run(runId: string): string {
    return this.runs.get(runId) ?? "a run";
  }
  /** Questions are numbered as they come up. */
  question(id: string): string {
    const name = this.#others.get(id) ?? `q${this.#others.size + 1}`;
    this.#others.set(id, name);
    return name;
  }
}

/** Learns which run is which, from the first words of its conversation or from its session. */
export const withNames = (runs: RunStore, names: Names): RunStore => ({
  ...runs,
  begin: (start) => {
    names.runs.set(start.runId, textOf(start.messages[0] ?? { content: start.principal?.session ?? "" }));
    return runs.begin(start);
  },
});
