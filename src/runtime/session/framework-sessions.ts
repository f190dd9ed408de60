/** Sessions whose tools were given to a framework, which expects that approvals outlive the process. */
export const frameworkSessions = new WeakSet<object>();
