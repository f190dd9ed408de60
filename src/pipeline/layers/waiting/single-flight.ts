import * as Effect from "effect/Effect";
import type { Exit } from "effect/Exit";
import * as Fiber from "effect/Fiber";
import type { CallRequest } from "../../../types/call.ts";
import type { Outcome } from "../../../types/outcome.ts";

interface Flight {
  readonly owner: CallRequest;
  readonly riders: Set<(exit: Exit<Outcome>) => void>;
  work: Fiber.Fiber<Outcome> | undefined;
}

export interface FlightRequest {
  readonly key: string;
  readonly request: CallRequest;
  readonly work: () => Effect.Effect<Outcome>;
  readonly onLanding: (outcome: Outcome) => void;
  readonly share: (outcome: Outcome, owner: CallRequest) => Outcome;
}

/** Deduplicates concurrent work. The work is interrupted when its last waiting call leaves. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>();

  /** The owner must not wait for itself. */
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
