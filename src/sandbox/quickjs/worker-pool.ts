import * as Effect from "effect/Effect";
import { SandboxError } from "../../words/errors.ts";
import { endWorker, type GuestWorker, startWorker } from "./guest-worker.ts";

export interface PoolOptions {
  /** Workers at once. */
  readonly most: number;
  /** Programs that wait for a worker; more are refused. */
  readonly queue: number;
  /** How long a worker is kept that nobody needs. */
  readonly idleMs: number;
}

/** Workers that are kept ready. */
export interface WorkerPool {
  /** A worker for one program. Who comes first is served first. */
  readonly take: Effect.Effect<GuestWorker, SandboxError>;
  /** Gives it back. One that is not sound is ended, and the next program gets another. */
  readonly giveBack: (guest: GuestWorker) => Effect.Effect<void>;
  readonly close: Effect.Effect<void>;
}

interface Idle {
  readonly guest: GuestWorker;
  readonly alarm: NodeJS.Timeout;
}

export const workerPool = ({ most, queue, idleMs }: PoolOptions): WorkerPool => {
  const idle: Idle[] = [];
  const all = new Set<GuestWorker>();
  const waiting: ((turn: Effect.Effect<void, SandboxError>) => void)[] = [];
  /** Programs that have a worker, or the right to start one. */
  let busy = 0;
  let isClosed = false;

  /** The right to one worker. It is handed from program to program without going back, so nobody overtakes. */
  const turn: Effect.Effect<void, SandboxError> = Effect.callback((resume) => {
    if (isClosed) return resume(Effect.fail(closed()));
    if (busy < most) {
      busy++;
      return resume(Effect.void);
    }
    if (waiting.length >= queue) return resume(Effect.fail(full(queue)));
    waiting.push(resume);
    return Effect.sync(() => {
      const at = waiting.indexOf(resume);
      if (at >= 0) waiting.splice(at, 1);
      else passOn();
    });
  });

  const passOn = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy--;
    else next(Effect.void);
  };

  const idleWorker = (): GuestWorker | undefined => {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.alarm);
      if (kept.guest.gone === undefined) return kept.guest;
      all.delete(kept.guest);
    }
    return undefined;
  };

  const started = Effect.tap(startWorker, (guest) =>
    Effect.suspend(() => {
      all.add(guest);
      return isClosed ? Effect.andThen(end(guest), Effect.fail(closed())) : Effect.void;
    }),
  );

  const end = (guest: GuestWorker): Effect.Effect<void> =>
    Effect.ensuring(
      endWorker(guest),
      Effect.sync(() => all.delete(guest)),
    );

  const keep = (guest: GuestWorker): void => {
    // A worker that waits keeps no process alive.
    guest.worker.unref();
    const alarm = setTimeout(() => {
      idle.splice(
        idle.findIndex((each) => each.guest === guest),
        1,
      );
      Effect.runFork(end(guest));
    }, idleMs);
    alarm.unref();
    idle.push({ guest, alarm });
  };

  return {
    take: Effect.andThen(
      turn,
      Effect.suspend(() => {
        const guest = idleWorker();
        guest?.worker.ref();
        return guest === undefined ? started : Effect.succeed(guest);
      }).pipe(Effect.onError(() => Effect.sync(passOn))),
    ),
    giveBack: (guest) =>
      Effect.suspend(() => {
        if (guest.isSound && !isClosed && guest.gone === undefined) {
          keep(guest);
          return Effect.void;
        }
        return end(guest);
      }).pipe(Effect.ensuring(Effect.sync(passOn))),
    close: Effect.suspend(() => {
      isClosed = true;
      for (const { alarm } of idle.splice(0)) clearTimeout(alarm);
      for (const resume of waiting.splice(0)) resume(Effect.fail(closed()));
      return Effect.forEach([...all], end, { concurrency: "unbounded", discard: true });
    }),
  };
};

const refused = (message: string): SandboxError =>
  new SandboxError("sandbox_failed", message, { ran: false, retryable: true });

const full = (queue: number): SandboxError =>
  refused(`${queue} programs wait for the JavaScript engine already. Try again later.`);

const closed = (): SandboxError =>
  new SandboxError("sandbox_failed", "The JavaScript engine was closed.", { ran: false });
