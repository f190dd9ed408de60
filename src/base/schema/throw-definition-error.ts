import { ToolDefinitionError } from "../../types/errors.ts";
import type { FailureCode } from "../../types/failures.ts";

export const acceptedForms =
  "Accepted are: a zod, valibot, arktype or Effect schema; any other Standard Schema with Standard JSON Schema; " +
  'a JSON Schema ({ type: "object", properties: { … } }); a parameter list ([{ name, type, description, required }]); ' +
  'or bare properties ({ city: { type: "string" }, required: ["city"] }).';

export const throwDefinitionError = (
  message: string,
  code: FailureCode = "refused_schema",
  cause?: unknown,
): never => {
  throw new ToolDefinitionError(code, message, cause === undefined ? {} : { cause });
};
