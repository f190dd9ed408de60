import type { ModelRequest, ModelSettings } from "../../types/model.ts";

/** Undefined without tools, because providers refuse a choice then. */
export const chosenTool = ({ settings, tools }: ModelRequest): ModelSettings["toolChoice"] => {
  const choice = settings?.toolChoice;
  if (choice === undefined || tools.length === 0) return undefined;
  if (typeof choice === "string") return choice;
  const named =
    tools.find(({ wireName }) => wireName === choice.tool) ??
    tools.find(({ spec }) => spec.name === choice.tool);
  return named === undefined ? choice : { tool: named.wireName };
};
