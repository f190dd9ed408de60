import type { AuthorizedCall } from "../../types/call.ts";
import { failed, type Outcome } from "../../types/outcome.ts";

export const queueLaneOf = ({ principal }: AuthorizedCall): string =>
  `${principal.agent}\u0000${principal.session ?? ""}`;

export const overloadedOutcome = (
  call: AuthorizedCall,
  retryAfterMs: number | undefined,
  why?: string,
): Outcome => {
  const { key } = call.registration;
  const when = retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1_000)} s`;
  return failed({
    code: "overloaded",
    tool: key,
    message:
      why === undefined
        ? `Too many calls of "${key}" are queued. Try again ${when}, or with fewer calls at once.`
        : `"${key}" accepts no calls now, because ${why}. Try again ${when}.`,
    ran: false,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};
