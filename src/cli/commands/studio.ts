import { mountStudio } from "../../server/http/mount-studio.ts";
import { openFrameServer } from "../../server/studio-api/apps/frame-server.ts";
import { studio as openPage } from "../../server/studio-api/studio.ts";
import { userName } from "../approvals/record-answers.ts";
import { command, exitCodes, jsonLines, readCount, type Terminal, waitForAbort } from "../command.ts";
import { openRuntimeWith, recordedRuntimeOptions, resolveRuntimeOptions } from "../open-runtime.ts";
import { painter, toJsonLine } from "../screen.ts";
import { fleetOverviewOption, resolveStudioOptions } from "../studio/resolve-studio-options.ts";
import { isOperator, operatorOptions, readOnlyLinkNote } from "../trust/require-operator.ts";

const defaultStudioPort = 7334;

export { mountGatewayStudio } from "../serve/gateway-studio.ts";

/** Serves the Studio on this machine. */
export const studio = command({
  operands: "[AGENT…]",
  options: {
    ...recordedRuntimeOptions,
    port: {
      type: "string",
      value: "NUMBER",
      about: `port to listen on; default ${defaultStudioPort}; 0 picks a free port`,
    },
    experiments: {
      type: "string",
      multiple: true,
      value: "FOLDER",
      about: "folder with results of haft ab --json; repeatable",
    },
    open: { type: "boolean", about: "open the page in a browser" },
    ...operatorOptions,
    json: jsonLines("the address of the page"),
  },
  examples: [
    { line: "haft studio", about: "calls, approvals and tools of the configuration" },
    { line: "haft studio shop.gram --tools shop.ts", about: "with an agent to chat with" },
    { line: "haft studio --ledger postgres://…", about: "with a ledger that other processes write to" },
  ],
  run: async ({ options, operands, terminal }) => {
    const port = readCount("port", options.port, 0, 65_535) ?? defaultStudioPort;
    const { openHttpHost: httpHost } = await import("../../server/http/http-host.ts");
    const shown = await resolveStudioOptions(operands, options, terminal);
    const opening = await resolveRuntimeOptions(options, terminal, {
      agent: "studio",
      ledger: "default",
      asks: false,
    });
    await using opened = await openRuntimeWith({
      ...opening,
      approver: opening.approver ?? (() => undefined),
    });
    const { haft } = opened;
    // Only the Studio may frame Apps. Its port is known once both servers listen.
    let own: readonly string[] = [];
    await using frames = await openFrameServer(() => own);
    const page = openPage(haft, {
      ...shown,
      ...fleetOverviewOption(haft, terminal),
      appOrigin: frames.origin,
    });
    const host = await httpHost({
      mcp: noMcpEndpoint,
      port,
      auth: { kind: "none", principal: haft.principal! },
      ...mountStudio(page, "", "none"),
      onError: (error, reference) =>
        terminal.error(`${painter(terminal).red("haft:")} ${String(error)} (reference ${reference})\n`),
    });
    const origin = `http://127.0.0.1:${host.port}`;
    own = [origin];
    const access = (await isOperator(terminal, options)) ? "all" : "read";
    const url = `${origin}${page.link(userName(terminal), access)}`;
    printStudioUrl(terminal, url, options.json === true);
    if (access === "read") terminal.error(`${readOnlyLinkNote}\n`);
    if (options.open === true) {
      const { openInBrowser } = await import("../../base/credentials/oauth/open-in-browser.ts");
      await openInBrowser(new URL(url)).catch(() => {});
    }
    await waitForAbort(terminal.signal);
    await page.close();
    await host.close();
    return exitCodes.done;
  },
});

const noMcpEndpoint = {
  fetch: async () => new Response("The Studio does not serve tools. Use haft serve.\n", { status: 404 }),
  close: async () => {},
};

export const printStudioUrl = (terminal: Terminal, url: string, isJson: boolean): void => {
  const { bold, dim } = painter(terminal);
  if (isJson) terminal.out(toJsonLine({ event: "studio", url }));
  else
    terminal.error(
      `${bold("haft studio")} is at ${url}\n${dim("The link signs in once, within five minutes.")}\n`,
    );
};
