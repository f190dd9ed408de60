import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, normalize } from "node:path";

/** What a program in a bubblewrap sees of the machine. Everything else is not there. */
export interface NamespaceView {
  /** Folders and files that it may read, beside the system's own programs. */
  readonly readOnly?: readonly string[] | undefined;
  /** Folders and files that it may change. */
  readonly writable?: readonly string[] | undefined;
  /**
   * What may lie in /tmp, and as much again in /dev/shm: both are memory of the machine that counts for no process. Unless
   * set: 256 MiB.
   */
  readonly temporaryBytes?: number | undefined;
  /** Where it starts, as it sees it. */
  readonly cwd: string;
  /** Whether it sees the network of the machine, loopback included. Unless set: false. */
  readonly network?: boolean | undefined;
  /** Variables that the program that makes the sandbox must not see itself. */
  readonly setInside?: Readonly<Record<string, string>> | undefined;
}

/** Folders of programs and libraries; where one is only a link, as on most systems now, the link is made again. */
const systemFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Without these programs do not find their libraries, or those that stand for several. */
const systemFiles = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/nix/store", "/gnu/store"];

/** How names are looked up and certificates are checked. */
const networkFiles = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates",
];

/** The arguments of bwrap up to the program. Later ones lie over earlier ones, so an inner folder comes after its outer one. */
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
  // Both are memory too, without a limit. What lies over them is not touched by this.
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

/** Over these lies what the sandbox itself brings. */
const reservedPaths = /^\/(?:proc|dev|sys)(?:\/|$)/;

/** Why a path cannot be shown inside, or undefined where it can. */
export const rootProblem = (path: string): string | undefined => {
  const shown = JSON.stringify(path);
  if (!isAbsolute(path) || path.includes("\0")) return `${shown} is not an absolute path`;
  const plain = normalize(path);
  if (plain === "/") return `${shown} is everything; name the folders that are needed`;
  if (reservedPaths.test(plain)) return `${shown} is the system's own; leave it out`;
  if (!existsSync(plain)) return `${shown} does not exist`;
  return undefined;
};
