import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import { toReply } from "../../../pipeline/pipeline.ts";
import { failed } from "../../../types/outcome.ts";
import { failureMeta, toFailureResult } from "./call-result.ts";

/** The call may have run before its gateway stopped, so it is not repeated. */
export const lostCallResult = (method: string, name: string): Result => {
  if (method !== "tools/call") {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "The gateway that was answering this request has ended. Send the request again.",
    );
  }
  const message = `The gateway that was making the call of "${name}" has ended. The call may have run: check whether it took effect before you request it again.`;
  const outcome = failed({ code: "outcome_unknown", tool: name, message });
  return toFailureResult(toReply({ id: "", tool: name }, outcome, "", noMasking), outcome.failure);
};

const noMasking = { text: (text: string) => text, value: <A>(value: A) => value };

export const lostTaskError = (): ProtocolError => {
  const message =
    "Unknown task: its gateway has stopped. The call may have run: check whether it took effect before you request it again.";
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    message,
    failureMeta({ code: "outcome_unknown", message }),
  );
};
