import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that took longest in whole runs on two cores. One that began last would keep the others waiting for it. */
const longest = [
  "test/kill/sqlite.test.ts",
  "src/ledger/postgres/ledger.test.ts",
  "src/ledger/postgres/durable-ledger.test.ts",
  "test/fleet/campaign.test.ts",
  "src/fleet/fleet.test.ts",
  "test/gateways/gateways.test.ts",
  "test/takeover/postgres.test.ts",
  "test/takeover/sqlite.test.ts",
  "test/fleet/limits.test.ts",
  "test/fleet/pools.test.ts",
  "test/kill/sqlite-loops.test.ts",
  "test/kill/postgres.test.ts",
  "test/sim/sim.test.ts",
  "test/garbage/supervised.test.ts",
  "test/garbage/garbage.test.ts",
  "src/mcp/client/session/connect/connect.test.ts",
  "test/cli/ledger-process.test.ts",
  "src/ledger/postgres/chains.test.ts",
  "src/ledger/postgres/pgbouncer.test.ts",
  "src/ledger/postgres/oldest-version.test.ts",
];

/**
 * The longest first, then the other files that have a worker to themselves, then those that share workers: these are
 * short, and a worker is kept for the next of them only as long as no other file comes in between.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number => {
      const found = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      if (found >= 0) return found;
      return project.config.isolate ? longest.length : longest.length + 1;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
