import type { Script } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";

/** How far the clock of the server is ahead of this process's. */
export interface ServerClock {
  /** Asks the server for its time: at open and with each heartbeat. */
  readonly measure: () => Script<void>;
  /** A time of this process's clock, as the server's clock would say it. */
  readonly toServerTime: (at: number) => number;
}

/** Less than this is no difference: the question itself takes its time. */
const toleranceMs = 1_000;

/** Without a server, the clock of this process is the one that counts. */
export const createServerClock = ({ serverSeconds }: SqlDialect, now: () => number): ServerClock => {
  let aheadMs = 0;
  return {
    *measure() {
      if (serverSeconds === undefined) return;
      const before = now();
      const [row] = yield { sql: `SELECT ${serverSeconds} AS seconds`, values: [] };
      const after = now();
      if (Math.abs(after - before) > toleranceMs) return;
      const difference = Number(row?.seconds) * 1_000 - (before + after) / 2;
      aheadMs = Math.abs(difference) > toleranceMs ? Math.round(difference) : 0;
    },
    toServerTime: (at) => at + aheadMs,
  };
};
