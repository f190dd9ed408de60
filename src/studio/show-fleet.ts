import { ApiRefusal } from "./refused.ts";
import type { Visit } from "./visit.ts";
import type { FleetView } from "./words/experiments.ts";

/** Workers, queues and rates, as the database has them. */
export const showFleet = async ({ world }: Visit): Promise<FleetView> => {
  const { fleet } = world.options;
  if (fleet !== undefined) return await world.remember("fleet", 1_000, fleet);
  throw new ApiRefusal(
    404,
    "no_fleet",
    "This Studio has no fleet: it needs a ledger in PostgreSQL, and `fleet`.",
  );
};
