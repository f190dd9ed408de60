import { isObject, type JsonObject } from "../../base/json/is-object.ts";
import type { OpenApiAuth } from "../../tools/openapi/select-auth.ts";

/** A name for the secret of each scheme, such as `PETS_API_KEY`: a variable of the environment, unless `credentials` says otherwise. */
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
