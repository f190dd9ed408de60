import { spawn } from "node:child_process";

const openCommands: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** The URL is one program argument and passes through no shell. */
export const openInBrowser = (url: string | URL): Promise<void> => {
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:")
    return Promise.reject(
      new Error(`Only http: and https: URLs can be opened, not ${protocol.slice(0, 40)}`),
    );
  const [command, ...before] = openCommands[process.platform] ?? ["xdg-open"];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...before, href], { stdio: "ignore", detached: true, shell: false });
    child.once("error", reject);
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
};
