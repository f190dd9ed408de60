import * as Effect from "effect/Effect";
import type { Exit } from "effect/Exit";
import * as Fiber from "effect/Fiber";
import type { CallRequest } from "../../../types/call.ts";
import type { Outcome } from "../../../types/outcome.ts";

interface SharedWork {
  readonly owner: CallRequest;
  readonly waiters: Set<(exit: Exit<Outcome>) => void>;
  work: Fiber.Fiber<Outcome> | undefined;
}

export interface FlightRequest {
  readonly key: string;
  readonly request: CallRequest;
  readonly work: () => Effect.Effect<Outcome>;
  readonly onSettled: (outcome: Outcome) => void;
  readonly share: (outcome: Outcome, owner: CallRequest) => Outcome;
}

/** Deduplicates concurrent work. The work is interrupted when its last waiting call leaves. */
export class SingleFlight {
  readonly #flights = new Map<string, SharedWork>();

  /** The owner must not wait for itself. */
  isOwner(key: string, request: CallRequest): boolean {
    return this.#flights.get(key)?.owner === request;
  }

  join(join: FlightRequest): Effect.Effect<Outcome> {
    const { key, request, work } = join;
    return Effect.withFiber((fiber) =>
      Effect.callback((resume) => {
        const found = this.#flights.get(key);
        const flight = found ?? { owner: request, waiters: new Set(), work: undefined };
        const rider = (exit: Exit<Outcome>): void =>
          resume(
            found === undefined ? exit : Effect.map(exit, (outcome) => join.share(outcome, flight.owner)),
          );
        flight.waiters.add(rider);
        if (found === undefined) {
          this.#flights.set(key, flight);
          flight.work = Effect.runForkWith(fiber.context)(Effect.suspend(work));
          flight.work.addObserver((exit) => this.#settle(join, flight, exit));
        }
        return Effect.suspend(() => {
          flight.waiters.delete(rider);
          if (flight.waiters.size > 0 || flight.work === undefined) return Effect.void;
          this.#removeFlight(key, flight);
          return Fiber.interrupt(flight.work);
        });
      }),
    );
  }

  #settle({ key, onSettled }: FlightRequest, flight: SharedWork, exit: Exit<Outcome>): void {
    this.#removeFlight(key, flight);
    if (exit._tag === "Success") onSettled(exit.value);
    for (const rider of flight.waiters) rider(exit);
  }

  #removeFlight(key: string, flight: SharedWork): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
