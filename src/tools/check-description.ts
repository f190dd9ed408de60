import { ToolDefinitionError } from "../types/errors.ts";

/** Models read these, people do not see them. */
const hiddenCharacters = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

/** A reviewer must see what the model reads. */
export const checkDescription = (description: unknown, name: string): void => {
  if (typeof description !== "string" || description.trim() === "") {
    throw new ToolDefinitionError(
      "invalid_definition",
      `The tool "${name}" needs a description: one or two sentences by which a model decides when to use it.`,
      { tool: name },
    );
  }
  const found = hiddenCharacters.exec(description);
  if (found === null) return;
  const code = (found[0].codePointAt(0) as number).toString(16).toUpperCase();
  throw new ToolDefinitionError(
    "invalid_definition",
    `The description of "${name}" contains the invisible character U+${code} at position ${found.index}: a model would read what a person cannot see. Remove it.`,
    { tool: name },
  );
};
