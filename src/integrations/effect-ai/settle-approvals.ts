import * as Prompt from "effect/ai/Prompt";
import * as Effect from "effect/Effect";
import type { Session } from "../../runtime/session.ts";
import { ToolError } from "../../types/errors.ts";
import { checkIntegration } from "../check-integration.ts";
import type { IntegrationOptions, PausedCallRequest } from "../session-tools.ts";
import { type SyncedRequest, syncRequests } from "../settle-requests.ts";
import {
  createInterimPromptResult,
  findOpenPromptApprovals,
  type OpenPromptApproval,
  withPromptAnswers,
  withPromptResults,
} from "./approval-parts.ts";

/** A prompt that agrees with the ledger. */
export interface SettledPrompt {
  readonly prompt: Prompt.Prompt;
  /** Calls that need an answer: with `haft approve`, or with an approval response if `answeredBy` is set. */
  readonly waiting: readonly PausedCallRequest[];
  /** Whether the prompt can go to the model: no call of the last message is pending. */
  readonly isReady: boolean;
}

/**
 * Brings the approval parts of a prompt into agreement with the ledger. Answers in the ledger become approval
 * responses; a response in the prompt is recorded if `answeredBy` is set and removed otherwise. If the
 * conversation continued while a call was pending, an approved call runs here.
 */
export const settleApprovals = (
  session: Session,
  prompt: Prompt.Prompt,
  options: IntegrationOptions = {},
): Effect.Effect<SettledPrompt, ToolError> =>
  Effect.tryPromise({
    try: () => {
      checkIntegration("settleApprovals", session, options);
      return settlePrompt(session, prompt, options.answeredBy);
    },
    catch: (error) => error,
  }).pipe(Effect.catch((error) => (ToolError.is(error) ? Effect.fail(error) : Effect.die(error))));

const settlePrompt = async (
  session: Session,
  prompt: Prompt.Prompt,
  answeredBy: string | undefined,
): Promise<SettledPrompt> => {
  const open = findOpenPromptApprovals(prompt);
  const settled = await syncRequests(session, open, answeredBy);
  const current: OpenPromptApproval[] = [];
  const answers: Prompt.ToolApprovalResponsePart[] = [];
  const results = new Map<number, Prompt.ToolResultPart[]>();
  let isReady = true;
  for (const [index, request] of open.entries()) {
    const { answer, waiting } = settled[index]!;
    const { approvalId, earlierAt } = request;
    if (earlierAt !== undefined) {
      const result = await findPromptResult(session, request, settled[index]!);
      if (result !== undefined) results.set(earlierAt, [...(results.get(earlierAt) ?? []), result]);
      continue;
    }
    current.push(request);
    if (waiting !== undefined) isReady = false;
    if (answer === undefined) continue;
    const { approved } = answer;
    const reason = answer.reason ?? (approved ? undefined : deniedResult);
    answers.push(Prompt.makePart("tool-approval-response", { approvalId, approved, reason }));
  }
  return {
    // Results first, because their positions refer to the given prompt.
    prompt: withPromptAnswers(withPromptResults(prompt, results), current, answers),
    waiting: settled.flatMap((each) => each.waiting ?? []),
    isReady,
  };
};

/** Effect's schema requires a reason for a denial. */
const deniedResult = "The call was not approved.";

const findPromptResult = async (
  session: Session,
  { call }: OpenPromptApproval,
  { answer, waiting }: SyncedRequest,
): Promise<Prompt.ToolResultPart | undefined> => {
  if (waiting !== undefined) return createInterimPromptResult(call);
  if (answer === undefined) return undefined;
  const part = { id: call.id, name: call.tool, providerExecuted: false };
  if (!answer.approved)
    return Prompt.toolResultPart({ ...part, isFailure: true, result: answer.reason ?? deniedResult });
  const [reply] = await session.turn([call]);
  if (reply === undefined || reply.pending !== undefined) return createInterimPromptResult(call);
  return Prompt.toolResultPart({
    ...part,
    isFailure: !reply.ok,
    result: reply.ok ? (reply.value ?? null) : reply.text,
  });
};
