import type { LedgerStore } from "../../../src/types/ledger.ts";
import { textOf } from "../../../src/types/message.ts";
import type { RunStore } from "../../../src/types/run-store.ts";
import type { Scheduler } from "./scheduler.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export type StoreKind = "memory" | "sqlite";

/** Makes a store violate an invariant, to prove that a history detects it. */
export type Mutation = (store: LedgerStore) => LedgerStore;

/** One store shared by several runtimes, each with its own connection. */
export interface SharedStore {
  readonly connect: (actor: string, clock: VirtualClock) => Promise<LedgerStore>;
  /** Sets whether others consider a runtime alive. No effect in stores without owners. */
  readonly pretend: (actor: string, isAlive: boolean) => void;
  /** Writes that should have been refused. */
  readonly wrongWrites: readonly string[];
  /** Whether an entry stays open because its runtime was killed and this store does not track owners. */
  readonly isLeftOpen: (entryId: string) => boolean;
  /** How often the store accepted a final end of a run. */
  readonly endings: (runId: string) => number;
  /** Verifies the record, if the store supports it. */
  readonly verify: () => Promise<string | undefined>;
  /** Releases everything, including resources of killed runtimes. */
  readonly dissolve: () => Promise<void>;
}

export interface StoreOptions {
  readonly scheduler: Scheduler;
  readonly names: Names;
  readonly mutate?: Mutation | undefined;
}

/** Stable names for ids, so that the same history reads the same each time. */
export class Names {
  readonly runs = new Map<string, string>();
  readonly #others = new Map<string, string>();

  run(runId: string): string {
    return this.runs.get(runId) ?? "a run";
  }
  /** Approval requests are numbered in their order. */
  question(id: string): string {
    const name = this.#others.get(id) ?? `q${this.#others.size + 1}`;
    this.#others.set(id, name);
    return name;
  }
}

/** Identifies runs by the first message of their conversation or by their session. */
export const withNames = (runs: RunStore, names: Names): RunStore => ({
  ...runs,
  begin: (start) => {
    names.runs.set(start.runId, textOf(start.messages[0] ?? { content: start.principal?.session ?? "" }));
    return runs.begin(start);
  },
});
