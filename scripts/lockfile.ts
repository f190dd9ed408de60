/** The used fields of a lockfile entry. */
export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface CompletedLockfile {
  readonly lock: Lockfile;
  readonly added: readonly string[];
  readonly stripped: number;
}

const systems = "aix android darwin freebsd linux netbsd openbsd openharmony sunos win32".split(" ");
const processors = "arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x wasm32 x64".split(" ");
const isExact = (version: string): boolean => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version);

/** Platform packages have their platform in their name. */
export const platformOf = (name: string): Pick<LockedPackage, "cpu" | "libc" | "os"> => {
  const words = name.slice(name.lastIndexOf("/") + 1).split("-");
  const cpu = words.find((word) => processors.includes(word));
  const os = words.find((word) => systems.includes(word));
  const libc = words.includes("musl") ? "musl" : words.includes("gnu") ? "glibc" : undefined;
  return {
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(libc === undefined ? {} : { libc: [libc] }),
    ...(os === undefined ? {} : { os: [os] }),
  };
};

/** The entry that an import of `name` from `owner` resolves to, from the nearest folder outwards. */
const resolvePackage = (
  packages: Lockfile["packages"],
  owner: string,
  name: string,
): LockedPackage | undefined => {
  for (let folder = owner; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const found = packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`];
    if (found !== undefined || folder === "") return found;
  }
};

/**
 * Adds the optional packages of every platform, so that `npm ci` accepts the lock on all of them, and removes
 * registry hosts, so that any configured registry works. Added packages have no integrity hash yet.
 */
export const completeLockfile = (lock: Lockfile): CompletedLockfile => {
  const packages: Record<string, LockedPackage> = {};
  let stripped = 0;
  for (const [path, { resolved, ...entry }] of Object.entries(lock.packages)) {
    const isHost = resolved !== undefined && /^https?:/.test(resolved);
    if (isHost) stripped += 1;
    packages[path] = isHost || resolved === undefined ? entry : { ...entry, resolved };
  }

  const added: string[] = [];
  for (const [owner, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!isExact(version) || resolvePackage(packages, owner, name)?.version === version) continue;
      const top = `node_modules/${name}`;
      const path = packages[top] === undefined ? top : `${owner}/node_modules/${name}`;
      const { cpu, libc, os } = platformOf(name);
      packages[path] = {
        version,
        ...(cpu && { cpu }),
        ...(entry.dev && { dev: true }),
        ...(entry.devOptional && { devOptional: true }),
        ...(libc && { libc }),
        optional: true,
        ...(os && { os }),
        ...(entry.peer && { peer: true }),
      };
      added.push(path);
    }
  }
  if (added.length === 0) return { lock: { ...lock, packages }, added, stripped };
  const sorted = Object.entries(packages).sort(([left], [right]) => left.localeCompare(right, "en"));
  return { lock: { ...lock, packages: Object.fromEntries(sorted) }, added, stripped };
};

/** `@a/b` of `node_modules/c/node_modules/@a/b`. */
export const packageNameOf = (path: string): string =>
  path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

/** Paths of packages that npm cannot verify at installation. */
export const withoutIntegrity = ({ packages }: Lockfile): readonly string[] =>
  Object.entries(packages)
    .filter(
      ([path, { link, inBundle, integrity }]) => path !== "" && !link && !inBundle && integrity === undefined,
    )
    .map(([path]) => path);
