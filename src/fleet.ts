export type { FleetOptions } from "./fleet/connect.ts";
export { fleet } from "./fleet/fleet.ts";
export { type FleetServicesOptions, fleetServices } from "./fleet/fleet-services.ts";
export { openPool, type Pool, type PoolOptions } from "./fleet/pool/open-pool.ts";
export { remote } from "./fleet/remote.ts";
export { openWorker, type Worker } from "./fleet/worker.ts";
export type { WorkerOptions, WorkerRunOptions } from "./fleet/worker-options.ts";
export type {
  Fleet,
  FleetEvent,
  FleetOverview,
  FleetRuns,
  FleetWorker,
  MeasuredWorker,
  RestingRun,
  RunPriority,
  SubmitOptions,
  SubmittedRun,
  WaitOptions,
  WorkerHealth,
} from "./words/fleet.ts";
