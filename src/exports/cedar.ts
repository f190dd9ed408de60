export { type CedarEntity, type CedarOptions, type CedarUid, cedarPolicy } from "./policy/cedar.ts";
