import type { Studio } from "../studio-api/studio.ts";
import type { HostOptions } from "./host-options.ts";

/** Without auth, the host's principal does not identify the caller and is ignored. */
export const mountStudio = (
  studio: Studio,
  base: string,
  auth: HostOptions["auth"]["kind"],
): Required<Pick<HostOptions, "routes" | "isOpen">> => ({
  routes: async (request, { principal }) => {
    const { pathname } = new URL(request.url);
    if (base !== "" && pathname === base)
      return new Response(null, { status: 302, headers: { location: `${base}/` } });
    return studio.fetch(request, {
      principal: auth === "none" ? undefined : principal,
      isHostChecked: true,
    });
  },
  isOpen: (path) => path === base || path.startsWith(`${base}/`),
});
