import { settleAny } from "../../../runtime/settle-any.ts";
import { ToolError } from "../../../types/errors.ts";
import { HttpError } from "../../request/http-error.ts";
import type { ApiContext } from "../api-context.ts";
import type { Call, SettleBody } from "../schemas/calls.ts";
import { findEntry, showCall } from "./show-call.ts";

export const settleCall = async (context: ApiContext<SettleBody>): Promise<Call> => {
  const { studio, person, params } = context;
  const { tookEffect, result, reason } = context.body;
  const { entryId } = await findEntry(studio, params.entryId!);
  const finding = { tookEffect, by: person.name, ...(reason ? { reason } : {}) };
  try {
    await settleAny(studio.haft, entryId, result === undefined ? finding : { ...finding, result });
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    if (error.code === "not_settled") throw new HttpError(409, "not_settled", error.message);
    if (error.code === "invalid_config") throw new HttpError(422, "invalid", error.message);
    throw error;
  }
  return showCall(context);
};
