import type { Studio } from "../studio/studio.ts";
import type { HostOptions } from "./host-options.ts";

/** The Studio below a path of the host, or at its root where there is none. It knows its callers by a token or by its own cookie. */
export const mountStudio = (
  studio: Studio,
  base: string,
): Required<Pick<HostOptions, "routes" | "isOpen">> => ({
  routes: (app) => {
    app.all(`${base}/*`, (c) => studio.fetch(c.req.raw, { principal: c.env.principal, isOwnHost: true }));
    if (base !== "") app.get(base, (c) => c.redirect(`${base}/`));
  },
  isOpen: (path) => path === base || path.startsWith(`${base}/`),
});
