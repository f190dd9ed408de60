import type { FleetOverview } from "../../../types/fleet.ts";
import { integerType, objectTypeOf, stringListType, stringType, type ValueOf } from "./schema-builders.ts";

export const experimentListItemSchema = objectTypeOf({
  id: stringType,
  file: stringType,
  agent: stringType,
  startedAt: stringType,
  verdict: stringType,
  arms: stringListType,
  runs: integerType,
});
/** A result file of `haft ab --json`. */
export interface ExperimentListItem extends ValueOf<typeof experimentListItemSchema> {}

/** State of the fleet on the same database. */
export type FleetView = FleetOverview;
