/** The path below which the page is mounted, with a slash at its end: files lie in `assets/` below it. */
export const basePath: string = import.meta.env.DEV
  ? "/"
  : new URL(/* @vite-ignore */ "..", import.meta.url).pathname;

export const apiBase = `${basePath}api/v1`;
