import { isObject } from "../../../json/is-object.ts";
import type { JsonSchema } from "../../../words/json.ts";
import type { Answer } from "../operation.ts";
import type { SchemaDraft } from "./schemas.ts";

/** Any of the good answers. */
export const outputSchema = (draft: SchemaDraft, answers: readonly Answer[]): JsonSchema => {
  const made = answers.map(({ schema, pointer }) => draft.convert(schema, pointer));
  const [only] = made;
  const root: JsonSchema = made.length === 1 && isObject(only) ? only : { anyOf: made };
  return draft.finish(root);
};
