import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { redactor } from "../../../src/base/json/redact.ts";
import type { Database } from "../../../src/ledger/durable/database.ts";
import { createDurableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { addLocalOwner, removeLocalOwner } from "../../../src/ledger/durable/leases/check-leases.ts";
import { openSqliteDatabase } from "../../../src/ledger/sqlite-database.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import type { Scheduler } from "./scheduler.ts";
import { type SharedStore, type StoreOptions, withNames } from "./shared-store.ts";
import { SqliteAudit } from "./sqlite-audit.ts";

/** Power loss is not simulated, so the files may be in memory. */
const memoryDisk = "/dev/shm";
const makeFolder = (): string =>
  mkdtempSync(join(existsSync(memoryDisk) ? memoryDisk : tmpdir(), "haft-sim-"));

const keys = [new Uint8Array(32).fill(7)];

/** Heartbeats follow clock jumps of more than one and a half of these, never a real timer. */
const beatMs = 1_000_000_000;

/** A template file with empty tables: creating them per history would take longer than the history. */
let template: Promise<Uint8Array> | undefined;
const makeTemplate = async (): Promise<Uint8Array> => {
  const folder = makeFolder();
  try {
    const path = join(folder, "ledger.db");
    const ledger = await createDurableLedger(openSqliteDatabase({ path }), {
      redactor: redactor(),
      place: path,
      keys,
    });
    await ledger.end();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * A real file with several owners in one process. Each transaction waits for the scheduler before its
 * execution and before its reply.
 */
export const sqliteStore = ({ scheduler, names, mutate = same }: StoreOptions): SharedStore => {
  const folder = makeFolder();
  const path = join(folder, "ledger.db");
  const ledgers: DurableLedger[] = [];
  const databases: Database[] = [];
  const owners = new Map<string, string>();
  const audits: SqliteAudit[] = [];

  const auditOf = async (): Promise<SqliteAudit> => {
    if (audits[0] !== undefined) return audits[0];
    template ??= makeTemplate();
    writeFileSync(path, await template, { mode: 0o600 });
    const audit = new SqliteAudit(path, names, owners);
    audits.push(audit);
    return audit;
  };

  return {
    connect: async (actor, clock) => {
      const audit = await auditOf();
      const real = openSqliteDatabase({ path });
      databases.push(real);
      const ledger = await createDurableLedger(scheduledDatabase(real, actor, scheduler, audit), {
        redactor: redactor(),
        place: path,
        keys,
        now: clock.currentTimeMillisUnsafe,
        times: { beatMs, monotonic: clock.elapsed },
      });
      ledgers.push(ledger);
      return mutate({ ...ledger, runs: withNames(ledger.runs, names) });
    },
    pretend: (actor, isAlive) => {
      const owner = owners.get(actor);
      if (owner === undefined) return;
      if (isAlive) addLocalOwner(owner);
      else removeLocalOwner(owner);
    },
    get wrongWrites() {
      return audits.flatMap(({ wrongWrites }) => wrongWrites);
    },
    isLeftOpen: () => false,
    endings: (runId) => audits[0]?.endings(runId) ?? 0,
    verify: async () => {
      const verification = await Effect.runPromise(ledgers.at(-1)!.verify());
      return verification.ok ? undefined : (verification.broken?.why ?? verification.unproved);
    },
    dissolve: async () => {
      for (const audit of audits) audit.close();
      for (const ledger of ledgers) await ledger.end().catch(() => {});
      for (const database of databases) await database.close();
      for (const owner of owners.values()) removeLocalOwner(owner);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const scheduledDatabase = (
  real: Database,
  actor: string,
  scheduler: Scheduler,
  audit: SqliteAudit,
): Database => {
  const answered = async <A>(label: string, carryOut: () => Promise<A>, what: () => string): Promise<A> => {
    await scheduler.point(actor, label);
    const [result] = await Promise.allSettled([carryOut()]);
    await scheduler.point(actor, `${label}: answer ${what()}`.trimEnd());
    if (result.status === "rejected") throw result.reason;
    return result.value;
  };
  return {
    ...real,
    write: (script, options) => {
      let kinds = "";
      const carryOut = async () => {
        const before = audit.before();
        // Committed when it returns, within this turn of the event loop, so that no other write comes
        // between.
        const answer = await real.write(script, options);
        kinds = audit.see(actor, before);
        return answer;
      };
      return answered("a write", carryOut, () => kinds);
    },
    read: (script) =>
      answered(
        "a read",
        () => real.read(script),
        () => "",
      ),
  };
};

const same = <A>(value: A): A => value;
