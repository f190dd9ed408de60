// A real browser, out of a package of the registry.
import { mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Unpacked once for each user: what another has left in the common folder may not be run. */
export const openBrowser = async (): Promise<Browser> => {
  const own = join(tmpdir(), `haft-chromium-${userInfo().uid}`);
  mkdirSync(own, { recursive: true });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = own;
  const executablePath = await chromium.executablePath();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  return playwright.launch({
    executablePath,
    // With one process for all, closing the first page would end the browser.
    args: chromium.args.filter((flag) => flag !== "--single-process"),
    headless: true,
  });
};
