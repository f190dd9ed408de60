export { type CedarEntity, type CedarOptions, type CedarUid, cedarPolicy } from "../integrations/cedar.ts";
