import { given } from "../calls/call-line.ts";
import { actingAs } from "../rights/principals.ts";
import { findServer } from "../servers/show-servers.ts";
import type { Visit } from "../visit.ts";
import type { AppCallBody, AppCallResult, AppReadBody, AppResource } from "../words/apps.ts";
import { ask } from "../world.ts";
import { checkApp, toolForApp } from "./app-tools.ts";
import { heardCall } from "./heard-call.ts";
import { readAs, resourceOf } from "./show-app.ts";

/** So that the ledger tells what a page did from what a person did. */
const byApp = (uri: string): string => ` by App ${uri.slice(0, 200)}`;

/** A call that the page of an App makes, as who is signed in: of a tool of its own server that is for Apps, and no other. */
export const callFromApp = async (visit: Visit): Promise<AppCallResult> => {
  const { world, person, params, request } = visit;
  const { tool, input } = visit.body as unknown as AppCallBody;
  const uri = params.uri!;
  const { state } = await findServer(world, params.name!);
  checkApp(world, state, uri);
  const { key } = toolForApp(world, state, tool);
  const { callId, reply, result } = await heardCall(world, key, input, {
    principal: actingAs(visit, undefined),
    correlationId: `studio ${person.name}${byApp(uri)}`,
    signal: request.signal,
  });
  const [entry] = await ask(world.ledger.entries({ callId, limit: 1 }));
  return { result: result(), ...given({ entryId: entry?.entryId, pending: reply.pending?.id }) };
};

/** A resource that the page of an App reads, of its own server. */
export const readFromApp = async (visit: Visit): Promise<AppResource> => {
  const { world, params } = visit;
  const uri = params.uri!;
  const { state } = await findServer(world, params.name!);
  checkApp(world, state, uri);
  return resourceOf(await readAs(visit, (visit.body as unknown as AppReadBody).uri, byApp(uri)));
};
