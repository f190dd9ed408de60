const reserved = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype", "then", "toJSON"]);

/** Fit to stand before the names of tools, whatever a file calls the server. */
export const isServerId = (id: string): boolean =>
  /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,31}$/.test(id) && !reserved.has(id) && !/[_-]$/.test(id);

export const safeId = (name: string): string => {
  const plain = name
    .slice(0, 200)
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, (between) => (between === "_" ? "_" : "-"))
    .slice(0, 24)
    .replace(/^[_-]+|[_-]+$/g, "");
  return isServerId(plain) ? plain : plain === "" ? "server" : `${plain}-server`;
};

/** Gives every name an id that nobody has yet. Ids that differ only in case are one on some disks. */
export const idGiver = (): ((name: string) => string) => {
  const taken = new Set<string>();
  return (name) => {
    const plain = safeId(name);
    let id = plain;
    for (let count = 2; taken.has(id.toLowerCase()); count++) id = `${plain}-${count}`;
    taken.add(id.toLowerCase());
    return id;
  };
};
