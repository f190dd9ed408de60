import { isObject, type JsonObject } from "../../base/json/is-object.ts";
import type { OpenApiAuth } from "../../tools/openapi/select-auth.ts";

/** Names are like `PETS_API_KEY`: environment variables unless `credentials` maps them. */
export const openApiSecretsOf = (document: JsonObject, id: string): OpenApiAuth => {
  const components = isObject(document.components) ? document.components.securitySchemes : undefined;
  const schemes = document.securityDefinitions ?? components;
  const names = Object.keys(isObject(schemes) ? schemes : {}).filter((name) => name !== "__proto__");
  return Object.fromEntries(names.map((name) => [name, { secret: toVariableName(`${id}_${name}`) }]));
};

const toVariableName = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();
