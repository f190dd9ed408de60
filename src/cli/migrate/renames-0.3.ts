/** Names are looked up by the new path of their entry point. */
export interface Renames {
  /** Old path of an entry point → new path. A path that ends in `/` is a prefix. */
  readonly entryPoints: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, ExportRenames>>;
  readonly options: Readonly<Record<string, OptionsRenames>>;
  /** Only reported, because finding their uses needs types. */
  readonly members: readonly MemberRename[];
  readonly removed: readonly RemovedCall[];
}

export interface ExportRenames {
  readonly values?: Readonly<Record<string, string>>;
  readonly types?: Readonly<Record<string, string>>;
}

export interface OptionsRenames {
  /** Such as `mcp.spill` → `truncateToFile`. */
  readonly fields: Readonly<Record<string, string>>;
  /** As `entry point:export`. */
  readonly types: readonly string[];
  /** As `entry point:export`, with the position of the argument. */
  readonly calls: Readonly<Record<string, number>>;
}

export interface MemberRename {
  readonly owner: string;
  readonly from: string;
  readonly to: string;
  /** Files that import one of these exports may use the member. */
  readonly imports: readonly string[];
  /** Limits common names to accesses on an expression that ends in this name. */
  readonly on?: string;
}

export interface RemovedCall {
  readonly call: string;
  /** Default: every call. */
  readonly argument?: "function";
  readonly remedy: string;
}

const integrationTypes = {
  BridgeLoss: "ImportLoss",
  BridgeOptions: "IntegrationOptions",
  ForeignTools: "ImportedTools",
  FromOptions: "ImportToolsOptions",
  PausedCallQuestion: "PausedCallRequest",
} as const;

const modelTypes = {
  Echo: "ProviderEcho",
  Finish: "FinishReason",
  LostPart: "OmittedPart",
  RequestTool: "ModelTool",
  TakenMedia: "AcceptedMedia",
} as const;

const outcomeTypes = { Failed: "FailureOutcome", Value: "ValueOutcome" } as const;

const ledgerTypes = {
  ApprovalBook: "ApprovalStore",
  Closing: "EntryClosing",
  Ending: "EntryEnding",
  Opening: "EntryOpening",
  Recalled: "EntryTexts",
  RunBook: "RunStore",
} as const;

const haftOptions = ["haft:Haft", "haft:HaftOptions", "haft:HaftConfig"];

/** The migration guide and the changelog print their tables from this. */
export const renames03: Renames = {
  entryPoints: { "haft/bridges/": "haft/integrations/", "haft/ui": "haft/chat" },
  exports: {
    haft: {
      values: { OutsideError: "HttpEgressError" },
      types: {
        ...ledgerTypes,
        ...modelTypes,
        ...outcomeTypes,
        AskPerson: "ApprovalHandler",
        CallStanding: "SessionCallStatus",
        GivenMedia: "MediaInput",
        GivenUp: "CancelResult",
        Hydrated: "HydrateReturn",
        Loss: "ExportLoss",
        McpDoor: "McpServers",
        McpToolTerms: "McpToolOverrides",
        NamedServer: "NamedMcpServer",
        Offering: "FormattedOffer",
        OneCallOptions: "SingleCallOptions",
        Origin: "ToolOrigin",
        OutsideOptions: "HttpEgressOptions",
        Pending: "PendingOutcome",
        Picked: "PickedTool",
        Place: "ToolPlace",
        Run: "ToolFunction",
        SessionQuestion: "SessionModelRequest",
      },
    },
    "haft/agent": { types: { Bound: "BoundTool", Judgment: "RunScore", RunRecord: "ExperimentRun" } },
    "haft/effect": {
      values: {
        Corridor: "Pipeline",
        Outside: "HttpEgress",
        corridorLayer: "pipelineLayer",
        outsideLayer: "httpEgressLayer",
      },
      types: {
        ApprovalDesk: "ApproverService",
        OutsideClient: "HttpEgressClient",
        ToolCorridor: "ToolPipeline",
      },
    },
    "haft/fleet": { types: { MeasuredWorker: "WorkerMetrics", RestingRun: "InactiveRun" } },
    "haft/gram": {
      types: {
        AgentReading: "ReadAgentResult",
        GramReading: "ReadGramResult",
        Parameter: "SignatureParameter",
        SignatureReading: "ReadSignatureResult",
        SignatureText: "SchemaToSignatureResult",
        ToolsReading: "ReadToolsResult",
      },
    },
    "haft/integrations/ai-sdk": { types: { AboutTool: "ToolOverrides", ...integrationTypes } },
    "haft/integrations/effect-ai": { types: { AboutTool: "ToolOverrides", ...integrationTypes } },
    "haft/integrations/langchain": { types: integrationTypes },
    "haft/integrations/mastra": {
      types: { AboutTool: "ToolOverrides", ...integrationTypes, MastraQuestion: "MastraApprovalRequest" },
    },
    "haft/integrations/openai-agents": { types: { AboutTool: "ToolOverrides", ...integrationTypes } },
    "haft/layers": { types: outcomeTypes },
    "haft/ledger": {
      types: {
        ...ledgerTypes,
        Answered: "AnswerStatus",
        Answering: "RecordedAnswer",
        Circumstances: "CallFacts",
        Intent: "StartIntent",
        KeeperOptions: "LedgerAdminOptions",
        KeyUse: "KeyUsage",
        LedgerKeeper: "LedgerAdmin",
        Pruned: "PruneResult",
      },
    },
    "haft/mcp": { types: { FoundServer: "DiscoveredServer" } },
    "haft/models": { types: modelTypes },
    "haft/sandbox": {
      types: {
        LimitName: "SandboxLimitName",
        LogLine: "SandboxLogLine",
        Program: "SandboxProgram",
        WorkerOptions: "ToolWorkerOptions",
      },
    },
    "haft/selection": {
      types: {
        FoundTerm: "MatchedTerm",
        FoundTool: "ToolSearchHit",
        SetScorer: "ToolRanker",
        TermPlace: "TermLocation",
        ToolSearch: "ToolSearchResults",
      },
    },
    "haft/studio": {
      types: {
        AgentLine: "AgentListItem",
        AppLine: "ServerApp",
        AppReach: "AppOrigins",
        CallFigures: "CallStats",
        CallLine: "CallListItem",
        ExperimentLine: "ExperimentListItem",
        Finding: "ValidationIssue",
        FoundLine: "ToolMatch",
        GroupFigures: "GroupStats",
        LedgerPlace: "LedgerLocation",
        Looked: "SampleInfo",
        Right: "Permission",
        RightCircumstance: "PermissionFactor",
        RightEffect: "PermissionEffect",
        RightExplained: "PermissionExplanation",
        Rights: "Permissions",
        RunLine: "RunListItem",
        ServerLogLine: "ServerLogEntry",
        SignInAddress: "SignInUrl",
        StudioVisit: "StudioRequest",
        ToolCopies: "ToolSnippets",
        ToolLine: "ToolListItem",
      },
    },
    "haft/testing": {
      types: {
        Line: "ScriptLine",
        Replay: "ReplayReport",
        TapeEntry: "CassetteEntry",
        TapedOutcome: "RecordedOutcome",
      },
    },
  },
  options: {
    HaftOptions: {
      fields: { outside: "httpEgress", "mcp.spill": "truncateToFile" },
      types: ["haft:HaftOptions", "haft:HaftConfig", "haft/effect:RuntimeOptions"],
      calls: {
        "haft:Haft.open": 0,
        "haft:defineConfig": 0,
        "haft/effect:runtimeLayer": 0,
        "haft/effect:toolRuntimeLayer": 0,
      },
    },
    McpOptions: {
      fields: { spill: "truncateToFile" },
      types: ["haft:McpOptions"],
      calls: { "haft/effect:mcpLayer": 0 },
    },
  },
  members: [
    {
      owner: "HaftOptions",
      from: "outside",
      to: "httpEgress",
      imports: haftOptions,
    },
    {
      owner: "McpOptions",
      from: "spill",
      to: "truncateToFile",
      imports: ["haft:McpOptions", ...haftOptions],
    },
    {
      owner: "RunBook",
      from: "giveUp",
      to: "cancel",
      imports: ["haft:RunStore", "haft/ledger:RunStore"],
      on: "runs",
    },
  ],
  removed: [
    {
      call: "haft/fleet:openPool",
      remedy:
        "openPool was removed. Submit a run to a worker on the machine that has what the tool needs (openWorker), or serve the tool there as an MCP server (serveHttp of haft/mcp)",
    },
    {
      call: "haft/fleet:remote",
      remedy:
        "remote was removed. Submit a run to a worker on the machine that has what the tool needs (haft.submit), or use the tool from an MCP server there",
    },
    {
      call: "haft/selection:energeticEmbeddings",
      remedy: "energeticEmbeddings was removed. Pass your own function: embeddingScorer({ name, embed })",
    },
    {
      call: "haft/selection:usageScorer",
      remedy: "usageScorer was removed. Use embeddingScorer of haft/selection, or a ranker of your own",
    },
    {
      call: "haft/layers:approval",
      argument: "function",
      remedy:
        'approval(fn) was removed. Use authorize(fn) of haft/layers; fn returns { kind: "allow" | "deny" | "edit" | "ask" } and no boolean',
    },
  ],
};
