import { eventStream, type StreamEvent, toEventText } from "../request/event-stream.ts";
import type { ApiContext } from "./api-context.ts";

export type SendEvent = (event: StreamEvent) => void;

/** Ends with the Studio, the request, the session or the sign-out of its person. */
export const apiEventStream = (
  { studio, person, request }: ApiContext,
  begin: (send: SendEvent, end: () => void) => () => void,
): Response => {
  const { expiresAt, signedOut } = person;
  const expired =
    expiresAt === undefined ? undefined : AbortSignal.timeout(Math.max(0, expiresAt - studio.now()));
  const signals = [studio.closed, request.signal, expired, signedOut].filter((each) => each !== undefined);
  return eventStream({ signals }, ({ write, end }) => begin((event) => write(toEventText(event)), end));
};
