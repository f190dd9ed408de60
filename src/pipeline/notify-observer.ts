import { type CallObserver, type CallRequest, observerOf } from "../types/call.ts";
import type { CallServices } from "./call-state.ts";

/** Exceptions of the observer do not affect the call. */
export const notifyObserver = <A>(
  { layers }: Pick<CallServices, "layers">,
  { layers: { run, agent } }: CallRequest,
  notify: (observer: CallObserver) => A,
): A | undefined => {
  try {
    const observer = observerOf(layers, run, agent);
    return observer && notify(observer);
  } catch {
    return undefined;
  }
};
