/** Tools from OpenAPI documents: each operation becomes an HTTP request through the call pipeline. */
export type { OperationOverride } from "../tools/openapi/describe-operation.ts";
export {
  fromOpenApi,
  type OpenApiOptions,
  type OpenApiRequest,
  type OpenApiTools,
} from "../tools/openapi/from-openapi.ts";
export type {
  OpenApiLoss,
  OpenApiOperation,
  OpenApiOverride,
  OpenApiSelect,
  OpenApiSelection,
} from "../tools/openapi/operation.ts";
export type { OpenApiSource } from "../tools/openapi/read-document.ts";
export type { OpenApiAuth, OpenApiCredential } from "../tools/openapi/select-auth.ts";
