export { type FleetServicesOptions, fleetServices } from "./fleet/fleet-services.ts";
