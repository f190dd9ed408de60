export { type OtelOptions, otel } from "./otel/otel.ts";
export { traceMeta } from "./otel/trace-carrier.ts";
