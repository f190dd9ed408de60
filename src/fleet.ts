export type { FleetOptions } from "./fleet/connect.ts";
export { fleet } from "./fleet/fleet.ts";
export { openWorker, type Worker, type WorkerHealth } from "./fleet/worker.ts";
export type { WorkerOptions, WorkerRunOptions } from "./fleet/worker-options.ts";
export type {
  Fleet,
  FleetEvent,
  FleetRuns,
  RunPriority,
  SubmitOptions,
  SubmittedRun,
  WaitOptions,
} from "./words/fleet.ts";
