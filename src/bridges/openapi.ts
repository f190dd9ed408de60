/** OpenAPI documents as tools: every operation an HTTP request that goes down the corridor. */
export type { OperationOverride } from "./openapi/about-operation.ts";
export {
  fromOpenApi,
  type OpenApiOptions,
  type OpenApiRequest,
  type OpenApiTools,
} from "./openapi/from-openapi.ts";
export type { OpenApiLoss } from "./openapi/losses.ts";
export type { OpenApiSource } from "./openapi/openapi-source.ts";
export type { OpenApiOperation } from "./openapi/operation.ts";
export type { OpenApiOverride } from "./openapi/override.ts";
export type { OpenApiAuth, OpenApiCredential } from "./openapi/security.ts";
export type { OpenApiSelect, OpenApiSelection } from "./openapi/select.ts";
