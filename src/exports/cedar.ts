export type { CedarEntity, CedarUid } from "../integrations/cedar/entities.ts";
export { type CedarOptions, cedarPolicy } from "../integrations/cedar.ts";
