import type { Haft, Message } from "../../../src/exports/index.ts";
import { toError } from "../../../src/types/errors.ts";
import type { FailureCode } from "../../../src/types/failures.ts";
import type { ModelReply } from "../../../src/types/model.ts";
import type { Reply } from "../../../src/types/outcome.ts";
import type { Scheduler } from "./scheduler.ts";

/** The conversations of a framework loop, stored outside of Haft. */
export class LoopStore {
  readonly #conversations = new Map<string, readonly Message[]>();

  read(name: string): readonly Message[] {
    return this.#conversations.get(name) ?? [{ role: "user", content: name }];
  }

  async write(
    scheduler: Scheduler,
    actor: string,
    name: string,
    messages: readonly Message[],
  ): Promise<void> {
    await scheduler.point(actor, `the loop keeps ${name}`);
    this.#conversations.set(name, messages);
  }
}

export interface LoopOptions {
  readonly actor: string;
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly store: LoopStore;
  readonly ask: (messages: readonly Message[]) => Promise<ModelReply>;
}

/**
 * Failures that a loop does not report to its model: another process may have resumed, or it has to retry
 * later.
 */
const untellable: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "still_running",
  "claim_lost",
  "ledger_unavailable",
  "not_answered",
]);

/** A framework loop over a session, started or resumed from its stored conversation. */
export const driveSession = async (haft: Haft, options: LoopOptions) => {
  const { actor, name, scheduler, store, ask } = options;
  const session = haft.session({ id: name, waitMs: 40 });
  for (;;) {
    const before = store.read(name);
    const { text, calls } = await ask(before);
    if (calls.length === 0) {
      await session.end();
      return {
        status: "stopped" as const,
        context: [...before, { role: "assistant", content: text } as const],
      };
    }
    // Some frameworks request approval before they call; others make the calls.
    if (actor !== "A") for (const call of calls) await session.asks(call);
    const replies = await session.turn(calls);
    const untold = replies.find(({ failure }) => failure !== undefined && untellable.has(failure.code));
    if (untold?.failure !== undefined) throw toError(untold.failure);
    const asked: Message = { role: "assistant", content: text, calls };
    const context = [...before, asked, ...replies.map(toMessage)];
    if (replies.some(({ pending }) => pending !== undefined)) return { status: "pending" as const, context };
    await store.write(scheduler, actor, name, context);
  }
};

const toMessage = ({ id, tool, text, ok }: Reply): Message => ({
  role: "tool",
  callId: id,
  tool,
  content: text,
  ok,
});
