import * as Duration from "effect/Duration";
import type { AuthorizedCall } from "../words/call.ts";
import type { Handler, TimeLimit, ToolLayer } from "../words/layer.ts";
import { failed, type Outcome } from "../words/outcome.ts";
import { readMillis } from "./read-option.ts";
import { withDeadline } from "./waiting/deadline.ts";

/** Stops a call that takes longer than this. What is around the call goes on at once. */
export const timeout = (duration: Duration.Input): ToolLayer => {
  const millis = readMillis("timeout", duration);
  const words = Duration.format(Duration.millis(millis));
  const onTimeout = ({ registration }: Pick<AuthorizedCall, "registration">): Outcome =>
    failed({
      code: "timed_out",
      tool: registration.key,
      ran: true,
      message: `The tool "${registration.key}" did not answer within ${words} and was stopped.`,
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
