export { type FleetMetricsOptions, fleetMetrics } from "./otel/fleet-metrics.ts";
export { type OtelOptions, otel } from "./otel/otel.ts";
export { traceMeta } from "./otel/trace-carrier.ts";
