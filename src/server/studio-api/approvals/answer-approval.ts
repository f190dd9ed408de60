import { isObject } from "../../../base/json/json-value.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../../types/approval.ts";
import { callerIdentityOf } from "../../../types/principal.ts";
import { HttpError } from "../../request/http-error.ts";
import type { ApiContext, Person } from "../api-context.ts";
import type { AnswerBody, AnswerResult, AnswerResults, AnswersBody } from "../schemas/approvals.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { continueAfterAnswer } from "./continue-after-answer.ts";
import { unmaskEdit } from "./list-approvals.ts";
import { toApproval } from "./to-approval.ts";

/** The first of several concurrent answers counts. The others get 409 and the record of the first. */
export const answerApproval = async ({
  studio,
  person,
  params,
  body,
}: ApiContext<AnswerBody>): Promise<AnswerResult> => {
  const result = await recordAnswer(studio, person, params.id!, body);
  if (result.answered) return result;
  const status = { not_found: 404, invalid: 422, already_answered: 409, expired: 409 }[result.code!];
  throw new HttpError(status, result.code!, result.message, { body: result });
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
    return { id, answered: false, code: "not_found", message: `There is no approval request "${id}".` };
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
    const message = `The request was already ${answeredText(now)}. Your answer was not recorded.`;
    return { id, answered: false, code: "already_answered", message, approval };
  }
  const message = "The request has expired. Your answer was not recorded.";
  return { id, answered: false, code: "expired", message, approval: { ...approval, status: "expired" } };
};

/** Returns a sentence if the answer is invalid. */
const toDecision = async (
  studio: StudioServices,
  record: ApprovalRecord,
  { decision, input, reason, always }: AnswerBody,
): Promise<ApprovalDecision | string> => {
  if (record.waitsFor !== undefined) {
    return `This call waits for approval of nested calls. Answer their requests instead: ${record.waitsFor.join(", ")}.`;
  }
  if (always !== undefined && decision !== "allow") return "`always` requires the decision `allow`.";
  if (reason !== undefined && decision !== "deny") return "`reason` requires the decision `deny`.";
  if ((input === undefined) === (decision === "edit"))
    return "The decision `edit` requires `input`, and other decisions do not accept it.";
  if (decision === "deny") return { kind: "deny", ...(reason ? { reason } : {}) };
  if (decision === "allow") {
    const hasSession = callerIdentityOf(record.principal).session !== undefined;
    if (always === "session" && !hasSession)
      return 'The caller has no session. Use `always: "run"`, or leave `always` out.';
    return { kind: "allow", ...(always === undefined ? {} : { always }) };
  }
  if (isObject(record.input) && !isObject(input))
    return "The edited arguments must be an object, like the original ones.";
  const shown = studio.redactor.value(record.input);
  const unmaskedEdit = unmaskEdit(input, shown, await readExactInput(studio, record));
  if (unmaskedEdit !== undefined)
    return editProblem(studio, record, unmaskedEdit.value) ?? { kind: "edit", input: unmaskedEdit.value };
  return "The edited arguments contain a masked secret whose original value is not stored. Enter the value itself.";
};

/** Checked now, while the person can still correct the edit. */
const editProblem = (
  { shared }: StudioServices,
  { tool }: ApprovalRecord,
  input: unknown,
): string | undefined => {
  const judged = shared.registry.get(tool)?.tool.input(structuredClone(input));
  if (judged === undefined || judged.ok) return undefined;
  const problems = judged.issues.map(({ pointer, message }) => `${pointer || "the arguments"} ${message}`);
  return `The edited arguments do not match the schema of ${tool}: ${problems.slice(0, 5).join("; ")}.`;
};

const decisionTexts = { allow: "approved", deny: "denied", edit: "approved with changes" } as const;

const answeredText = ({ decision, answeredBy }: ApprovalRecord): string => {
  const text = decision === undefined ? "answered" : decisionTexts[decision.kind];
  return answeredBy === undefined ? text : `${text} by ${answeredBy}`;
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
