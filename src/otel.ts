import { checkPackage } from "./platform/peer-packages.ts";

export { type FleetMetricsOptions, fleetMetrics } from "./otel/fleet-metrics.ts";
export { type OtelOptions, otel } from "./otel/otel.ts";
export { traceMeta } from "./otel/trace-carrier.ts";

checkPackage("@opentelemetry/api", "haft/otel needs");
