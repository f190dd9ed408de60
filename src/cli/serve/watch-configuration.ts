import { existsSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { configurationFile, projectFile, serversFile } from "../read-configuration.ts";

const debounceMs = 150;

/** Calls back once writes have paused, one call at a time. Stopping waits for a running call. */
export const watchConfiguration = (
  file: string | undefined,
  trustFile: string,
  onChange: (version: string) => Promise<void>,
): (() => Promise<void>) => {
  const project = [configurationFile(file), projectFile(file, serversFile)];
  const watched = [...project, ...(existsSync(dirname(trustFile)) ? [trustFile] : [])].flatMap((each) =>
    each === undefined ? [] : [resolve(each)],
  );
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let count = 0;
  const scheduleReload = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      count += 1;
      const version = String(count);
      running = running.then(() => onChange(version));
    }, debounceMs);
  };
  const watchers = [...new Set(watched.map((each) => dirname(each)))].map((folder) => {
    const names = watched.filter((each) => dirname(each) === folder).map((each) => basename(each));
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name !== null && names.includes(name)) scheduleReload();
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
