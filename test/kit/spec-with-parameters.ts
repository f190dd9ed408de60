import { tool } from "../../src/tools/tool.ts";
import type { ToolSpec } from "../../src/types/tool.ts";

/** A spec with text parameters, some of which list their values. */
export const specWithParameters = (
  name: string,
  description: string,
  parameters: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, readonly string[]>> = {},
  tags: readonly string[] = [],
): ToolSpec => {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, about]) => [
      key,
      {
        type: "string",
        description: about,
        ...(values[key] === undefined ? {} : { enum: [...values[key]] }),
      },
    ]),
  );
  return tool({ name, description, input: { type: "object", properties }, tags, run: () => null }).spec;
};
