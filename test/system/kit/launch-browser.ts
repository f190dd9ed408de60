import { mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

export type { Browser, Page } from "playwright-core";

/** Default flags that weaken origin isolation, or end the browser with its first page. */
const unwantedFlags =
  /^--(single-process|disable-site-isolation-trials|disable-web-security|allow-running-insecure-content|no-zygote|disable-features=.*)/;

/**
 * Unpacks Chromium into a folder of this user: a binary of another user in the shared folder must not run.
 */
export const unpackChromium = async (): Promise<string> => {
  const folder = join(tmpdir(), `haft-chromium-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    return await chromium.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
};

/** Launches a browser with site isolation. */
export const launchBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: process.env.HAFT_TEST_CHROMIUM ?? (await unpackChromium()),
    args: [...chromium.args.filter((flag) => !unwantedFlags.test(flag)), "--site-per-process"],
    headless: true,
  });
