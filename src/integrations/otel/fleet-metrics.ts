import { type Meter, metrics } from "@opentelemetry/api";
import type { WorkerMetrics } from "../../types/fleet.ts";

/** Options of `fleetMetrics`. */
export interface FleetMetricsOptions {
  /** Default: a meter of the registered provider. */
  readonly meter?: Meter;
}

/**
 * Measures a worker and the queue of its fleet; returns a function that stops this. All workers report the
 * same queue, so do not sum the queue metrics.
 */
export const fleetMetrics = (worker: WorkerMetrics, options: FleetMetricsOptions = {}): (() => void) => {
  const meter = options.meter ?? metrics.getMeter("haft");
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description });
  const counter = (name: string, description: string) =>
    meter.createObservableCounter(name, { unit: "{run}", description });
  const running = gauge("haft.fleet.running", "{run}", "Runs that this worker is running.");
  const taken = counter("haft.fleet.taken", "Runs that this worker fetched.");
  const ended = counter("haft.fleet.ended", "Runs that this worker finished or parked.");
  const ready = gauge("haft.fleet.queue.ready", "{run}", "Queued runs.");
  const delayed = gauge("haft.fleet.queue.delayed", "{run}", "Delayed runs.");
  const oldest = gauge("haft.fleet.queue.oldest", "s", "Time since the oldest queued run was submitted.");
  const parked = gauge("haft.fleet.parked", "{run}", "Runs that are pending approval.");
  const dead = gauge("haft.fleet.dead", "{run}", "Dead-lettered runs.");
  const all = [running, taken, ended, ready, delayed, oldest, parked, dead];
  const observe: Parameters<Meter["addBatchObservableCallback"]>[0] = async (result) => {
    const health = worker.health();
    result.observe(running, health.running);
    result.observe(taken, health.taken);
    result.observe(ended, health.ended);
    const seen = await worker.look().catch(() => undefined);
    if (seen === undefined) return;
    result.observe(ready, seen.queue.ready);
    result.observe(delayed, seen.queue.delayed);
    result.observe(oldest, seen.queue.oldestSeconds);
    result.observe(parked, seen.parkedCount);
    result.observe(dead, seen.deadCount);
  };
  meter.addBatchObservableCallback(observe, all);
  return () => meter.removeBatchObservableCallback(observe, all);
};
