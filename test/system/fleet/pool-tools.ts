import { type AnyTool, type Implementation, tool } from "../../../src/exports/index.ts";

const input = {
  type: "object",
  properties: { id: { type: "string" }, hold: { type: "boolean" } },
  required: ["id"],
} as const;

type Code = (input: { readonly id: string; readonly hold?: boolean }, signal: AbortSignal) => unknown;

/** The same tools on both sides: with their code, or as remote. */
export const poolTools = (
  implementation: Implementation | Code,
  description = "Draws a picture",
): AnyTool[] => {
  const how =
    typeof implementation === "function"
      ? { run: (given: never, { signal }: { readonly signal: AbortSignal }) => implementation(given, signal) }
      : { implementation };
  return [
    tool({ name: "render", description, input, ...how } as never),
    tool({ name: "look", description, input, annotations: { readOnly: true }, ...how } as never),
  ];
};
