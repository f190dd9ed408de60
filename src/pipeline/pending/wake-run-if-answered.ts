import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { hasOpenApproval } from "../../types/approval.ts";
import { RunWaker, runKindOf } from "../../types/run-store.ts";
import type { CallServices } from "../call-state.ts";

/**
 * Wakes a run after its last open approval was answered. Errors are ignored, because workers also scan for
 * such runs.
 */
export const wakeRunIfAnswered = ({ approvals }: CallServices, approvalId: string): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const wake = fiber.getRef(RunWaker);
    if (wake === undefined) return Effect.void;
    const looking = Effect.gen(function* () {
      const answered = yield* approvals.find(approvalId);
      if (answered === undefined || runKindOf(answered.runId) !== "job") return;
      const { runId } = answered;
      const asked = yield* approvals.list({ runId });
      const clock = yield* Clock.Clock;
      if (!hasOpenApproval(asked, clock.currentTimeMillisUnsafe())) wake(runId);
    });
    return Effect.ignore(looking);
  });
