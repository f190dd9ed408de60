import { HttpError } from "../request/http-error.ts";
import type { ApiContext } from "./api-context.ts";
import type { FleetView } from "./schemas/experiments.ts";

export const showFleet = async ({ studio }: ApiContext): Promise<FleetView> => {
  const { fleet } = studio.options;
  if (fleet === undefined) throw noFleetError("This Studio has no fleet. A fleet needs a PostgreSQL ledger.");
  return await studio.remember("fleet", 1_000, fleet).catch((error: unknown) => {
    throw noFleetError(studio.redactor.text(error instanceof Error ? error.message : String(error)));
  });
};

const noFleetError = (why: string): HttpError => new HttpError(404, "no_fleet", why);
