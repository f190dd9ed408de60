import { checkPackage } from "../base/platform/peer-packages.ts";

export { type FleetMetricsOptions, fleetMetrics } from "../integrations/otel/fleet-metrics.ts";
export { type OtelOptions, otel } from "../integrations/otel/otel.ts";
export { traceMeta } from "../integrations/otel/trace-carrier.ts";

checkPackage("@opentelemetry/api", "haft/otel needs");
