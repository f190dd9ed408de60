import { ToolDefinitionError } from "../../../types/errors.ts";

const locationText = (pointer: string): string => (pointer === "" ? "at the root" : `at ${pointer}`);

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
