import * as Effect from "effect/Effect";
import type { AuthorizedCall, BoundCall } from "../words/call.ts";
import type { Outcome } from "../words/outcome.ts";
import { intend, isFull, unrecorded } from "./7-record/record.ts";
import type { House } from "./house.ts";

/**
 * What is settled between authorization and the first layer: a risk that wants its start on disk, a key that was used
 * before. Gives what the call comes to without being made, if anything.
 */
export const beforehand = (
  house: House,
  call: AuthorizedCall,
  layers: readonly string[],
  at: number,
): Effect.Effect<Outcome | undefined> | undefined => {
  const written = intend(house, call, layers, at);
  const { key } = call.trip;
  if (written === undefined) return key === undefined ? undefined : claimKey(house, call, at);
  return Effect.flatMap(written, (lost) => {
    if (lost !== undefined) return Effect.succeed(unrecorded(call.registration.key, lost, false));
    return key === undefined ? nothing : claimKey(house, call, at);
  });
};

/** Most calls have nothing to settle, and pay nothing for it. */
export const isSettled = (house: House, call: AuthorizedCall): boolean =>
  call.trip.key === undefined && !isFull(house, call);

const nothing = Effect.succeed(undefined);

/** What a call under its caller's own key comes to without being made, if it was made before. Loaded with the first key. */
export const claimKey = (house: House, call: BoundCall, at: number): Effect.Effect<Outcome | undefined> =>
  Effect.flatMap(
    Effect.promise(() => import("./once.ts")),
    ({ once }) => once(house.ledger, call, at),
  );
