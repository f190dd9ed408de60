import { isObject } from "../../../base/json/is-object.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { OpenApiResponse } from "../operation.ts";
import type { SchemaDraft } from "./document-schemas.ts";

export const operationOutputSchema = (
  draft: SchemaDraft,
  answers: readonly OpenApiResponse[],
): JsonSchema => {
  const made = answers.map(({ schema, pointer }) => draft.convert(schema, pointer));
  const [only] = made;
  const root: JsonSchema = made.length === 1 && isObject(only) ? only : { anyOf: made };
  return draft.finish(root);
};
