import { ApiRefusal } from "./refused.ts";
import type { Visit } from "./visit.ts";
import type { FleetView } from "./words/experiments.ts";

/** Workers, queues and rates, as the database has them. */
export const showFleet = async ({ world }: Visit): Promise<FleetView> => {
  const { fleet } = world.options;
  if (fleet === undefined) throw noFleet("This Studio has no fleet: it needs a ledger in PostgreSQL.");
  return await world.remember("fleet", 1_000, fleet).catch((error: unknown) => {
    throw noFleet(world.redactor.text(error instanceof Error ? error.message : String(error)));
  });
};

const noFleet = (why: string): ApiRefusal => new ApiRefusal(404, "no_fleet", why);
