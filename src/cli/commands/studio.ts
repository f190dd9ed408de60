import { mountStudio } from "../../server/mount-studio.ts";
import { openFrameServer } from "../../studio/apps/frame-server.ts";
import { studio as openPage } from "../../studio/studio.ts";
import { userName } from "../approvals/answer.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { keepingOptions, openWith, runtimeOptionsOf } from "../open-runtime.ts";
import { readCount } from "../read-count.ts";
import { painter, toJsonLine } from "../screen.ts";
import { fleetOf, studioOptionsOf } from "../studio/studio-options-of.ts";

const usualPort = 7334;

/** What `haft serve --studio` mounts is loaded with the command that serves it alone. */
export { servedStudio } from "../serve/served-studio.ts";

/** A page over the runtime and its ledger, for whoever sits at this machine. */
export const studio = command({
  operands: "[AGENT…]",
  options: {
    ...keepingOptions,
    port: { type: "string", value: "NUMBER", about: `${usualPort} unless given; 0 takes any free one` },
    experiments: {
      type: "string",
      multiple: true,
      value: "FOLDER",
      about: "where results of haft ab --json are; may be given more than once",
    },
    open: { type: "boolean", about: "open the page in a browser" },
    json: jsonLines("where it is"),
  },
  examples: [
    { line: "haft studio", about: "every call, question and tool of the configuration" },
    { line: "haft studio shop.gram --tools shop.ts", about: "with an agent to chat with" },
    { line: "haft studio --ledger postgres://…", about: "over the ledger that others write to" },
  ],
  run: async ({ options, operands, terminal }) => {
    const port = readCount("port", options.port, 0) ?? usualPort;
    const { httpHost } = await import("../../server/http-host.ts");
    const shown = await studioOptionsOf(operands, options, terminal);
    const opening = await runtimeOptionsOf(options, terminal, {
      agent: "studio",
      ledger: "default",
      asks: false,
    });
    // Whoever is to answer is asked in the page.
    await using opened = await openWith({ ...opening, approver: opening.approver ?? (() => undefined) });
    const { haft } = opened;
    // The frame of Apps is for the Studio alone, whose port is known once both listen.
    let own: readonly string[] = [];
    await using frames = await openFrameServer(() => own);
    const page = openPage(haft, { ...shown, ...fleetOf(haft, terminal), appOrigin: frames.origin });
    const host = await httpHost({
      mcp: nothingServed,
      port,
      auth: { kind: "none", principal: haft.principal! },
      ...mountStudio(page, "", "none"),
      onError: (error) => terminal.error(`${painter(terminal).red("haft:")} ${String(error)}\n`),
    });
    const origin = `http://127.0.0.1:${host.port}`;
    own = [origin];
    const url = `${origin}${page.link(userName(terminal))}`;
    tell(terminal, url, options.json === true);
    if (options.open === true) {
      const { openInBrowser } = await import("../../mcp/client/auth/sign-in/open-in-browser.ts");
      // Who has no browser here opens it elsewhere.
      await openInBrowser(new URL(url)).catch(() => {});
    }
    await aborted(terminal.signal);
    await page.close();
    await host.close();
    return exitCodes.done;
  },
});

/** Tools are served by haft serve, not here. */
const nothingServed = {
  fetch: async () => new Response("The Studio serves no tools: haft serve does.\n", { status: 404 }),
  close: async () => {},
};

export const tell = (terminal: Terminal, url: string, isJson: boolean): void => {
  const { bold, dim } = painter(terminal);
  if (isJson) terminal.out(toJsonLine({ event: "studio", url }));
  else
    terminal.error(
      `${bold("haft studio")} is at ${url}\n${dim("The link signs in once, within five minutes.")}\n`,
    );
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
