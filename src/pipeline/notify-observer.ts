import type { CallRequest } from "../words/call.ts";
import { type CallObserver, observerOf } from "../words/observer.ts";
import type { CallServices } from "./call-services.ts";

/** Tells whoever watches. What is foreign code there is on its own. */
export const observe = <A>(
  { layers }: Pick<CallServices, "layers">,
  { layers: { run, agent } }: CallRequest,
  tell: (observer: CallObserver) => A,
): A | undefined => {
  try {
    const observer = observerOf(layers, run, agent);
    return observer && tell(observer);
  } catch {
    return undefined;
  }
};
