import type { Haft } from "../../runtime/haft.ts";
import type { HostAuth } from "../../server/auth/host-auth.ts";
import type { HostOptions } from "../../server/host-options.ts";
import { mountStudio } from "../../server/mount-studio.ts";
import { type FrameServer, openFrameServer } from "../../studio/apps/frame-server.ts";
import { sessions } from "../../studio/sign-in/sessions.ts";
import { type Studio, studioWith } from "../../studio/studio.ts";
import { userName } from "../approvals/answer.ts";
import type { Terminal } from "../command.ts";
import { fleetOf, type GivenStudio, studioOptionsOf } from "../studio/studio-options-of.ts";
import type { Serving } from "./serving.ts";

/** The Studio of a gateway, whichever runtime is behind it at the moment. */
export interface ServedStudio {
  readonly mounted: Required<Pick<HostOptions, "routes" | "isOpen">>;
  readonly link: () => string;
  /** Where it turned out to be, for the frame of Apps. */
  readonly isAt: (url: string) => void;
  readonly close: () => Promise<void>;
}

const base = "/studio";

/** When the configuration is read again, streams end and pages ask anew; nobody has to sign in again. */
export const servedStudio = async (
  serving: Serving,
  given: GivenStudio,
  { auth, isLocal }: { readonly auth: HostAuth["kind"]; readonly isLocal: boolean },
  terminal: Terminal,
): Promise<ServedStudio> => {
  let origins: readonly string[] = [];
  // Whoever looks from elsewhere could not reach a port of this machine.
  const frames: FrameServer | undefined = isLocal ? await openFrameServer(() => origins) : undefined;
  const shown = {
    ...(await studioOptionsOf([], given, terminal)),
    ...fleetOf(serving.haft(), terminal),
    base,
    ...(frames === undefined ? {} : { appOrigin: frames.origin }),
  };
  const known = sessions(Date.now);
  let current: { readonly haft: Haft; readonly page: Studio } | undefined;
  const page = (): Studio => {
    const haft = serving.haft();
    if (current?.haft === haft) return current.page;
    void current?.page.close();
    current = { haft, page: studioWith(haft, shown, known) };
    return current.page;
  };
  const live: Studio = {
    fetch: (request, visit) => page().fetch(request, visit),
    link: (name) => page().link(name),
    close: async () => current?.page.close(),
  };
  return {
    mounted: mountStudio(live, base, auth),
    link: () => live.link(userName(terminal)),
    isAt: (url) => {
      origins = [new URL(url).origin];
    },
    close: async () => {
      await live.close();
      await frames?.[Symbol.asyncDispose]();
    },
  };
};
