import * as Cause from "effect/Cause";
import type { Redactor } from "../../base/json/redact.ts";
import { toReply } from "../../pipeline/pipeline.ts";
import { callCancelledError } from "../../runtime/runtime-errors.ts";
import { ToolError } from "../../types/errors.ts";
import type { Failure } from "../../types/failure.ts";
import { failed } from "../../types/outcome.ts";
import type { Reply } from "../../types/reply.ts";

/** With the text of stage 8: clients read no more of a failure than models. */
export const failedReply = (
  request: Pick<Reply, "id" | "tool">,
  cause: Cause.Cause<unknown>,
  masking: Pick<Redactor, "text" | "value">,
): Reply => {
  const error = Cause.squash(cause);
  const failure: Failure =
    ToolError.is(error) && !Cause.hasInterruptsOnly(cause)
      ? error.failure
      : callCancelledError(request.tool).failure;
  return toReply(request, failed(failure), "", masking);
};
