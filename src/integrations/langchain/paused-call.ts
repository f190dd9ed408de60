import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import { isPausedCallAnswer, type PausedCallAnswer, toPausedCallRequest } from "../session-tools.ts";

export interface GraphConfig {
  /** LangGraph's function, or a record of functions if the graph names its interrupts. */
  readonly interrupt?: unknown;
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** The first call that interrupts receives the resume values for all calls of the node. */
const resumeValuesByNode = new WeakMap<object, unknown[]>();

/** Only a graph with a checkpointer can pause. */
export const canPause = ({ interrupt, configurable }: GraphConfig): boolean =>
  interrupt !== undefined && Boolean(configurable?.__pregel_checkpointer);

/** Pauses the graph by throwing, or returns the next resume value. */
type Interrupt = (value: unknown) => unknown;

const langGraphRequirement = "A LangChain tool that pauses its graph needs";

const loadInterrupt = async ({ interrupt }: GraphConfig): Promise<Interrupt> => {
  if (typeof interrupt === "function") return interrupt as Interrupt;
  checkPackage("@langchain/langgraph", langGraphRequirement);
  const graph = await import("@langchain/langgraph").catch(
    missingPackage("@langchain/langgraph", langGraphRequirement),
  );
  return graph.interrupt;
};

/** Consumes each answer once. */
export const answerOrPause = async (
  request: ApprovalRequest,
  config: GraphConfig,
  acceptsAnswers: boolean,
): Promise<PausedCallAnswer> => {
  const pausedCall = toPausedCallRequest(request);
  const interrupt = await loadInterrupt(config);
  const node = (config.configurable?.__pregel_scratchpad ?? {}) as object;
  const values = resumeValuesByNode.get(node) ?? [];
  resumeValuesByNode.set(node, values);
  while (true) {
    const at = values.findIndex(
      (value) => acceptsAnswers && isPausedCallAnswer(value) && value.approvalId === pausedCall.approvalId,
    );
    if (at >= 0) return values.splice(at, 1)[0] as PausedCallAnswer;
    const next = interrupt(pausedCall);
    values.push(...(Array.isArray(next) ? next : [next]));
  }
};
