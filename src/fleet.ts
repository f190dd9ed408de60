export type { FleetOptions } from "./fleet/connect.ts";
export { fleet } from "./fleet/fleet.ts";
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
