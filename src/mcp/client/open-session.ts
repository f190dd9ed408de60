import { type Client, SdkHttpError } from "@modelcontextprotocol/client";
import { type ToolError, toError } from "../../words/errors.ts";
import type { McpSession, NamedServer, SessionServices } from "../../words/mcp.ts";
import { Callers } from "./session/callers.ts";
import { connect, type OpenedClient } from "./session/connect/connect.ts";
import { prepareWire, type WireOpening } from "./session/connect/open-wire.ts";
import { hearNotifications, SessionNewsHub } from "./session/news.ts";
import { answerQuestions } from "./session/questions.ts";
import { assumeComplete } from "./session/request/assume-complete.ts";
import { carryResult } from "./session/request/carry-result.ts";
import type { ServerConnection } from "./session/server-connection.ts";
import { toSession } from "./session/session.ts";
import { cancelled, type RequestContext, timedOut, toSessionError } from "./session/session-failure.ts";
import type { Wire } from "./transport/wire.ts";

const longestTimerMs = 2_147_483_647;

/** An old server does not know the new transport, and says so with any refusal but these. */
const isOldTransport = (error: unknown): boolean =>
  error instanceof SdkHttpError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 403, 407, 408, 429].includes(error.status);

interface Attempting {
  readonly opening: WireOpening;
  readonly server: NamedServer;
  readonly timeoutMs: number;
  readonly prepare: (client: Client, wire: Wire) => void;
  readonly onWire: (wire: Wire) => void;
}

const connectEither = async (attempting: Attempting): Promise<OpenedClient> => {
  const { opening, timeoutMs } = attempting;
  // The old transport only ever carried the old era.
  const server = opening.isOld ? { ...attempting.server, era: "legacy" as const } : attempting.server;
  const until = Date.now() + timeoutMs;
  const connecting = {
    ...attempting,
    server,
    connectTimeoutMs: timeoutMs,
    leftMs: () => Math.max(1, until - Date.now()),
    openWire: opening.open,
    isHttp: opening.isHttp,
  };
  try {
    return await connect(connecting);
  } catch (error) {
    if (opening.openOld === undefined || !isOldTransport(error)) throw error;
    const old = { ...connecting, openWire: opening.openOld, server: { ...server, era: "legacy" as const } };
    return connect(old).catch(() => {
      throw error;
    });
  }
};

/** Ends the attempt when its time is over or nobody wants it any more, without waiting for what it started. */
const bounded = (
  work: Promise<OpenedClient>,
  asked: RequestContext,
  end: () => void,
  signal: AbortSignal | undefined,
): Promise<OpenedClient> =>
  new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const give = (error: ToolError) =>
      settle(() => {
        end();
        reject(error);
      });
    const onAbort = () => give(cancelled(asked, false));
    const timer = setTimeout(
      () => give(timedOut(asked, false)),
      Math.min(asked.timeoutMs as number, longestTimerMs),
    );
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    work.then(
      (connection) => settle(() => resolve(connection)),
      (error) => settle(() => reject(error)),
    );
  });

/** Connects, shakes hands in whichever era the server speaks, and gives the live connection. */
export const openSession = async (server: NamedServer, services: SessionServices): Promise<McpSession> => {
  const timeoutMs = server.connectTimeoutMs ?? services.connectTimeoutMs;
  const { signal } = services;
  const callers = new Callers();
  const news = new SessionNewsHub();
  let wire: Wire | undefined;
  let isGivenUp = false;
  let mask = (text: string): string => text;
  const asked: RequestContext = {
    id: server.id,
    method: "the connection",
    signal,
    timeoutMs,
    // Whichever there is when something goes wrong.
    get wire() {
      return wire;
    },
    mask: (text) => mask(text),
  };
  if (signal?.aborted === true) throw cancelled(asked, false);
  const onWire = (opened: Wire): void => {
    wire = opened;
    // Came about after its time: whoever waited has gone.
    if (isGivenUp) void opened.close();
    opened.onTrouble = (message) => news.tell({ kind: "trouble", message: mask(message) });
  };
  const prepare = (client: Client): void => {
    answerQuestions(client, callers);
    hearNotifications(client, news, callers);
  };
  const dial = async (): Promise<OpenedClient> => {
    const opening = await prepareWire(server, services);
    mask = opening.mask;
    return connectEither({ opening, server, timeoutMs, prepare, onWire });
  };
  try {
    const giveUp = () => {
      isGivenUp = true;
      void wire?.close();
    };
    const connection = await bounded(dial(), asked, giveUp, signal);
    const isModern = connection.client.getProtocolEra() === "modern";
    const onModern: NonNullable<Wire["onpeek"]> = (message) => {
      assumeComplete(message);
      carryResult(message);
    };
    connection.wire.onpeek = isModern ? onModern : undefined;
    const opened: ServerConnection = {
      id: server.id,
      client: connection.client,
      wire: connection.wire,
      isModern,
      callers,
      callTimeoutMs: server.callTimeoutMs ?? services.callTimeoutMs,
      mask,
      tools: new Map(),
    };
    return toSession(opened, news);
  } catch (error) {
    const known = toSessionError(error, asked);
    // Nothing was called yet, whatever became of the connection.
    const { claimsNotRun: _, ...failure } = known.failure;
    throw failure.ran === true ? toError({ ...failure, ran: false }) : known;
  }
};
