import type { Studio } from "../studio-api/studio.ts";
import type { HostOptions } from "./host-options.ts";

/** Without auth, the host's principal does not identify the caller and is ignored. */
export const mountStudio = (
  studio: Studio,
  base: string,
  auth: HostOptions["auth"]["kind"],
): Required<Pick<HostOptions, "routes" | "isOpen">> => ({
  routes: (app) => {
    app.all(`${base}/*`, (c) => {
      const principal = auth === "none" ? undefined : c.env.principal;
      return studio.fetch(c.req.raw, { principal, isHostChecked: true });
    });
    if (base !== "") app.get(base, (c) => c.redirect(`${base}/`));
  },
  isOpen: (path) => path === base || path.startsWith(`${base}/`),
});
