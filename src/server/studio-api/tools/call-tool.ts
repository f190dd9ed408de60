import { forkInRuntime, valueOrThrow } from "../../../runtime/run-in-runtime.ts";
import { operatorText } from "../../../types/failure.ts";
import { isMedia } from "../../../types/message.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { Principal } from "../../../types/principal.ts";
import { HttpError } from "../../request/http-error.ts";
import { type ApiContext, toCaller } from "../api-context.ts";
import { appOf, toAppView } from "../apps/app-tools.ts";
import { callWithServerResult } from "../apps/call-with-server-result.ts";
import { callerNamed } from "../permissions/principals.ts";
import { definedFields, toText } from "../read-query.ts";
import type { ToolCallBody, ToolCallResult, ValidateBody, Validation } from "../schemas/tools.ts";
import { runLedger } from "../studio-services.ts";
import { findTool, toToolSnippets } from "./list-tools.ts";

export const callToolFromStudio = async (context: ApiContext<ToolCallBody>): Promise<ToolCallResult> => {
  const { studio, person, params, request } = context;
  const { input, as } = context.body;
  const registration = findTool(studio, params.key!);
  const { key } = registration;
  const resolvedKey = studio.shared.registry.get(key)?.key;
  if (resolvedKey !== key) {
    const message = `Calls of "${key}" go to ${resolvedKey ?? "no tool"}, which has the same name. Rename one of the two tools.`;
    throw new HttpError(409, "shadowed", message);
  }
  const principal = callerNamed(context, as);
  const options = { operator: person.name, signal: request.signal };
  const { callId, reply, app } =
    appOf(studio, registration) === undefined
      ? await callWithReply(context, key, principal, options)
      : await callWithServerResult(studio, key, input, { principal, ...options }).then(
          ({ result, ...called }) => ({
            ...called,
            app: called.reply.ok ? toAppView(studio, registration, input, result()) : undefined,
          }),
        );
  const [entry] = await runLedger(studio.ledger.entries({ callId, limit: 1 }));
  const { ok, text, value, failure, pending, parts = [] } = reply;
  return {
    ok,
    content: toText(failure === undefined ? text : studio.redactor.text(operatorText(failure))),
    ...(value === undefined ? {} : { value: studio.redactor.value(value) }),
    ...definedFields({ entryId: entry?.entryId, code: failure?.code, approvalId: pending?.id }),
    media: parts.filter(isMedia).map(({ kind, mediaType, name, data, url }) => ({
      kind,
      mediaType,
      ...definedFields({ name, data, url }),
    })),
    caller: toCaller(principal),
    ...definedFields({ app }),
  };
};

const callWithReply = async (
  { studio, body }: ApiContext<ToolCallBody>,
  tool: string,
  principal: Principal,
  options: { readonly operator: string; readonly signal: AbortSignal },
): Promise<{ readonly callId: string; readonly reply: Reply; readonly app?: undefined }> => {
  const callId = studio.shared.tools.newId("call");
  const { input } = body;
  const turn = studio.shared.tools.turn([{ id: callId, tool, input }], { principal, ...options });
  const [reply] = await forkInRuntime(studio.shared, turn, valueOrThrow);
  return { callId, reply: reply! };
};

export const validateInput = async ({
  studio,
  params,
  body,
}: ApiContext<ValidateBody>): Promise<Validation> => {
  const { input } = body;
  const registration = findTool(studio, params.key!);
  const validated = registration.tool.input(structuredClone(input));
  const snippets = toToolSnippets(registration, input);
  if (validated.ok) return { ok: true, issues: [], value: validated.value, snippets };
  return {
    ok: false,
    issues: validated.issues.map(({ pointer, message }) => ({ pointer, message })),
    snippets,
  };
};
