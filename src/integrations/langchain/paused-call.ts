import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import { isPausedCallAnswer, type PausedCallAnswer, toPausedCallRequest } from "../session-tools.ts";

/** The config of a tool inside a graph. */
export interface GraphConfig {
  /** LangGraph's own, or a record of them where the graph names its interrupts. */
  readonly interrupt?: unknown;
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** What each execution of a node was resumed with so far: of the calls of one node, whichever asks first is told all. */
const resumeValuesByNode = new WeakMap<object, unknown[]>();

/** Only a graph can pause, and only with a checkpointer. */
export const canPause = ({ interrupt, configurable }: GraphConfig): boolean =>
  interrupt !== undefined && Boolean(configurable?.__pregel_checkpointer);

/** Pauses the graph by throwing, or returns the next value that it was resumed with. */
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

/** The answer to this question, each but once. Pauses the graph where there is none among what it was resumed with. */
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
