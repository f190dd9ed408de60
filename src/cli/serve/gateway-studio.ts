import type { Haft } from "../../runtime/haft.ts";
import type { HostAuth } from "../../server/http/auth/host-auth.ts";
import type { HostOptions } from "../../server/http/host-options.ts";
import { mountStudio } from "../../server/http/mount-studio.ts";
import { type FrameServer, openFrameServer } from "../../server/studio-api/apps/frame-server.ts";
import { createSignInSessions } from "../../server/studio-api/sign-in-sessions.ts";
import { type Studio, studioWithSessions } from "../../server/studio-api/studio.ts";
import { userName } from "../approvals/record-answers.ts";
import type { Terminal } from "../command.ts";
import {
  fleetOverviewOption,
  resolveStudioOptions,
  type StudioFlags,
} from "../studio/resolve-studio-options.ts";
import type { GatewayRuntime } from "./gateway-runtime.ts";

export interface GatewayStudio {
  readonly mounted: Required<Pick<HostOptions, "routes" | "isOpen">>;
  readonly link: (access: "all" | "read") => string;
  readonly isAt: (url: string) => void;
  readonly close: () => Promise<void>;
}

const studioBasePath = "/studio";

/** After a reload, streams end and pages reconnect; sign-in sessions stay valid. */
export const mountGatewayStudio = async (
  serving: GatewayRuntime,
  flags: StudioFlags,
  { auth, isLocal }: { readonly auth: HostAuth["kind"]; readonly isLocal: boolean },
  terminal: Terminal,
): Promise<GatewayStudio> => {
  let origins: readonly string[] = [];
  // Remote browsers cannot reach a local port.
  const frames: FrameServer | undefined = isLocal ? await openFrameServer(() => origins) : undefined;
  const shown = {
    ...(await resolveStudioOptions([], flags, terminal)),
    ...fleetOverviewOption(serving.haft(), terminal),
    base: studioBasePath,
    ...(frames === undefined ? {} : { appOrigin: frames.origin }),
  };
  const signInSessions = createSignInSessions(Date.now);
  let current: { readonly haft: Haft; readonly page: Studio } | undefined;
  const page = (): Studio => {
    const haft = serving.haft();
    if (current?.haft === haft) return current.page;
    void current?.page.close();
    current = { haft, page: studioWithSessions(haft, shown, signInSessions) };
    return current.page;
  };
  const live: Studio = {
    fetch: (request, visit) => page().fetch(request, visit),
    link: (name, access) => page().link(name, access),
    close: async () => current?.page.close(),
  };
  return {
    mounted: mountStudio(live, studioBasePath, auth),
    link: (access) => live.link(userName(terminal), access),
    isAt: (url) => {
      origins = [new URL(url).origin];
    },
    close: async () => {
      await live.close();
      await frames?.[Symbol.asyncDispose]();
    },
  };
};
