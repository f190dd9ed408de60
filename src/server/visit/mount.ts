import type { HostOptions } from "../host-options.ts";
import { type Refusal, refusal } from "../refusal.ts";
import { bodyOf, headersOf } from "../wire/refuse.ts";
import type { House } from "./house.ts";
import { broken } from "./house.ts";

const toResponse = (refused: Refusal): Response => {
  const body = bodyOf(refused);
  return new Response(body, { status: refused.status, headers: headersOf(refused, body) });
};

/** What later rooms answer, behind all the checks of the host. Hono is loaded only where there is something. */
export const mount = async (
  { routes }: HostOptions,
  onError: (error: unknown) => void,
): Promise<House["app"]> => {
  if (routes === undefined) return undefined;
  const { Hono } = await import("hono");
  const app: Parameters<typeof routes>[0] = new Hono();
  app.notFound(() => toResponse(refusal(404, "not_found", "There is nothing here.")));
  app.onError((error) => {
    onError(error);
    return toResponse(broken());
  });
  routes(app);
  return async (request, principal) => app.fetch(request, { principal });
};
