import type { ChatBody } from "../words/agents.ts";
import type { AnswerBody, AnswersBody } from "../words/approvals.ts";
import type { AppCallBody, AppReadBody } from "../words/apps.ts";
import type { ExplainBody } from "../words/rights.ts";
import type { ReplayBody } from "../words/runs.ts";
import type { ApproveReviewBody } from "../words/servers.ts";
import type { ToolCallBody, ValidateBody } from "../words/tools.ts";
import { any, type Fields, flag, may, object, oneOf, record, text, texts } from "./shape.ts";

const answer: Fields<AnswerBody> = {
  decision: oneOf("allow", "deny", "edit"),
  input: may(any),
  reason: may({ type: "string", maxLength: 10_000 }),
  always: may(oneOf("run", "session")),
};

/** What requests that change something are held against before anybody looks at them. */
export const bodies = {
  none: object<Record<never, never>>({}),
  signIn: object<{ token: string }>({ token: text }),
  answer: object<AnswerBody>(answer),
  answers: object<AnswersBody>({
    ...answer,
    ids: { type: "array", items: text, minItems: 1, maxItems: 100 },
  }),
  replay: object<ReplayBody>({ execute: may(oneOf("read-only", "all", "none")) }),
  call: object<ToolCallBody>({ input: any, as: may(text) }),
  appCall: object<AppCallBody>({ tool: text, input: record }),
  appRead: object<AppReadBody>({ uri: { type: "string", minLength: 1, maxLength: 8_192 } }),
  validate: object<ValidateBody>({ input: any }),
  explain: object<ExplainBody>({ as: may(text), tool: text, input: may(any), tainted: may(flag) }),
  approveReview: object<ApproveReviewBody>({ hash: text, tools: may(texts), accept: may(texts) }),
  finishSignIn: object<{ answer: string }>({ answer: text }),
  chat: object<ChatBody>({
    message: may({ type: "string", minLength: 1, maxLength: 32_000 }),
    chatId: may(text),
    runId: may(text),
    model: may(text),
    as: may(text),
  }),
} as const;
