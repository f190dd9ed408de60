import { mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";
import { vi } from "vitest";

/** Unpacked once for each user: what another has left in the common folder may not be run. */
const unpackedBrowser = async (): Promise<string> => {
  const own = join(tmpdir(), `haft-chromium-${userInfo().uid}`);
  mkdirSync(own, { recursive: true });
  vi.stubEnv("TMPDIR", own);
  const path = await chromium.executablePath();
  vi.unstubAllEnvs();
  return path;
};

/** Flags of the package that take away what is tested here: processes of sites, and what one origin may not of another. */
const unwanted =
  /^--(single-process|disable-site-isolation-trials|disable-web-security|allow-running-insecure-content|no-zygote|disable-features=.*)/;

/** A real browser with the walls between origins that a person's has. */
export const openBrowser = async (): Promise<Browser> =>
  playwright.launch({
    executablePath: await unpackedBrowser(),
    args: [...chromium.args.filter((flag) => !unwanted.test(flag)), "--site-per-process"],
    headless: true,
  });
