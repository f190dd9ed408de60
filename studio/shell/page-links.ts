import type { Me } from "@api/shared.ts";
import {
  Bot,
  FlaskConical,
  Gauge,
  type IconComponent,
  Inbox,
  ListTree,
  Network,
  Server,
  ShieldCheck,
  Waypoints,
  Wrench,
} from "../components/icons.tsx";

export interface PageLink {
  readonly to: string;
  readonly name: string;
  readonly icon: IconComponent;
  readonly isAvailable: (features: Me["features"]) => boolean;
}

const always = (): boolean => true;

export const pageLinks: readonly PageLink[] = [
  { to: "/", name: "Overview", icon: Gauge, isAvailable: always },
  { to: "/calls", name: "Calls", icon: ListTree, isAvailable: always },
  { to: "/runs", name: "Runs", icon: Waypoints, isAvailable: ({ runs }) => runs },
  { to: "/approvals", name: "Approvals", icon: Inbox, isAvailable: ({ approvals }) => approvals },
  { to: "/tools", name: "Tools", icon: Wrench, isAvailable: always },
  { to: "/servers", name: "Servers", icon: Server, isAvailable: ({ servers }) => servers },
  { to: "/permissions", name: "Permissions", icon: ShieldCheck, isAvailable: always },
  { to: "/agents", name: "Agents", icon: Bot, isAvailable: ({ agents }) => agents },
  {
    to: "/experiments",
    name: "Experiments",
    icon: FlaskConical,
    isAvailable: ({ experiments }) => experiments,
  },
  { to: "/fleet", name: "Fleet", icon: Network, isAvailable: ({ fleet }) => fleet },
];
