export { type FleetServicesOptions, fleetServices } from "./fleet/fleet-services.ts";
export { openPool, type Pool, type PoolOptions } from "./fleet/pool/open-pool.ts";
export { remote } from "./fleet/remote.ts";
