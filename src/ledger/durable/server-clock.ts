import type { Script } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";

export interface ServerClock {
  readonly measure: () => Script<void>;
  readonly toServerTime: (at: number) => number;
}

/** The query itself takes time. */
const toleranceMs = 1_000;

/** Without a server, local time is used. */
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
