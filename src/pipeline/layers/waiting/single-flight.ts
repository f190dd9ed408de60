import * as Effect from "effect/Effect";
import type { Exit } from "effect/Exit";
import * as Fiber from "effect/Fiber";
import type { CallRequest } from "../../../types/call.ts";
import type { Outcome } from "../../../types/outcome.ts";

/** Work that several callers wait for. It belongs to none of them. */
interface Flight {
  /** The call that the work is done for; others ride along. */
  readonly owner: CallRequest;
  readonly riders: Set<(exit: Exit<Outcome>) => void>;
  work: Fiber.Fiber<Outcome> | undefined;
}

export interface FlightRequest {
  readonly key: string;
  readonly request: CallRequest;
  readonly work: () => Effect.Effect<Outcome>;
  /** Hears the outcome once, before anybody who waits for it. */
  readonly onLanding: (outcome: Outcome) => void;
  /** What one who rode along is given for it. */
  readonly share: (outcome: Outcome, owner: CallRequest) => Outcome;
}

/** Equal work is done once at a time. A rider who leaves disturbs nobody; the last one to leave stops it. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>();

  /** The owner met again further in: it must go on, or it would wait for itself. */
  isOwner(key: string, request: CallRequest): boolean {
    return this.#flights.get(key)?.owner === request;
  }

  ride(ride: FlightRequest): Effect.Effect<Outcome> {
    const { key, request, work } = ride;
    return Effect.withFiber((fiber) =>
      Effect.callback((resume) => {
        const found = this.#flights.get(key);
        const flight = found ?? { owner: request, riders: new Set(), work: undefined };
        const rider = (exit: Exit<Outcome>): void =>
          resume(
            found === undefined ? exit : Effect.map(exit, (outcome) => ride.share(outcome, flight.owner)),
          );
        flight.riders.add(rider);
        if (found === undefined) {
          this.#flights.set(key, flight);
          flight.work = Effect.runForkWith(fiber.context)(Effect.suspend(work));
          flight.work.addObserver((exit) => this.#settle(ride, flight, exit));
        }
        return Effect.suspend(() => {
          flight.riders.delete(rider);
          if (flight.riders.size > 0 || flight.work === undefined) return Effect.void;
          this.#removeFlight(key, flight);
          return Fiber.interrupt(flight.work);
        });
      }),
    );
  }

  #settle({ key, onLanding }: FlightRequest, flight: Flight, exit: Exit<Outcome>): void {
    this.#removeFlight(key, flight);
    if (exit._tag === "Success") onLanding(exit.value);
    for (const rider of flight.riders) rider(exit);
  }

  #removeFlight(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
