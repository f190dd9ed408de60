import type { AppOrigins } from "@api/apps.ts";

/** Where the frame is had, with what the App may reach in the address: the frame's server makes its policy of that. */
export const frameAddress = (appOrigin: string, studio: string, reach: AppOrigins): string => {
  const query = new URLSearchParams({ studio });
  for (const [kind, sources] of Object.entries(reach))
    for (const source of sources) query.append(kind, source);
  return `${appOrigin}/?${query}`;
};

/** Ports share cookies and, in browsers, processes; so an App is shown under another host name or not at all. */
export const hasOtherHost = (appOrigin: string, studio: string): boolean =>
  new URL(appOrigin).hostname !== new URL(studio).hostname;
