import { existsSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import {
  type ConversationCounters,
  createConversationCounters,
  createConversationTaints,
} from "../../server/gateway/conversation-taints.ts";
import {
  openSharedClientState,
  type SharedClientState,
  type SharedClientStateResult,
} from "../../server/gateway/shared-client-state.ts";
import { recallWaitingCalls } from "../../server/gateway/waiting-calls.ts";
import { configurationFile, projectFile, serversFile } from "../read-configuration.ts";

type OwnClientState = Pick<SharedClientState, "conversationTaints" | "waitingCalls">;

interface GatewayClientState extends OwnClientState {
  readonly conversationCounters: ConversationCounters;
}

export interface ClientState {
  /** The same for all runtimes that a reload opens. */
  readonly over: (haft: Haft) => Promise<GatewayClientState>;
  readonly shared: () => Promise<SharedClientStateResult>;
}

/** Over HTTP, gateways on one ledger share this state. Over stdio there is one client. */
export const createClientState = (isShared: boolean): ClientState => {
  let shared: Promise<SharedClientStateResult> | undefined;
  let own: Promise<OwnClientState> | undefined;
  const conversationCounters = createConversationCounters(Date.now);
  return {
    over: async (haft) => {
      shared ??= isShared ? openSharedClientState(haft) : Promise.resolve({});
      const { state } = await shared;
      own ??= state === undefined ? openOwnState(haft) : Promise.resolve(state);
      return { ...(await own), conversationCounters };
    },
    shared: () => shared ?? Promise.resolve({}),
  };
};

const openOwnState = async (haft: Haft): Promise<OwnClientState> => ({
  conversationTaints: createConversationTaints(Date.now),
  waitingCalls: await recallWaitingCalls(sharedRuntimes.get(haft)!.ledger),
});

const debounceMs = 150;

/** Calls back once writes have paused, one call at a time. Stopping waits for a running call. */
export const watchConfiguration = (
  file: string | undefined,
  trustFile: string,
  onChange: (version: string) => Promise<void>,
): (() => Promise<void>) => {
  const project = [configurationFile(file), projectFile(file, serversFile)];
  const watched = [...project, ...(existsSync(dirname(trustFile)) ? [trustFile] : [])].flatMap((each) =>
    each === undefined ? [] : [resolve(each)],
  );
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let count = 0;
  const scheduleReload = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      count += 1;
      const version = String(count);
      running = running.then(() => onChange(version));
    }, debounceMs);
  };
  const watchers = [...new Set(watched.map((each) => dirname(each)))].map((folder) => {
    const names = watched.filter((each) => dirname(each) === folder).map((each) => basename(each));
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name !== null && names.includes(name)) scheduleReload();
    });
    watcher.on("error", () => {});
    return watcher;
  });
  return async () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    await running;
  };
};
