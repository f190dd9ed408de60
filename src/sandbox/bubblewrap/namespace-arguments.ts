import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, normalize } from "node:path";

/** Everything else is hidden. */
export interface NamespaceView {
  /** In addition to the system's programs. */
  readonly readOnly?: readonly string[] | undefined;
  readonly writable?: readonly string[] | undefined;
  /** Size of /tmp and of /dev/shm, each, which count for no process. Unless set: 256 MiB. */
  readonly temporaryBytes?: number | undefined;
  readonly cwd: string;
  /** Includes loopback. Unless set: false. */
  readonly network?: boolean | undefined;
  /** Environment variables that only the program receives, and not bwrap itself. */
  readonly setInside?: Readonly<Record<string, string>> | undefined;
}

const systemFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Programs need these to find their libraries. */
const systemFiles = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/nix/store", "/gnu/store"];

const networkFiles = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates",
];

/** Later mounts cover earlier ones, so inner folders come last. */
export const namespaceArguments = (view: NamespaceView): readonly string[] => [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...(view.network === true ? [] : ["--unshare-net"]),
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  "--hostname",
  "sandbox",
  "--ro-bind",
  "/usr",
  "/usr",
  ...systemFolders.flatMap(systemFolderArguments),
  ...[...systemFiles, ...(view.network === true ? networkFiles : [])].flatMap((path) => [
    "--ro-bind-try",
    path,
    path,
  ]),
  "--proc",
  "/proc",
  "--dev",
  "/dev",
  ...temporaryArguments(view, "/dev/shm"),
  ...temporaryArguments(view, "/tmp"),
  ...rootArguments(view),
  // Both would be memory without a limit. Mounts on top of them are not affected.
  "--remount-ro",
  "/dev",
  "--remount-ro",
  "/",
  "--chdir",
  view.cwd,
  ...Object.entries(view.setInside ?? {}).flatMap(([name, value]) => ["--setenv", name, value]),
  "--",
];

const temporaryArguments = (
  { temporaryBytes = 256 * 1024 * 1024 }: NamespaceView,
  path: string,
): readonly string[] => ["--size", String(temporaryBytes), "--tmpfs", path];

const systemFolderArguments = (path: string): readonly string[] => {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink()
    ? ["--symlink", readlinkSync(path), path]
    : ["--ro-bind", path, path];
};

const rootArguments = ({ readOnly = [], writable = [] }: NamespaceView): readonly string[] =>
  [
    ...readOnly.map((path) => ["--ro-bind", normalize(path)] as const),
    ...writable.map((path) => ["--bind", normalize(path)] as const),
  ]
    .sort(([, one], [, other]) => one.length - other.length)
    .flatMap(([how, path]) => [how, path, path]);

/** bwrap mounts these paths itself. */
const reservedPaths = /^\/(?:proc|dev|sys)(?:\/|$)/;

export const rootProblem = (path: string): string | undefined => {
  const shown = JSON.stringify(path);
  if (!isAbsolute(path) || path.includes("\0")) return `${shown} is not an absolute path`;
  const plain = normalize(path);
  if (plain === "/") return `${shown} is the whole file system; list only the folders that are needed`;
  if (reservedPaths.test(plain)) return `${shown} is always provided by the sandbox; remove it from the list`;
  if (!existsSync(plain)) return `${shown} does not exist`;
  return undefined;
};
