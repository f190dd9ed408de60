import * as Duration from "effect/Duration";
import type { AuthorizedCall } from "../../types/call.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import type { Handler, TimeLimit, ToolLayer } from "../../types/tool.ts";
import { readMillis } from "./read-option.ts";
import { withDeadline } from "./waiting/timer.ts";

/** Stops a call that takes longer than `duration`. The call fails at once, without waiting for the code. */
export const timeout = (duration: Duration.Input): ToolLayer => {
  const millis = readMillis("timeout", duration);
  const durationText = Duration.format(Duration.millis(millis));
  const onTimeout = ({ registration }: Pick<AuthorizedCall, "registration">): Outcome =>
    failed({
      code: "timed_out",
      tool: registration.key,
      ran: true,
      message: `The tool "${registration.key}" did not answer within ${durationText} and was stopped.`,
      timeoutMs: millis,
    });
  const limit: TimeLimit = { millis, onTimeout };
  return Object.assign(
    (next: Handler): Handler =>
      next.within?.(limit) ??
      ((call) => withDeadline(next(call), millis, { onTimeout: () => onTimeout(call) })),
    { label: "timeout", runsNoCode: true },
  );
};
