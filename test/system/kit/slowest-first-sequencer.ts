import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files start first, so that the run does not end with one busy worker. */
const slowestFiles = [
  "kill/sqlite.test.ts",
  "studio/apps.test.ts",
  "gateways/gateways.test.ts",
  "fleet/fleet.test.ts",
  "kill/postgres.test.ts",
  "mcp-client/connect.test.ts",
  "postgres/oldest-version.test.ts",
  "postgres/pgbouncer.test.ts",
  "sim/sim.test.ts",
  "fleet/limits.test.ts",
  "fleet/campaign.test.ts",
  "kill/sqlite-loops.test.ts",
  "postgres/ledger.test.ts",
  "postgres/durable-ledger.test.ts",
  "takeover/sqlite.test.ts",
  "takeover/postgres.test.ts",
  "fleet/worker.test.ts",
];

export class SlowestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = slowestFiles.findIndex((path) => moduleId.endsWith(`/test/system/${path}`));
      return found < 0 ? slowestFiles.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
