import type { ModelMessage, ToolApprovalResponse, ToolModelMessage } from "ai";
import type { Session } from "../../runtime/session.ts";
import type { BridgeOptions, PausedCallQuestion } from "../bridged-tool.ts";
import { settleRequests } from "../settle-requests.ts";
import { type OpenRequest, openRequests } from "./approval-parts.ts";

/** Messages that say what the ledger knows. Go on with them when nothing waits. */
export interface SettledMessages {
  readonly messages: ModelMessage[];
  /** What a person must answer first: with `haft approve`, or with an approval response where `answeredBy` is set. */
  readonly waiting: readonly PausedCallQuestion[];
}

/**
 * Brings the approval parts of messages and the ledger to the same state, both ways: what was answered with `haft
 * approve` becomes an approval response, and a response of the client is put on record if somebody stands for it
 * (`answeredBy`). One that nobody stands for is taken out. The messages that are given stay as they are.
 */
export const settleApprovals = async (
  session: Session,
  messages: readonly ModelMessage[],
  { answeredBy }: BridgeOptions = {},
): Promise<SettledMessages> => {
  const open = openRequests(messages);
  const settled = await settleRequests(session, open, answeredBy);
  const responses = settled.flatMap(({ answer }, index): readonly ToolApprovalResponse[] => {
    if (answer === undefined) return [];
    const { approved, reason } = answer;
    const said = reason === undefined ? { approved } : { approved, reason };
    return [{ type: "tool-approval-response", approvalId: open[index]!.approvalId, ...said }];
  });
  const waiting = settled.flatMap((each) => each.waiting ?? []);
  return { messages: withResponses(messages, open, responses), waiting };
};

/** The AI SDK reads approval responses in the last message alone. */
const withResponses = (
  messages: readonly ModelMessage[],
  open: readonly OpenRequest[],
  responses: readonly ToolApprovalResponse[],
): ModelMessage[] => {
  const last = messages.at(-1);
  if (open.length === 0) return [...messages];
  const asked = new Set(open.flatMap(({ approvalIds }) => approvalIds));
  const earlier = last?.role === "tool" ? messages.slice(0, -1) : messages;
  const kept = last?.role === "tool" ? last.content.filter((part) => !isResponseTo(asked, part)) : [];
  const content = [...kept, ...responses];
  if (content.length === 0) return [...earlier];
  return [...earlier, { ...(last?.role === "tool" ? last : {}), role: "tool", content }];
};

const isResponseTo = (asked: ReadonlySet<string>, part: ToolModelMessage["content"][number]): boolean =>
  part.type === "tool-approval-response" && asked.has(part.approvalId);
