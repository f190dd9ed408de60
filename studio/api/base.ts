/** Path of the page, which ends with a slash. */
export const basePath: string = import.meta.env.DEV
  ? "/"
  : new URL(/* @vite-ignore */ "..", import.meta.url).pathname;

export const apiBase = `${basePath}api/v1`;
