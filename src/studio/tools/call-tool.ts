import { isMedia } from "../../words/content.ts";
import type { Principal } from "../../words/principal.ts";
import type { Reply } from "../../words/reply.ts";
import { appOf } from "../apps/app-tools.ts";
import { toAppView } from "../apps/app-view.ts";
import { heardCall } from "../apps/heard-call.ts";
import { given } from "../calls/call-line.ts";
import { toCaller } from "../person.ts";
import { ApiRefusal } from "../refused.ts";
import { actingAs } from "../rights/principals.ts";
import { toText } from "../text.ts";
import type { Visit } from "../visit.ts";
import type { ToolCallBody, ToolCallResult, ValidateBody, Validation } from "../words/tools.ts";
import { ask } from "../world.ts";
import { copiesOf } from "./copies.ts";
import { findTool } from "./show-tool.ts";

/** Down the corridor like every call, as somebody that is known here; the ledger names who pressed the button too. */
export const callTool = async (visit: Visit): Promise<ToolCallResult> => {
  const { world, person, params, request } = visit;
  const { input, as } = visit.body as unknown as ToolCallBody;
  const registration = findTool(world, params.key!);
  const { key } = registration;
  const meant = world.shared.registry.get(key)?.key;
  if (meant !== key) {
    const message = `Calls of "${key}" reach ${meant ?? "nothing"}, which has taken its name. Give one of them another name.`;
    throw new ApiRefusal(409, "shadowed", message);
  }
  const principal = actingAs(visit, as);
  const options = { correlationId: `studio ${person.name}`, signal: request.signal };
  const { callId, reply, app } =
    appOf(world, registration) === undefined
      ? await plainCall(visit, key, principal, options)
      : await heardCall(world, key, input, { principal, ...options }).then(({ result, ...heard }) => ({
          ...heard,
          app: heard.reply.ok ? toAppView(world, registration, input, result()) : undefined,
        }));
  const [entry] = await ask(world.ledger.entries({ callId, limit: 1 }));
  const { ok, text, value, failure, pending, parts = [] } = reply;
  return {
    ok,
    content: toText(text),
    ...(value === undefined ? {} : { value: world.redactor.value(value) }),
    ...given({ entryId: entry?.entryId, code: failure?.code, pending: pending?.id }),
    media: parts.filter(isMedia).map(({ kind, mediaType, name, data, url }) => ({
      kind,
      mediaType,
      ...given({ name, data, url }),
    })),
    caller: toCaller(principal),
    ...given({ app }),
  };
};

const plainCall = async (
  { world, body }: Visit,
  tool: string,
  principal: Principal,
  options: { readonly correlationId: string; readonly signal: AbortSignal },
): Promise<{ readonly callId: string; readonly reply: Reply; readonly app?: undefined }> => {
  const callId = world.shared.tools.newId("call");
  const { input } = body as unknown as ToolCallBody;
  const [reply] = await world.haft.as(principal).turn([{ id: callId, tool, input }], options);
  return { callId, reply: reply! };
};

/** What is wrong with arguments, for a form. Nothing is called, and nothing is written down. */
export const validateInput = async ({ world, params, body }: Visit): Promise<Validation> => {
  const { input } = body as unknown as ValidateBody;
  const registration = findTool(world, params.key!);
  const judged = registration.tool.input(structuredClone(input));
  const copy = copiesOf(registration, input);
  if (judged.ok) return { ok: true, findings: [], value: judged.value, copy };
  return { ok: false, findings: judged.issues.map(({ pointer, message }) => ({ pointer, message })), copy };
};
