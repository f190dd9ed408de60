import type { SkillSettings } from "./skill-settings.ts";

type CheckedSettings = Pick<SkillSettings, "http" | "search" | "commands">;

/** The message begins with the setting. */
export const skillSettingsProblem = ({ http, search, commands }: CheckedSettings): string | undefined => {
  const host = http.hosts.find((each) => !isHostPattern(each));
  if (host !== undefined) {
    return `/skills/http/hosts has ${JSON.stringify(host)}; write only a host, such as "example.com", "*.example.com", "example.com:8443", or "*" for all.`;
  }
  if (search.provider === "searxng" && search.url === undefined) {
    return '/skills/search/url is required for the provider "searxng"; write its URL, such as "https://search.example".';
  }
  if (search.url !== undefined && !/^https?:$/.test(URL.parse(search.url)?.protocol ?? "")) {
    return `/skills/search/url is ${JSON.stringify(search.url)}; it must be an absolute URL, such as "https://search.example".`;
  }
  for (const [command, { args = [] }] of Object.entries(commands)) {
    if (/\s/.test(command)) {
      return `/skills/commands has ${JSON.stringify(command)}; write only the program, and its options under \`args\`.`;
    }
    const operand = args.find((arg) => !arg.startsWith("-"));
    if (operand !== undefined) {
      return `/skills/commands/${command}/args has ${JSON.stringify(operand)}; only words that begin with "-" need a grant.`;
    }
  }
  return undefined;
};

const isHostPattern = (pattern: string): boolean => {
  const [, name = ""] = /^(.*?)(?::\d+)?$/.exec(pattern) ?? [];
  if (name === "*") return true;
  const host = name.replace(/^\*\./, "");
  return (
    !/[*@/?#\\\s]/.test(host) &&
    URL.parse(`http://${host}/`)?.hostname.replace(/\.$/, "") === host.toLowerCase()
  );
};
