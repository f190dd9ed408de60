import { ToolDefinitionError } from "../../../types/errors.ts";

const locationText = (pointer: string): string => (pointer === "" ? "at the root" : `at ${pointer}`);

/** Ends the definition: the schema is malformed, or means something that cannot be judged faithfully. */
export const refuseSchema = (pointer: string, why: string): never => {
  throw new ToolDefinitionError("refused_schema", `The schema is refused ${locationText(pointer)}: ${why}.`, {
    issues: [{ pointer, message: why }],
  });
};

export const refuseComplexity = (pointer: string, why: string): never => {
  throw new ToolDefinitionError(
    "schema_too_complex",
    `The schema is too complex ${locationText(pointer)}: ${why}.`,
    {
      issues: [{ pointer, message: why }],
    },
  );
};
