export type { FleetOptions } from "../fleet/connect-fleet.ts";
export { fleet } from "../fleet/fleet.ts";
export { type FleetServicesOptions, fleetServices } from "../fleet/fleet-services.ts";
export { openWorker, type Worker } from "../fleet/open-worker.ts";
export type { WorkerOptions, WorkerRunOptions } from "../fleet/worker-options.ts";
export type {
  Fleet,
  FleetEvent,
  FleetOverview,
  FleetRuns,
  FleetWorker,
  InactiveRun,
  RunPriority,
  SubmitOptions,
  SubmittedRun,
  WaitOptions,
  WorkerHealth,
  WorkerMetrics,
} from "../types/fleet.ts";
