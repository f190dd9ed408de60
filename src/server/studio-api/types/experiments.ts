import type { FleetOverview } from "../../../types/fleet.ts";

/** A result file of `haft ab --json`. */
export interface ExperimentLine {
  readonly id: string;
  readonly file: string;
  readonly agent: string;
  readonly startedAt: string;
  readonly verdict: string;
  readonly arms: readonly string[];
  readonly runs: number;
}

/** State of the fleet on the same database. */
export type FleetView = FleetOverview;
