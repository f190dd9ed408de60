import { isObject } from "../../../base/json/is-object.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../../types/approval.ts";
import { callerIdentityOf } from "../../../types/principal.ts";
import type { ApiContext } from "../api-context.ts";
import { ApiRequestError } from "../api-error.ts";
import type { Person } from "../person.ts";
import type { AnswerBody, AnswerResult, AnswerResults, AnswersBody } from "../schemas/approvals.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { continueAfterAnswer } from "./continue-after-answer.ts";
import { toApproval } from "./to-approval.ts";
import { unmaskEdit } from "./unmask-edit.ts";

/** The first of concurrent answers counts; the others get 409 with its record. */
export const answerApproval = async ({
  studio,
  person,
  params,
  body,
}: ApiContext<AnswerBody>): Promise<AnswerResult> => {
  const result = await recordAnswer(studio, person, params.id!, body);
  if (result.answered) return result;
  const status = { not_found: 404, invalid: 422, already_answered: 409, expired: 409 }[result.code!];
  throw new ApiRequestError(status, result.code!, result.message, {}, result);
};

export const answerApprovals = async ({
  studio,
  person,
  body,
}: ApiContext<AnswersBody>): Promise<AnswerResults> => {
  const { ids, ...answer } = body;
  const results: AnswerResult[] = [];
  for (const id of new Set(ids)) results.push(await recordAnswer(studio, person, id, answer));
  return { results };
};

const recordAnswer = async (
  studio: StudioServices,
  person: Person,
  id: string,
  body: AnswerBody,
): Promise<AnswerResult> => {
  const { approvals } = studio.ledger;
  const record = await runLedger(approvals.find(id));
  if (record === undefined)
    return { id, answered: false, code: "not_found", message: `Nobody asked "${id}".` };
  const decision = await toDecision(studio, record, body);
  if (typeof decision === "string") {
    return { id, answered: false, code: "invalid", message: decision, approval: toApproval(studio, record) };
  }
  const answered = await runLedger(approvals.answer(id, { decision, by: person.name, at: studio.now() }));
  const now = (await runLedger(approvals.find(id))) ?? record;
  const approval = toApproval(studio, now);
  if (answered === "answered")
    return { id, answered: true, approval, ...(await continueAfterAnswer(studio, now)) };
  if (answered === "already") {
    const who = now.answeredBy === undefined ? "Somebody" : now.answeredBy;
    const message = `${who} was faster: it was answered with ${now.decision?.kind ?? now.status}.`;
    return { id, answered: false, code: "already_answered", message, approval };
  }
  const message = "Its time is up: an answer counts for nothing any more.";
  return { id, answered: false, code: "expired", message, approval: { ...approval, status: "expired" } };
};

/** Returns why an answer is invalid. */
const toDecision = async (
  studio: StudioServices,
  record: ApprovalRecord,
  { decision, input, reason, always }: AnswerBody,
): Promise<ApprovalDecision | string> => {
  if (record.waitsFor !== undefined) {
    return `It waits for answers about calls of its code, and takes none itself: ${record.waitsFor.join(", ")}.`;
  }
  if (always !== undefined && decision !== "allow") return "`always` belongs to a yes.";
  if (reason !== undefined && decision !== "deny") return "`reason` belongs to a no.";
  if ((input === undefined) === (decision === "edit")) return "`input` belongs to an edit, which needs it.";
  if (decision === "deny") return { kind: "deny", ...(reason ? { reason } : {}) };
  if (decision === "allow") {
    const hasSession = callerIdentityOf(record.principal).session !== undefined;
    if (always === "session" && !hasSession)
      return "This caller has no session: answer for its run, or once.";
    return { kind: "allow", ...(always === undefined ? {} : { always }) };
  }
  if (isObject(record.input) && !isObject(input))
    return "The arguments are an object, and so is an edit of them.";
  const shown = studio.redactor.value(record.input);
  const unmaskedEdit = unmaskEdit(input, shown, await readExactInput(studio, record));
  if (unmaskedEdit !== undefined)
    return editProblem(studio, record, unmaskedEdit.value) ?? { kind: "edit", input: unmaskedEdit.value };
  return "The edit has a masked secret in it, and the exact one is not kept. Type the value itself.";
};

/** Checked while the person can still correct it. */
const editProblem = (
  { shared }: StudioServices,
  { tool }: ApprovalRecord,
  input: unknown,
): string | undefined => {
  const judged = shared.registry.get(tool)?.tool.input(structuredClone(input));
  if (judged === undefined || judged.ok) return undefined;
  const words = judged.issues.map(({ pointer, message }) => `${pointer || "the whole"} ${message}`);
  return `The edit does not fit the schema of ${tool}: ${words.slice(0, 5).join("; ")}.`;
};

const readExactInput = async (
  { ledger }: StudioServices,
  { entryId, input }: ApprovalRecord,
): Promise<unknown> => {
  const recalled = await runLedger(ledger.recall(entryId));
  try {
    return recalled?.input === undefined ? input : JSON.parse(recalled.input);
  } catch {
    return input;
  }
};
