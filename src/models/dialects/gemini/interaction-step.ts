import { type Fields, textOf } from "../calls/fields.ts";

/** A step of an interaction that names a tool. Google's own searches and the like name none: no calls. */
export interface InteractionStep {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly providerExecuted: boolean;
}

export const toInteractionStep = (step: Fields): InteractionStep | undefined => {
  const providerExecuted = step.type === "mcp_server_tool_call";
  if (step.type !== "function_call" && !providerExecuted) return undefined;
  return { id: textOf(step.id), tool: textOf(step.name), input: step.arguments, providerExecuted };
};

const cuts: ReadonlySet<unknown> = new Set(["incomplete", "failed", "cancelled", "budget_exceeded"]);

/** Whether an interaction in this state broke off. */
export const isCut = (status: unknown): boolean => cuts.has(status);
