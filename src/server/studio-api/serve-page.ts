import { existsSync, readFileSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ParsedStudioOptions } from "./studio-options.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

const contentSecurityPolicyOf = (appOrigin: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    `frame-src ${appOrigin ?? "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

export const securityHeaders = (appOrigin: string | undefined): Readonly<Record<string, string>> => ({
  "content-security-policy": contentSecurityPolicyOf(appOrigin),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
});

/** Paths without a file extension are routes of the page and get index.html. */
export const servePage = ({
  assets = join(packageRoot(), "dist", "studio"),
  base,
  appOrigin,
}: ParsedStudioOptions): ((path: string) => Promise<Response>) => {
  const headers = securityHeaders(appOrigin);
  const answer = (
    body: string | Uint8Array<ArrayBuffer>,
    type: string,
    cache: string,
    status = 200,
  ): Response =>
    new Response(body, { status, headers: { ...headers, "content-type": type, "cache-control": cache } });
  return async (path) => {
    const file = await readFileInside(assets, path);
    if (file !== undefined && path !== "/index.html") {
      const isHashed = /[-.][\w-]{8,}\.\w+$/.test(path);
      const cache = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
      return answer(file, contentTypes[extname(path)] ?? "application/octet-stream", cache);
    }
    if (extname(path) !== "" && path !== "/index.html")
      return answer(`There is no file ${path}.\n`, plainTextType, "no-store", 404);
    const index = await readFileInside(assets, "/index.html");
    if (index === undefined) return answer(missingPageText, plainTextType, "no-store", 404);
    return answer(prefixPaths(Buffer.from(index).toString("utf8"), base), contentTypes[".html"]!, "no-cache");
  };
};

/** The package folder, independent of bundling. */
const packageRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
};

export const packageVersion = (): string => {
  const text = readFileSync(join(packageRoot(), "package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
};

const plainTextType = "text/plain; charset=utf-8";

const missingPageText =
  "This build of haft does not contain the page of the Studio. Run npm run studio:build.\n" +
  "The API works without the page. See /api/v1/openapi.json for its routes.\n";

const prefixPaths = (html: string, base: string): string =>
  base === "" ? html : html.replaceAll(/\b(src|href)="\/(?!\/)/g, `$1="${base}/`);

/** Prevents path traversal, also through symbolic links. */
const readFileInside = async (folder: string, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  if (path === "/" || path.includes("\0") || path.split(/[\\/]/).includes("..")) return undefined;
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, path))]);
    return file.startsWith(root + sep) ? new Uint8Array(await readFile(file)) : undefined;
  } catch {
    return undefined;
  }
};
