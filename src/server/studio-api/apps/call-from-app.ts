import type { ApiContext } from "../api-context.ts";
import { callerNamed } from "../permissions/principals.ts";
import { definedFields } from "../read-query.ts";
import type { AppCallBody, AppCallResult, AppReadBody, AppResource } from "../schemas/apps.ts";
import { findServer } from "../servers/show-servers.ts";
import { runLedger } from "../studio-services.ts";
import { findAppTool, requireApp } from "./app-tools.ts";
import { callWithServerResult } from "./call-with-server-result.ts";
import { readServerResource, toAppResource } from "./show-app.ts";

/** Appended to the operator of the call in the ledger. */
const appOperatorSuffix = (uri: string): string => ` by App ${uri.slice(0, 200)}`;

export const callToolFromApp = async (context: ApiContext<AppCallBody>): Promise<AppCallResult> => {
  const { studio, person, params, request } = context;
  const { tool, input } = context.body;
  const uri = params.uri!;
  const { state } = await findServer(studio, params.name!);
  requireApp(studio, state, uri);
  const { key } = findAppTool(studio, state, tool);
  const { callId, reply, result } = await callWithServerResult(studio, key, input, {
    principal: callerNamed(context, undefined),
    operator: `${person.name}${appOperatorSuffix(uri)}`,
    signal: request.signal,
  });
  const [entry] = await runLedger(studio.ledger.entries({ callId, limit: 1 }));
  return { result: result(), ...definedFields({ entryId: entry?.entryId, approvalId: reply.pending?.id }) };
};

export const readResourceFromApp = async (context: ApiContext<AppReadBody>): Promise<AppResource> => {
  const { studio, params } = context;
  const uri = params.uri!;
  const { state } = await findServer(studio, params.name!);
  requireApp(studio, state, uri);
  return toAppResource(await readServerResource(context, context.body.uri, appOperatorSuffix(uri)));
};
