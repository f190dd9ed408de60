import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { redactor } from "../../../src/base/json/redact.ts";
import { memoryLedger } from "../../../src/ledger/memory.ts";
import type { ApprovalStore } from "../../../src/types/approval.ts";
import type { LedgerError } from "../../../src/types/errors.ts";
import type { LedgerStore } from "../../../src/types/ledger.ts";
import type { RunStore } from "../../../src/types/run-store.ts";
import { ClaimAudit } from "./claim-audit.ts";
import { type SharedStore, type StoreOptions, withNames } from "./shared-store.ts";

/**
 * A shared ledger in memory. Each operation waits for the scheduler before its execution and before its
 * reply.
 */
export const memoryStore = ({ scheduler, names, mutate = same }: StoreOptions): SharedStore => {
  const real = memoryLedger({ redactor: redactor(), warn: () => {} });
  const audit = new ClaimAudit(names);
  const broken = mutate(real);

  const connect = (actor: string): LedgerStore => {
    const scheduled =
      <Given extends readonly never[], A>(
        name: string,
        operation: (...given: Given) => Effect.Effect<A, LedgerError>,
      ) =>
      (...given: Given): Effect.Effect<A, LedgerError> =>
        Effect.callback<A, LedgerError>((resume) => {
          const label = `${name} ${audit.describe(name, given)}`.trimEnd();
          const carryOut = async (): Promise<void> => {
            await scheduler.point(actor, label);
            const exit = await Effect.runPromiseExit(operation(...given));
            audit.see(actor, name, given, exit);
            const came = Exit.isSuccess(exit) ? "" : " (refused)";
            await scheduler.point(actor, `${label}: answer${came}`);
            resume(exit);
          };
          // A runtime whose history is over gets no reply.
          carryOut().catch(() => {});
        });
    const scheduleStore = <Book extends object>(prefix: string, of: Book): Book =>
      Object.fromEntries(
        Object.entries(of).map(([name, value]) => [
          name,
          typeof value === "function" && name !== "watch"
            ? scheduled(`${prefix}.${name}`, value as never)
            : value,
        ]),
      ) as Book;
    const { open, close, entries, reserve, recall, alsoMask } = broken as typeof real;
    return {
      alsoMask,
      ...scheduleStore("ledger", { open, close, entries, reserve, recall }),
      approvals: scheduleStore<ApprovalStore>("approvals", broken.approvals!),
      runs: withNames(scheduleStore<RunStore>("runs", broken.runs!), names),
    };
  };

  return {
    connect: async (actor) => connect(actor),
    pretend: () => {},
    wrongWrites: audit.wrongWrites,
    isLeftOpen: (entryId) => scheduler.isDead(audit.takenBy(entryId) ?? ""),
    endings: (runId) => audit.endings(runId),
    verify: async () => undefined,
    dissolve: async () => {},
  };
};

const same = <A>(value: A): A => value;
