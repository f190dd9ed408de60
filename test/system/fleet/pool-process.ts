import { openPool } from "../../../src/exports/fleet.ts";
import { Haft, type HaftOptions } from "../../../src/exports/index.ts";
import { poolTools } from "./pool-tools.ts";

/**
 * A process of the pool "gpu" that reports what its code does. A call with `hold` runs until it is cancelled.
 */
const [url, given] = process.argv.slice(2) as [string, string];
const { policy, description, holds } = JSON.parse(given) as {
  readonly policy?: HaftOptions["policy"];
  readonly description?: string;
  readonly holds?: boolean;
};
const haft = await Haft.open({
  ledger: url,
  credentials: { values: { card: "card-4242-4242" } },
  ...(policy === undefined ? {} : { policy }),
});
const tools = poolTools(async ({ id, hold }, signal) => {
  process.send?.({ effect: id });
  if (hold === true && holds === true) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    process.send?.({ stopped: id });
  }
  return { drawn: id, by: process.pid, with: "card-4242-4242" };
}, description);
const { name } = await openPool(haft, { pool: "gpu", tools });
process.send?.({ ready: name });
