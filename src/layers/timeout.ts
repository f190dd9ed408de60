import * as Duration from "effect/Duration";
import type { Handler, ToolLayer } from "../words/layer.ts";
import { failed } from "../words/outcome.ts";
import { withDeadline } from "./deadline.ts";
import { readMillis } from "./read-option.ts";

/** Stops a call that takes longer than this. What is around the call goes on at once. */
export const timeout = (limit: Duration.Input): ToolLayer => {
  const millis = readMillis("timeout", limit);
  const words = Duration.format(Duration.millis(millis));
  return Object.assign(
    (next: Handler): Handler =>
      (call) =>
        withDeadline(next(call), millis, () =>
          failed({
            code: "timed_out",
            tool: call.registration.key,
            ran: true,
            message: `The tool "${call.registration.key}" did not answer within ${words} and was stopped.`,
          }),
        ),
    { label: "timeout" },
  );
};
