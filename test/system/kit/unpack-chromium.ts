import { unpackChromium } from "./launch-browser.ts";

/**
 * Unpacks Chromium before tests start processes: Linux does not execute a file that is open for writing
 * (ETXTBSY).
 */
export default async (): Promise<void> => {
  process.env.HAFT_TEST_CHROMIUM = await unpackChromium();
};
