import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { configurationFile, projectFile, serversFile } from "../read-configuration.ts";

const quiet = 150;

/**
 * Calls back, one at a time, when the configuration or the servers beside it changed and nobody writes any more.
 * Stopping it waits for the call that is under way.
 */
export const watchConfiguration = (
  file: string | undefined,
  changed: (version: string) => Promise<void>,
): (() => Promise<void>) => {
  const watched = [configurationFile(file), projectFile(file, serversFile)].flatMap((each) =>
    each === undefined ? [] : [resolve(each)],
  );
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let count = 0;
  const notice = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      count += 1;
      const version = String(count);
      running = running.then(() => changed(version));
    }, quiet);
  };
  const watchers = [...new Set(watched.map((each) => dirname(each)))].map((folder) => {
    const names = watched.filter((each) => dirname(each) === folder).map((each) => basename(each));
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name !== null && names.includes(name)) notice();
    });
    watcher.on("error", () => {});
    return watcher;
  });
  return async () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    await running;
  };
};
