import type { FleetOverview } from "../../../types/fleet.ts";
import { integerType, objectTypeOf, stringListType, stringType, type ValueOf } from "./schema-builders.ts";

export const experimentLineSchema = objectTypeOf({
  id: stringType,
  file: stringType,
  agent: stringType,
  startedAt: stringType,
  verdict: stringType,
  arms: stringListType,
  runs: integerType,
});
/** A result file of `haft ab --json`. */
export interface ExperimentLine extends ValueOf<typeof experimentLineSchema> {}

/** State of the fleet on the same database. */
export type FleetView = FleetOverview;
