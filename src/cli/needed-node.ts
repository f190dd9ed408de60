const needed = [22, 19] as const;

/** Why this Node cannot run haft, if it cannot. */
export const refuseNode = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > needed[0] || (major === needed[0] && minor >= needed[1]);
  return isEnough ? undefined : `Node ${needed.join(".")} or newer is needed; this is ${version}.`;
};
