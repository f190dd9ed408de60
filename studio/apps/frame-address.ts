import type { AppOrigins } from "@api/apps.ts";

/** The parameters name the allowed origins, from which the frame's server makes the CSP. */
export const frameAddress = (appOrigin: string, studio: string, allowedOrigins: AppOrigins): string => {
  const query = new URLSearchParams({ studio });
  for (const [kind, sources] of Object.entries({ ...allowedOrigins }))
    for (const source of sources) query.append(kind, source);
  return `${appOrigin}/?${query}`;
};

/** Cookies are shared across ports. */
export const hasOtherHost = (appOrigin: string, studio: string): boolean =>
  new URL(appOrigin).hostname !== new URL(studio).hostname;
