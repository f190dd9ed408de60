import type { Studio } from "../studio-api/studio.ts";
import type { HostOptions } from "./host-options.ts";

/**
 * The Studio below a path of the host, or at its root where there is none. It knows its callers by its own cookie, or by
 * a token; where the host lets everybody in, a token says nothing of who shows it.
 */
export const mountStudio = (
  studio: Studio,
  base: string,
  auth: HostOptions["auth"]["kind"],
): Required<Pick<HostOptions, "routes" | "isOpen">> => ({
  routes: (app) => {
    app.all(`${base}/*`, (c) => {
      const principal = auth === "none" ? undefined : c.env.principal;
      return studio.fetch(c.req.raw, { principal, isOwnHost: true });
    });
    if (base !== "") app.get(base, (c) => c.redirect(`${base}/`));
  },
  isOpen: (path) => path === base || path.startsWith(`${base}/`),
});
